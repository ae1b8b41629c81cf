"""Classic NetCDF that is no ANDI: its variables, and those that stand along a named axis as curves."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from processing.facts import Facts, clean_text
from processing.formats.curve import Axis, Curve, Series
from processing.formats.table import Cell, Column, Table
from processing.readings import Artefact, Output, Unrecognised

MAX_POINTS, MAX_CURVES = 200_000, 20
COLUMNS = ("Variable", "Description", "Dimensions", "Type", "Unit", "First", "Last", "Least", "Greatest")
FACT_ATTRIBUTES = {"title": "title", "institution": "origin", "source": "source", "Conventions": "conventions"} | {
    "instrument": "instrument_model",
    "operator": "analyst",
}


def read_variables(dataset: Any) -> Output:
    """Unrecognised where it holds no variable."""
    if not dataset.variables:
        raise Unrecognised("It is NetCDF, and holds no variables.")
    facts = Facts()
    facts.add("technique", "hierarchical data")
    facts.add("format", "NetCDF")
    for name, key in FACT_ATTRIBUTES.items():
        facts.add(key, text_of(dataset._attributes.get(name)))
    facts.add("variables", len(dataset.variables))
    rows = [describe(name, variable) for name, variable in dataset.variables.items()]
    table = Table("Variables", [Column(name) for name in COLUMNS], rows)
    return Output(
        run=facts.as_json(), artefacts=[*draw_along_axes(dataset.variables), table.artefact("variables.json")]
    )


def describe(name: str, variable: Any) -> list[Cell]:
    data = np.asarray(variable.data)
    numbers = data.astype(np.float64).reshape(-1) if data.dtype.kind in "iuf" else np.empty(0)
    finite = numbers[np.isfinite(numbers)]
    said: list[Cell] = [name, label_of(variable), ", ".join(variable.dimensions), str(data.dtype), unit_of(variable)]
    if not len(finite):
        return [
            *said,
            text_of(data.tobytes()) if data.dtype.kind == "S" and data.size <= 200 else None,
            None,
            None,
            None,
        ]
    return [*said, float(numbers[0]), float(numbers[-1]), float(finite.min()), float(finite.max())]


def draw_along_axes(variables: dict[str, Any]) -> Iterator[Artefact]:
    """Each variable of one dimension over the one that is called as this dimension, if it only grows, or only falls."""
    drawn = 0
    for name, variable in variables.items():
        (dimension, *further) = variable.dimensions or ("",)
        if further or name == dimension or dimension not in variables or drawn == MAX_CURVES:
            continue
        x, y = (np.asarray(one.data).reshape(-1) for one in (variables[dimension], variable))
        is_drawn = x.dtype.kind in "iuf" and y.dtype.kind in "iuf" and 1 < len(y) == len(x) <= MAX_POINTS
        if not is_drawn or not (np.all(np.diff(x) > 0) or np.all(np.diff(x) < 0)):
            continue
        drawn += 1
        x_axis = Axis(label_of(variables[dimension]) or dimension, unit_of(variables[dimension]) or None)
        y_axis = Axis(label_of(variable) or name, unit_of(variable) or None)
        series = [Series(name, x.astype(np.float64), y.astype(np.float64))]
        yield Curve(name, x_axis, y_axis, series).artefact(f"curve-{drawn}.json")


def label_of(variable: Any) -> str:
    return text_of(variable._attributes.get("long_name")) or ""


def unit_of(variable: Any) -> str:
    return text_of(variable._attributes.get("units")) or ""


def text_of(value: Any) -> str | None:
    if isinstance(value, bytes):
        value = value.partition(b"\0")[0].decode("utf-8", errors="replace")
    return clean_text(value) if isinstance(value, str) else None
