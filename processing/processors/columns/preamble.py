"""What stands above a table, or below it: who measured what, when and on what."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, tzinfo

from processing.facts import Facts, clean_text, is_absent
from processing.formats.numbers import simplify_number
from processing.processors.columns.layout import split_cells
from processing.processors.columns.times import assume_zone, date_of, moment_of
from processing.processors.columns.typed_columns import number_of
from processing.readings import Json

MAX_FACTS = 30
MAX_NAME_CHARACTERS = 60
NAME = re.compile(r"[^\W\d_][^=]*")
COLON_PAIR = re.compile(r"(?P<name>[^:=]{1,60}?)\s*[:=]\s+(?P<value>\S.*)")
COMMENT_MARKS = "#%*; \t"
RUN_KEYS = {
    "analyst": ("operator", "user", "user name", "username", "analyst", "measured by", "benutzer", "bediener"),
    "sample_id": ("sample", "sample name", "sample id", "sample identifier", "probe", "probenname"),
    "instrument_model": (
        "instrument",
        "instrument model",
        "instrument name",
        "model",
        "device",
        "gerät",
        "spectrometer",
    ),
    "serial_number": ("serial number", "serial no", "serial no.", "serial", "instrument serial number", "s/n"),
    "method": ("method", "method name", "protocol", "methode"),
    "software": ("software", "application", "software name"),
    "software_version": ("software version", "version"),
    "technique": ("technique", "measurement type"),
}
DATE_NAMES = {"date", "datum", "measurement date", "date of measurement", "acquisition date", "run date", "test date"}
TIME_NAMES = {"time", "zeit", "uhrzeit", "measurement time", "acquisition time", "run time", "start time"}
MOMENT_NAMES = DATE_NAMES | {
    *("start", "started", "started at", "start time", "measured", "measured at", "acquired", "date/time"),
    *("date and time", "date & time", "timestamp", "datetime", "created", "run started"),
}


def list_pairs(lines: Iterable[str], delimiter: str) -> Iterator[tuple[str, str]]:
    """Names and what is said of them: two cells of a line, or words on both sides of a colon."""
    for line in lines:
        cells = [cell for cell in split_cells(line.strip(COMMENT_MARKS), delimiter) if cell]
        if len(cells) == 2 and is_name(cells[0].rstrip(":=")):
            yield cells[0].rstrip(":="), cells[1]
        elif len(cells) == 1 and (found := COLON_PAIR.fullmatch(cells[0])) and find_run_key(found["name"]):
            yield found["name"], found["value"]


def is_name(text: str) -> bool:
    return len(text) <= MAX_NAME_CHARACTERS and NAME.fullmatch(text) is not None


def find_run_key(name: str) -> str | None:
    """Under which of the usual words a fact is known, or "moment" for a time."""
    plain = name.strip().rstrip(":=").lower()
    if plain in MOMENT_NAMES | TIME_NAMES:
        return "moment"
    return next((key for key, names in RUN_KEYS.items() if plain in names), None)


def add_pairs(facts: Facts, pairs: Sequence[tuple[str, str]]) -> dict[str, Json]:
    """Known words become facts of the run; the others, up to 30, are the answer: facts of the file.

    Where no word is known, the pairs are no preamble, and say nothing.
    """
    others: dict[str, Json] = {}
    if not any(find_run_key(name) for name, _ in pairs):
        return others
    for name, value in pairs:
        key = find_run_key(name)
        if key and key != "moment":
            facts.add(key, value)
        elif not key and not is_absent(value) and len(others) < MAX_FACTS and (slug := slug_of(name)):
            number = number_of(value, decimal_comma=False)
            others.setdefault(
                slug, clean_text(value) if number is None or number != number else simplify_number(number)
            )
    return others


def slug_of(name: str) -> str:
    """`Path length (mm)` is path_length_mm."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:MAX_NAME_CHARACTERS]


def find_moments(pairs: Sequence[tuple[str, str]], *, zone: tzinfo) -> list[datetime]:
    """When it was measured: moments, or a date with the time that stands beside it."""
    said = {name.strip().rstrip(":=").lower(): value for name, value in pairs}
    moments = [moment_of(value) for name, value in said.items() if name in MOMENT_NAMES]
    dates = [value for name, value in said.items() if name in DATE_NAMES and date_of(value)]
    times = [value for name, value in said.items() if name in TIME_NAMES]
    if dates:
        moments += [moment_of(f"{dates[0]} {time}") for time in times]
    return [assume_zone(moment, zone) for moment in moments if moment is not None]
