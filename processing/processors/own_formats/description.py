"""What a file says of its sample, instrument, method and time, in the words of openreadout."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from processing.dataset_making.values import slug_of
from processing.facts import Facts, clean_text
from processing.local_times import describe_zone
from processing.readings import FACT_KEY, MAX_VALUES_PER_FACT, Input, Json

MOST_PARAMETERS = 40
PLAIN_UNIT = re.compile(r"[A-Za-z]{1,8}")
FACTS = (  # our key; where it is
    ("manufacturer", "instrument", "vendor"),
    ("instrument_model", "instrument", "model"),
    ("serial_number", "instrument", "serial"),
    ("software", "instrument", "software"),
    ("software_version", "instrument", "software_version"),
    ("sample_id", "sample", "name"),
    ("sample_id", "sample", "id"),
    ("barcode", "sample", "barcode"),
    ("well", "sample", "well"),
    ("method", "method", "name"),
    ("analyst", "acquisition", "operator"),
    ("comment", "acquisition", "comment"),
)


@dataclass(frozen=True)
class Description:
    facts: Facts
    of_file: dict[str, Json]
    started_at: datetime | None


def describe(content: Any, given: Input) -> Description:
    """`content`: openreadout's `info`."""
    experiment = content.get("experiment", {})
    facts = Facts()
    facts.add("technique", find_technique(content))
    facts.add("format", content["format"]["name"])
    for key, part, name in FACTS:
        value = experiment.get(part, {}).get(name)
        facts.add(key, value if isinstance(value, str | int | float) else None)
    named = [read_time(experiment.get("acquisition", {}).get(name), given) for name in ("started_at", "ended_at")]
    times = [time for time in named if time]
    facts.add_times(times)
    parameters = experiment.get("method", {}).get("parameters", {})
    of_file = dict(read_parameters(parameters)[:MOST_PARAMETERS]) | describe_zone(named[0], given)
    return Description(facts, of_file, named[0].astimezone(UTC) if named[0] else None)


def find_technique(content: Any) -> str:
    technique: str = content.get("experiment", {}).get("method", {}).get("technique", {}).get("label", "")
    return technique or content["format"]["family"].replace("-", " ")


def read_parameters(parameters: Any) -> list[tuple[str, Json]]:
    """`laser_wavelength_nm`; where a unit is no plain word the key goes without."""
    named: list[tuple[str, Json]] = []
    for name, quantity in parameters.items():
        value, unit = quantity.get("value"), quantity.get("unit", "")
        key = slug_of(f"{name}_{unit}" if PLAIN_UNIT.fullmatch(unit) else name)
        if FACT_KEY.fullmatch(key) and isinstance(value, bool | int | float | str | list):
            named.append((key, tidy(value)))
    return named


def tidy(value: Any) -> Json:
    """Texts as facts have them: printable, and of a length that one reads."""
    if isinstance(value, list):
        return [tidy(one) for one in value[:MAX_VALUES_PER_FACT]]
    return clean_text(value) if isinstance(value, str) else value


def read_time(text: str | None, given: Input) -> datetime | None:
    """Without an offset it is the instrument's time."""
    try:
        time = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=given.time_zone)
