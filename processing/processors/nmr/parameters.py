"""The parameter files of a Bruker experiment (acqus, procs) where they arrive as files of their own: facts only."""

from datetime import UTC, datetime

import nmrglue

from processing.facts import Facts
from processing.processors.nmr.archives import describe_bruker
from processing.readings import Input, Output, Unreadable

PROCESSING_FACTS = {"SF": "spectrum_frequency_mhz", "OFFSET": "offset_ppm", "SI": "points"}


def read(given: Input) -> Output:
    parameters = nmrglue.bruker.read_jcamp(str(given.path))
    facts = Facts()
    facts.add("technique", "NMR")
    is_acquisition = "PULPROG" in parameters
    if not is_acquisition and "SF" not in parameters:
        raise Unreadable("It holds neither the parameters of a measurement nor those of a spectrum.")
    for key, value in describe_bruker(parameters).items() if is_acquisition else ():
        facts.add(key, value)
    for name, key in PROCESSING_FACTS.items() if not is_acquisition else ():
        facts.add(key, parameters.get(name))
    stated = parameters.get("DATE") if is_acquisition else None
    measured_at = datetime.fromtimestamp(stated, UTC) if isinstance(stated, int | float) and stated > 0 else None
    facts.add_times([measured_at] if measured_at else [])
    return Output(run=facts.as_json(), acquired_at=measured_at)
