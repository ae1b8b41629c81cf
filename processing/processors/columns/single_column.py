"""Texts of one number a line, perhaps below a head: points that stand at equal distances, whatever these are."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from processing.formats.curve import Axis, Curve, Series
from processing.processors.columns.layout import split_name_and_unit
from processing.processors.columns.typed_columns import Grid, build_grid
from processing.readings import Artefact

NUMBER = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?")
MARGIN = " \t\"';,#%"
MOST_HEAD_LINES, LEAST_NUMBERS, MOST_NAME_CHARACTERS = 60, 5, 60


@dataclass(frozen=True)
class SingleColumn:
    grid: Grid
    curve: Artefact
    above: Sequence[str]


def read_single_column(lines: Sequence[str]) -> SingleColumn | None:
    """None: below the head stands anything but one number in each line."""
    cells = [line.strip(MARGIN) for line in lines]
    above = list(takewhile(lambda cell: not NUMBER.fullmatch(cell), cells[: MOST_HEAD_LINES + 1]))
    numbers = [cell for cell in cells[len(above) :] if cell]
    if len(numbers) < LEAST_NUMBERS or not all(map(NUMBER.fullmatch, numbers)):
        return None
    named = next((cell for cell in reversed(above) if cell), "")
    name = named if len(named) <= MOST_NAME_CHARACTERS and not re.search(r"[:=\t]", named) else "Value"
    decimal_comma = any("," in number for number in numbers)
    grid = build_grid([name or "Value"], [[number] for number in numbers], decimal_comma=decimal_comma)
    if not grid.columns[0].is_measured:
        return None  # identifiers
    label, unit = split_name_and_unit(grid.header[0])
    values = grid.columns[0].numbers
    points = Series(label, range(1, len(values) + 1), values)
    curve = Curve(name or "Value", Axis("Point"), Axis(label, unit), [points])
    return SingleColumn(grid, curve.artefact("curves.json"), lines[: len(above)])
