"""Bruker and Varian experiments whose files arrived one by one; of parameter files without their data the facts."""

from dataclasses import replace
from datetime import UTC, datetime

import nmrglue

from processing.facts import Facts
from processing.local_times import as_utc, describe_zone
from processing.processors.nmr.archives import describe_bruker, describe_experiments, read_bruker
from processing.processors.nmr.varian import describe_varian, find_time, first_values, read_varian
from processing.readings import Input, Output, Unreadable, Unrecognised

PARAMETER_FILES = {"acqu", "acqus", "proc", "procs"}
DATA = ("fid", "ser", "pdata/*/1r", "pdata/*/2rr")
PROCESSING_FACTS = {"SF": "spectrum_frequency_mhz", "OFFSET": "offset_ppm", "SI": "points"}


def read(given: Input) -> Output:
    """The experiment, where its signal or spectrum lies beside; else what the parameters say."""
    folder = given.path.parent
    if given.path.name == "acqus" and any(next(folder.glob(name), None) for name in DATA):
        return describe_experiments([read_bruker(folder, name="Experiment")])
    return describe_parameters(given)


def read_procpar(given: Input) -> Output:
    """A Varian experiment, likewise."""
    folder = given.path.parent
    values = first_values(nmrglue.varian.read_procpar(str(given.path)))
    measured_at = find_time(values, zone=given.time_zone)
    file = describe_zone(measured_at, given)
    if (folder / "fid").is_file():
        return replace(describe_experiments([read_varian(folder, name="Experiment", zone=given.time_zone)]), file=file)
    facts = Facts()
    facts.add("technique", "NMR")
    for key, value in describe_varian(values).items():
        facts.add(key, value)
    facts.add_times([measured_at] if measured_at else [])
    return Output(run=facts.as_json(), file=file, acquired_at=as_utc(measured_at))


def describe_parameters(given: Input) -> Output:
    parameters = nmrglue.bruker.read_jcamp(str(given.path))
    facts = Facts()
    facts.add("technique", "NMR")
    is_acquisition = "PULPROG" in parameters
    if not is_acquisition and "SF" not in parameters:
        said = "It holds neither the parameters of a measurement nor those of a spectrum."
        is_expected = given.path.name in PARAMETER_FILES
        raise (
            Unreadable(said) if is_expected else Unrecognised(f"It is kept, and not read: {said[0].lower()}{said[1:]}")
        )
    for key, value in describe_bruker(parameters).items() if is_acquisition else ():
        facts.add(key, value)
    for name, key in PROCESSING_FACTS.items() if not is_acquisition else ():
        facts.add(key, parameters.get(name))
    stated = parameters.get("DATE") if is_acquisition else None
    measured_at = datetime.fromtimestamp(stated, UTC) if isinstance(stated, int | float) and stated > 0 else None
    facts.add_times([measured_at] if measured_at else [])
    return Output(run=facts.as_json(), acquired_at=measured_at)
