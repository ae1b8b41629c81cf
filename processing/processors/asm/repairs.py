"""What allotropy 0.1.150 writes wrongly into its documents, put right. Each rule was found in real output.

`-0.0` and NaN stand for "no number", 1970-01-01 for "no time", N/A for nothing. Plate readers and spectrophotometers
measure AU, whatever the unit says. A fluorescence spectrum is no absorbance. A well count may be of the wells read.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from processing.facts import is_absent
from processing.formats.plate import Well, shape_of, shape_with
from processing.processors.asm.document import MEASUREMENT_KEY, Node, is_cube, is_quantity, nodes_under, walk_nodes
from processing.processors.asm.missing_values import MissingValues, wells_of

NULL_TIME_PREFIXES = ("1970-01-01T", "1969-12-31T")  # the latter: the same, seen from the west
AU_TECHNIQUES = {"plate reader", "spectrophotometry"}
RAW_CURVE_TECHNIQUES = {"liquid chromatography"}  # the detector's own floats: their -0.0 is a number
LIGHT_UNITS = {"fluorescence": "RFU", "luminescence": "RLU"}


def repair_document(aggregate: Node, *, technique: str) -> list[str]:
    """Put the document right, in place. Returns what a person should know about missing numbers."""
    warnings = drop_missing_values(aggregate, technique=technique)
    for key, node in list(walk_nodes(aggregate)):
        repair_units(key, node, technique=technique)
    repair_well_counts(aggregate)
    return warnings


def drop_missing_values(aggregate: Node, *, technique: str) -> list[str]:
    """Null for what stands for "no number", nothing for what says "not known". Returns which numbers are missing."""
    missing = MissingValues()
    for measurement in nodes_under(aggregate, MEASUREMENT_KEY):
        reasons = reasons_of(measurement)
        place = next(iter(wells_of(nodes_under(measurement, "sample document"))), None)
        for key in null_missing_numbers(measurement, technique=technique):
            reason = reasons.get(key.lower()) or reasons.get("") or "no reason is given"
            missing.add(key, reason, str(place or ""))
    null_missing_quantities(aggregate)
    for key, node in list(walk_nodes(aggregate)):
        if key != "error document":
            drop_absent_values(node)
    return missing.describe()


def reasons_of(measurement: Node) -> dict[str, str]:
    """Why numbers are missing, by what they are of. Under "": the one reason that explains anything else."""
    errors = [error for error in nodes_under(measurement, "error document") if error.get("error")]
    reasons = {str(error.get("error feature", "")).lower(): str(error["error"]) for error in errors}
    if len(errors) == 1:
        reasons[""] = str(errors[0]["error"])
    return reasons


def null_missing_numbers(measurement: Node, *, technique: str) -> list[str]:
    """Replace every stand-in for "no number" by null; of what each was."""
    gone = null_missing_quantities(measurement)
    for key, inner in walk_nodes(measurement):
        if is_cube(inner):
            gone += [key] * null_missing_points(inner, keep_zeros=technique in RAW_CURVE_TECHNIQUES)
    return gone


def null_missing_quantities(node: Node) -> list[str]:
    gone = []
    for key, inner in walk_nodes(node):
        if is_quantity(inner) and is_missing_number(inner["value"]):
            inner["value"] = None
            gone.append(key)
    return gone


def null_missing_points(cube: Node, *, keep_zeros: bool) -> int:
    gone = 0
    data = cube.get("data", {})
    for part in ("measures", "dimensions"):
        zeros_count = keep_zeros or part == "dimensions"
        for column in data.get(part, []):
            for place in places_without_number(column, zeros_count=zeros_count):
                column[place] = None
                gone += 1
    return gone


def places_without_number(column: list[Any], *, zeros_count: bool) -> list[int]:
    """Of a cube's column, which may be a detector's millions of floats, words ("NaN") or both."""
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return [place for place, value in enumerate(column) if is_nan(value)]
    nothing = ~np.isfinite(numbers)
    if not zeros_count:
        nothing |= (numbers == 0) & np.signbit(numbers)
    return [int(place) for place in np.flatnonzero(nothing) if column[place] is not None]


def is_missing_number(value: Any) -> bool:
    return is_negative_zero(value) or is_nan(value)


def is_negative_zero(value: Any) -> bool:
    return isinstance(value, float) and value == 0.0 and math.copysign(1.0, value) < 0


def is_nan(value: Any) -> bool:
    return (isinstance(value, float) and not math.isfinite(value)) or (
        isinstance(value, str) and value.lower() == "nan"
    )


def repair_units(key: str, node: Node, *, technique: str) -> None:
    """AU for plate readers and spectrophotometers; what a cube's name says, where it disagrees with its unit."""
    if is_quantity(node) and technique in AU_TECHNIQUES and node.get("unit") == "mAU":
        node["unit"] = "AU"
    if not is_cube(node):
        return
    light = next((light for light in LIGHT_UNITS if light in key), None)
    for measure in node["cube-structure"].get("measures", []):
        if light and measure.get("concept") == "absorbance":
            measure |= {"concept": light, "unit": LIGHT_UNITS[light]}
        elif technique in AU_TECHNIQUES and measure.get("unit") == "mAU":
            measure["unit"] = "AU"


def drop_absent_values(node: Node) -> None:
    """Texts that say "not known", times that mean "no time", and the tabs that spreadsheets put behind a text."""
    for key, value in list(node.items()):
        if isinstance(value, str) and (is_absent(value) or value.startswith(NULL_TIME_PREFIXES)):
            del node[key]
        elif isinstance(value, str) and value[-1:] == "\t":
            node[key] = value.rstrip("\t ")


def repair_well_counts(aggregate: Node) -> None:
    """A count of 0, of the wells read, or of no plate beside all wells of one: that of the smallest that holds them."""
    groups = [node for _, node in walk_nodes(aggregate) if is_quantity(node.get("plate well count"))]
    wells = wells_of(nodes_under(aggregate, "sample document"))
    shape = shape_of(wells)
    is_full = shape_with(len(wells)) == shape
    for group in groups:
        count = group["plate well count"]
        is_odd = not count["value"] or count["value"] == len(wells) or (is_full and not shape_with(int(count["value"])))
        if shape and (is_odd or count["value"] < count_needed_wells(wells)):
            count["value"] = shape[0] * shape[1]
        elif not count["value"]:
            del group["plate well count"]


def count_needed_wells(wells: Iterable[Well]) -> int:
    """No plate of fewer wells holds these."""
    found = list(wells)
    return (max(well.row for well in found) + 1) * (max(well.column for well in found) + 1)
