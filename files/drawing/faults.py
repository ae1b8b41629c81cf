"""Whether a document is what its format promises: readers of plug-ins and scripts may build theirs without our help."""

import math
from collections.abc import Mapping
from typing import Any

from files.drawing.events_faults import find_events_fault
from files.drawing.stack_faults import find_stack_fault

MAX_MARKS = 200
FORMATS = {
    "curve": "ids-curve/1",
    "plate": "ids-plate/1",
    "table": "ids-table/1",
    "events": "ids-events/1",
    "stack": "ids-stack/1",
}


def find_document_fault(document: Any, *, kind: str) -> str | None:
    """What is wrong with an artefact of this kind, in words; None when it can be shown."""
    check = CHECKS[kind]
    try:
        return check(document)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        return f"it is not of the format that a {kind} has ({type(error).__name__}: {error})."


def fault_of_curve(document: Any) -> str | None:
    if document["format"] != FORMATS["curve"]:
        return "a curve has the format ids-curve/1."
    if not all(is_axis(document[axis]) for axis in ("x", "y")):
        return "an axis has no label."
    if not isinstance(document["series"], list) or not document["series"]:
        return "it has no series."
    for series in document["series"]:
        if len(series["x"]) != len(series["y"]) or not isinstance(series["label"], str):
            return "x and y of a series differ in length, or it has no label."
        if not all(is_number(x) for x in series["x"]) or not all(y is None or is_number(y) for y in series["y"]):
            return "a point is no finite number."
    marks = document.get("marks", [])
    return None if len(marks) <= MAX_MARKS and all(map(is_mark, marks)) else "a mark has no label, or no place."


def is_mark(mark: Mapping[str, Any]) -> bool:
    numbers = [mark[key] for key in ("x", "y", "area") if key in mark] + mark.get("bounds", [])
    has_place = "x" in mark or "y" in mark
    return (
        isinstance(mark["label"], str)
        and has_place
        and len(mark.get("bounds", [0, 0])) == 2
        and all(map(is_number, numbers))
    )


def is_axis(axis: Mapping[str, Any]) -> bool:
    return isinstance(axis["label"], str) and isinstance(axis.get("unit"), str | None)


def fault_of_plate(document: Any) -> str | None:
    if document["format"] != FORMATS["plate"]:
        return "a plate has the format ids-plate/1."
    if not 1 <= document["rows"] <= 32 or not 1 <= document["columns"] <= 48:
        return "it has more than 32 rows or 48 columns."
    steps = len(document["steps"]["values"]) if "steps" in document else 0
    for name, well in document["wells"].items():
        numbers = [well["value"], *well.get("values", [])]
        if not all(number is None or is_number(number) for number in numbers):
            return f"well {name} holds something that is no finite number."
        if len(well.get("values", [])) not in (0, steps):
            return f"well {name} has other steps than the plate."
    return None if isinstance(document["quantity"], str) else "it does not say what was measured."


def fault_of_events(document: Any) -> str | None:
    return (
        find_events_fault(document)
        if document["format"] == FORMATS["events"]
        else "events have the format ids-events/1."
    )


def fault_of_table(document: Any) -> str | None:
    """A table may also be any other JSON, which is kept for programs."""
    if not isinstance(document, dict) or document.get("format") != FORMATS["table"]:
        return None
    columns = document["columns"]
    if not all(isinstance(column["name"], str) for column in columns):
        return "a column has no name."
    if any(len(row) != len(columns) for row in document["rows"]):
        return "a row has other columns than the table."
    is_total = isinstance(document["total_rows"], int) and document["total_rows"] >= len(document["rows"])
    return None if is_total else "total_rows is smaller than what is shown."


def fault_of_stack(document: Any) -> str | None:
    return (
        find_stack_fault(document) if document["format"] == FORMATS["stack"] else "a stack has the format ids-stack/1."
    )


CHECKS = {
    "curve": fault_of_curve,
    "plate": fault_of_plate,
    "table": fault_of_table,
    "events": fault_of_events,
    "stack": fault_of_stack,
}


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
