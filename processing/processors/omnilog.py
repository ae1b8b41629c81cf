"""Biolog OmniLog: colour against hours for the wells of a phenotype microarray, as opm and DuctApe write it in JSON."""

import json
from math import isfinite
from typing import Any

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.formats.plate import Plate, Well, WellValue
from processing.readings import Input, Json, Output, Unreadable

ROWS_AND_COLUMNS = (8, 12)
TIME = "Hour"
RUN_KEYS = {"Plate Type": "plate_type", "Position": "position", "Setup Time": "setup_time", "Strain Name": "strain"} | {
    "Sample Number": "sample_id",
    "Strain Number": "strain_number",
    "Other": "notes",
}


def read(given: Input) -> Output:
    """Unreadable: it is cut off, or a well has more or fewer readings than there are times."""
    try:
        document = json.loads(given.path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise Unreadable("The JSON is damaged, or ends too early.") from error
    plate = document[0] if isinstance(document, list) and document else document
    hours, wells = find_measurements(plate)
    described = plate.get("csv_data") if isinstance(plate.get("csv_data"), dict) else {}
    facts = Facts()
    facts.add("technique", "phenotype microarray")
    facts.add("format", "OmniLog JSON")
    facts.add("manufacturer", "Biolog")
    for name, key in RUN_KEYS.items():
        if isinstance(value := described.get(name), str | int | float):
            facts.add(key, value)
    facts.add("well_count", len(wells))
    first, readings = next(iter(wells.items()))
    summary: dict[str, Json] = {
        "wells": len(wells),
        "first_well": first,
        "points": len(hours),
        "last_time_h": hours[-1],
        "last_signal_first_well": readings[-1],
        "max_signal": max(max(values) for values in wells.values()),
    }
    series = [Series(name, hours, values) for name, values in wells.items()]
    return Output(
        run=facts.as_json(),
        file=summary,
        artefacts=[
            Curve("Kinetics", Axis("Time", "h"), Axis("Colour", "OmniLog units"), series).artefact("kinetics.json"),
            draw_plate(wells).artefact("plate.json"),
        ],
        warnings=list_doubts(document),
    )


def list_doubts(document: Any) -> list[str]:
    has_more = isinstance(document, list) and len(document) > 1
    return ["Further plates follow the first one; they are not read."] if has_more else []


def find_measurements(plate: Any) -> tuple[list[float], dict[str, list[float]]]:
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


def draw_plate(wells: dict[str, list[float]]) -> Plate:
    values = {well: WellValue(max(readings)) for name, readings in wells.items() if (well := Well.parse(name))}
    return Plate("Highest signal", ROWS_AND_COLUMNS, "Colour", "OmniLog units", values)
