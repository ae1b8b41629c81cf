"""Columns of text and workbooks: a curve where the first column runs steadily through numbers, a plate, a table."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice

from processing.facts import Facts, cleaned
from processing.formats.plate import Plate
from processing.formats.table import Cell, Column, Table
from processing.processors.columns.clock import located
from processing.processors.columns.curves import curves_of
from processing.processors.columns.layout import SAMPLE_LINES, Layout, find_layout, name_and_unit, split
from processing.processors.columns.plate_grid import plates_in, plates_of_list
from processing.processors.columns.typed import Grid, build_grid, is_nameless, number_of, uses_decimal_comma
from processing.processors.columns.workbook import WORKBOOK_EXTENSIONS, read_workbook
from processing.readings import MOST_VALUES, Artefact, Input, Json, Kind, Output, Unreadable
from processing.text import decode

SEPARATOR_LINE = re.compile(r'"?sep=.?"?\s*', re.IGNORECASE)  # what Excel writes for itself


class NoTable(Unreadable):
    def __init__(self) -> None:
        super().__init__("No table was found: no five rows have the same number of columns.")


@dataclass
class Sheet:
    """A table and the plates that stand in it as grids."""

    title: str
    grid: Grid
    plates: Sequence[Plate] = field(default_factory=list)


def read(given: Input) -> Output:
    sheets, facts = sheets_of(given)
    artefacts: list[Artefact] = []
    headers = (name for sheet in sheets for name in sheet.grid.header if not is_nameless(name))
    names = list(dict.fromkeys(map(cleaned, headers)))
    for sheet in sheets:
        suffix = "" if len(sheets) == 1 else f"-{len(artefacts) + 1}"
        artefacts += artefacts_of(sheet, suffix=suffix)
        facts.add("rows", sheet.grid.total_rows)
        facts.add("columns", len(sheet.grid.header))
    facts.add("curve_count", sum(artefact.kind is Kind.CURVE for artefact in artefacts))
    file: dict[str, Json] = {"column_names": names[:MOST_VALUES]} if names else {}
    moments = [moment for sheet in sheets for moment in measured_at(sheet.grid)]
    times = [located(moment, given.time_zone) for moment in moments]
    facts.add_times(times)
    if any(moment.tzinfo is None for moment in moments):
        file["assumed_time_zone"] = str(given.time_zone)
    started_at = min(times).astimezone(UTC) if times else None
    return Output(run=facts.as_json(), file=file, acquired_at=started_at, artefacts=artefacts)


def measured_at(grid: Grid) -> list[datetime]:
    """The first and the last moment, where the first column holds such."""
    return grid.columns[0].moments if grid.columns and grid.columns[0].is_measured else []


def sheets_of(given: Input) -> tuple[list[Sheet], Facts]:
    facts = Facts()
    if given.path.suffix[1:].lower() in WORKBOOK_EXTENSIONS:
        facts.add("format", "workbook")
        sheets = [sheet_of_rows(title, rows) for title, rows in read_workbook(given.path)]
        facts.add_all("sheet", [sheet.title for sheet in sheets])
        return sheets, facts
    decoded = decode(given.path.read_bytes())
    facts.add("format", "text")
    facts.add("encoding", decoded.encoding)
    return [sheet_of_text(given.filename, decoded.text)], facts


def sheet_of_text(title: str, text: str) -> Sheet:
    lines = text.split("\n")
    if SEPARATOR_LINE.fullmatch(lines[0]):
        lines = lines[1:]
    layout = find_layout(lines)
    if layout is None:
        raise NoTable
    sample = list(islice(rows_of(lines, layout), SAMPLE_LINES))
    decimal_comma = layout.delimiter != "," and uses_decimal_comma(sample)
    header, groups, skipped = header_of(sample, decimal_comma=decimal_comma)
    rows = islice(rows_of(lines, layout), skipped, None)
    grid = build_grid(header, rows, decimal_comma=decimal_comma, groups=groups)
    everything = list(split(lines[:SAMPLE_LINES], layout.delimiter))
    return Sheet(title, grid, plates_in(everything, decimal_comma=decimal_comma))


def sheet_of_rows(title: str, rows: list[list[Cell]]) -> Sheet:
    """The names of the columns stand in the first row of words above the first row of numbers, with none between."""
    start = header_row(rows)
    plates = plates_in(rows, decimal_comma=False)
    if start is None:
        width = max(len(row) for row in rows)
        return Sheet(title, build_grid([f"Column {n}" for n in range(1, width + 1)], rows, decimal_comma=False), plates)
    header = [str(cell) if cell is not None else "" for cell in rows[start]]
    return Sheet(title, build_grid(header, rows[start + 1 :], decimal_comma=False), plates)


def rows_of(lines: list[str], layout: Layout) -> Iterator[list[str]]:
    """The rows of the table, up to a line that is wider or much narrower: what follows is a foot or another table.

    So is what follows an empty line and holds no number, after rows that did.
    """
    had_numbers = was_empty = False
    for row in islice(split(lines, layout.delimiter), layout.start, None):
        if not row:
            was_empty = True
            continue
        if len(row) > layout.width or len(row) < max(2, layout.width - 1):
            return
        has_numbers = any_numbers(row, decimal_comma=True) or any_numbers(row, decimal_comma=False)
        if was_empty and had_numbers and not has_numbers:
            return
        had_numbers, was_empty = had_numbers or has_numbers, False
        yield row


def header_of(rows: list[list[str]], *, decimal_comma: bool) -> tuple[list[str], list[str], int]:
    """Names of the columns, what stands above them, and how many rows they take: two, with groups or units, or none."""
    width = max(len(row) for row in rows)
    if holds_numbers(rows[0], decimal_comma=decimal_comma):
        return [f"Column {number}" for number in range(1, width + 1)], [], 0
    first = [*rows[0], *[""] * (width - len(rows[0]))]
    is_second_header = (
        len(rows) > 2
        and not any_numbers(rows[1], decimal_comma=decimal_comma)
        and holds_numbers(rows[2], decimal_comma=decimal_comma)
    )
    if not is_second_header:
        return first, [], 1
    second = [*rows[1], *[""] * (width - len(rows[1]))]
    if sum(map(bool, first)) < sum(map(bool, second)):  # a name above spans several columns below
        groups = [next((name for name in reversed(first[: place + 1]) if name), "") for place in range(width)]
        return second, groups, 2
    return [f"{name} ({unit})" if unit else name for name, unit in zip(first, second, strict=True)], [], 2


def header_row(rows: list[list[Cell]]) -> int | None:
    """The last row of words before the first that holds numbers, if it names at least two columns of it."""
    data = next((place for place, row in enumerate(rows) if holds_numbers(row, decimal_comma=False)), None)
    words = [len(row) for row in rows[:1] if all(isinstance(cell, str) for cell in row)]
    if data is None:
        return 0 if words and len(rows) > 1 and words[0] > 1 else None
    if data == 0:
        return None
    above = rows[data - 1]
    named = [cell for cell in above if isinstance(cell, str) and cell]
    needed = sum(cell is not None for cell in rows[data])
    is_header = len(named) >= max(2, needed - 1) and not any_numbers(above, decimal_comma=False)
    return data - 1 if is_header else None


def holds_numbers(row: Sequence[Cell], *, decimal_comma: bool) -> bool:
    """At least half of the cells that say anything are numbers."""
    numbers = [number_of(cell, decimal_comma=decimal_comma) for cell in row if cell not in (None, "")]
    known = [number for number in numbers if number is not None and number == number]
    return bool(known) and 2 * len(known) >= len(numbers)


def any_numbers(row: Sequence[Cell], *, decimal_comma: bool) -> bool:
    numbers = (number_of(cell, decimal_comma=decimal_comma) for cell in row)
    return any(number is not None and number == number for number in numbers)


def artefacts_of(sheet: Sheet, *, suffix: str) -> list[Artefact]:
    curves = [] if sheet.plates else curves_of(sheet.grid, title=sheet.title, suffix=suffix)
    if curves:
        return curves
    plates = list(sheet.plates) or list(plates_of_list(sheet.grid))
    drawn = [
        replace(plate, title=plate.title or sheet.title).artefact(f"plate{suffix}{f'-{n}' if n > 1 else ''}.json")
        for n, plate in enumerate(plates, start=1)
    ]
    return [*drawn, table(sheet, suffix=suffix)]


def table(sheet: Sheet, *, suffix: str) -> Artefact:
    columns = [Column(*name_and_unit(header)) for header in sheet.grid.header]
    return Table(sheet.title, columns, sheet.grid.rows, sheet.grid.total_rows).artefact(f"table{suffix}.json")
