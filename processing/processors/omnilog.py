"""Biolog OmniLog: colour against hours for the wells of phenotype microarrays.

As JSON, as opm and DuctApe write it, and as the text with commas that the program itself exports.
"""

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite
from typing import Any

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.formats.plate import Plate, Well, WellValue
from processing.local_times import as_utc, describe_zone, parse_local_time
from processing.readings import Artefact, Input, Json, Output, Unreadable
from processing.text_encoding import decode_text

ROWS_AND_COLUMNS = (8, 12)
MAX_PLATES = 20
TIME, TYPE = "Hour", "Plate Type"
RUN_KEYS = {TYPE: "plate_type", "Position": "position", "Setup Time": "setup_time", "Strain Name": "strain"} | {
    "Set up Time": "setup_time",
    "Strain Type": "strain_type",
    "Sample Number": "sample_id",
    "Strain Number": "strain_number",
    "Other": "notes",
}
TIME_FORMATS = ("%m/%d/%Y %I:%M:%S %p", "%b %d %Y %I:%M %p", "%Y-%m-%d %H:%M:%S")
Hours = list[float]
Wells = dict[str, list[float]]


@dataclass
class Microarray:
    """One plate: what is said of it, and the readings of its wells, as many as there are hours."""

    said: dict[str, Any] = field(default_factory=dict)
    hours: Hours = field(default_factory=list)
    wells: Wells = field(default_factory=dict)


def read(given: Input) -> Output:
    """Unreadable: it is cut off, or a well has more or fewer readings than there are times."""
    content = given.path.read_bytes()
    is_text = content.lstrip()[:1] not in (b"{", b"[")
    plates = list(iterate_text(decode_text(content).text) if is_text else iterate_json(content))
    facts = Facts()
    facts.add("technique", "phenotype microarray")
    facts.add("format", "OmniLog text" if is_text else "OmniLog JSON")
    facts.add("manufacturer", "Biolog")
    for plate in plates:
        for name, key in RUN_KEYS.items():
            if isinstance(value := plate.said.get(name), str | int | float):
                facts.add(key, value)
        facts.add("well_count", len(plate.wells))
    started = [time for plate in plates if (time := find_time(plate, given))]
    facts.add_times(started)
    facts.add("plate_count", len(plates) if len(plates) > 1 else None)
    left_out = [f"The first {MAX_PLATES} of {len(plates)} plates are drawn."] if len(plates) > MAX_PLATES else []
    shown = [draw(plate, number, len(plates)) for number, plate in enumerate(plates[:MAX_PLATES], start=1)]
    return Output(
        run=facts.as_json(),
        file={**summarise(plates[0]), **describe_zone(min(started, default=None), given)},
        acquired_at=as_utc(min(started, default=None)),
        artefacts=[artefact for drawn in shown for artefact in drawn],
        warnings=left_out,
    )


def find_time(plate: Microarray, given: Input) -> datetime | None:
    """When the plate was set up; with AM or PM behind it the month stands first, else nothing tells."""
    stated = next((str(plate.said[name]) for name in ("Setup Time", "Set up Time") if name in plate.said), "")
    return parse_local_time(stated, *TIME_FORMATS, given=given)


def summarise(plate: Microarray) -> dict[str, Json]:
    first, readings = next(iter(plate.wells.items()))
    return {
        "wells": len(plate.wells),
        "first_well": first,
        "points": len(plate.hours),
        "last_time_h": plate.hours[-1],
        "last_signal_first_well": readings[-1],
        "max_signal": max(max(values) for values in plate.wells.values()),
    }


def iterate_json(content: bytes) -> Iterator[Microarray]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unreadable("The JSON is damaged, or ends too early.") from error
    for plate in document if isinstance(document, list) and document else [document]:
        hours, wells = find_measurements(plate)
        described = plate.get("csv_data")
        yield Microarray(described if isinstance(described, dict) else {}, hours, wells)


def find_measurements(plate: Any) -> tuple[Hours, Wells]:
    found = plate.get("measurements") if isinstance(plate, dict) else None
    if not isinstance(found, dict) or not all(map(is_row_of_numbers, found.values())) or not found.get(TIME):
        raise Unreadable("It holds no readings with their hours.")
    hours = found[TIME]
    wells = {name: found[name] for name in sorted(found) if name != TIME}
    if not wells or any(len(values) != len(hours) for values in wells.values()):
        raise Unreadable(f"A well has more or fewer readings than there are hours ({len(hours)}).")
    return hours, wells


def is_row_of_numbers(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, int | float) and isfinite(value) for value in values)


def iterate_text(text: str) -> Iterator[Microarray]:
    """Names with what is said of them, the names of the wells behind "Hour", and a row for each hour; then the next."""
    delimiter = ";" if text.partition("\n")[0].count(";") else ","
    plate, names = Microarray(), list[str]()
    for row in csv.reader(text.splitlines(), delimiter=delimiter):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if cells[0] == TIME:
            names = cells[1:]
            plate.wells = {name: [] for name in names}
        elif names and is_number(cells[0]):
            add_hour(plate, names, cells)
        elif plate.hours:
            yield plate
            plate, names = Microarray({cells[0]: cells[1] if len(cells) > 1 else ""}), []
        else:
            plate.said[cells[0]] = cells[1] if len(cells) > 1 else ""
    if not plate.hours:
        raise Unreadable("It ends before the readings of a plate.")
    yield plate


def add_hour(plate: Microarray, names: list[str], cells: list[str]) -> None:
    if len(cells) != len(names) + 1 or not all(map(is_number, cells)) or len(plate.wells) != len(names):
        raise Unreadable(f"The row of {cells[0]} hours has not one number for each of {len(names)} wells.")
    hour, *readings = (float(cell.replace(",", ".")) for cell in cells)
    if plate.hours and hour <= plate.hours[-1]:
        raise Unreadable(f"The hours do not grow: {hour:g} follows {plate.hours[-1]:g}.")
    plate.hours.append(hour)
    for name, reading in zip(names, readings, strict=True):
        plate.wells[name].append(reading)


def is_number(cell: str) -> bool:
    return re.fullmatch(r"-?\d+(?:[.,]\d+)?", cell) is not None


def draw(plate: Microarray, number: int, count: int) -> list[Artefact]:
    """Its curves and the map of its highest signals, named by its type where there are several plates."""
    called = f", {plate.said.get(TYPE) or f'plate {number}'}" if count > 1 else ""
    suffix = f"-{number}" if count > 1 else ""
    series = [Series(name, plate.hours, values) for name, values in plate.wells.items()]
    curve = Curve(f"Kinetics{called}", Axis("Time", "h"), Axis("Colour", "OmniLog units"), series)
    return [curve.artefact(f"kinetics{suffix}.json"), draw_plate(plate.wells, called).artefact(f"plate{suffix}.json")]


def draw_plate(wells: Wells, called: str) -> Plate:
    values = {well: WellValue(max(readings)) for name, readings in wells.items() if (well := Well.parse(name))}
    return Plate(f"Highest signal{called}", ROWS_AND_COLUMNS, "Colour", "OmniLog units", values)
