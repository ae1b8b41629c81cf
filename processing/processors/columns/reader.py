"""Columns of text and workbooks: a curve where the first column runs steadily through numbers, a plate, a table."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice

from processing.facts import Facts, clean_text
from processing.formats.plate import Plate
from processing.formats.table import Cell, Column, Table
from processing.processors.columns.blocks import Block, find_block, is_list_of_pairs
from processing.processors.columns.curves import curves_of
from processing.processors.columns.layout import (
    BLANK_DELIMITER,
    DELIMITERS,
    SAMPLE_LINES,
    split_name_and_unit,
    split_rows,
)
from processing.processors.columns.plate_grid import find_plates, find_plates_in_list
from processing.processors.columns.preamble import add_pairs, find_moments, list_pairs
from processing.processors.columns.times import assume_zone
from processing.processors.columns.typed_columns import (
    CENSORED_NUMBER,
    Grid,
    build_grid,
    has_any_number,
    holds_numbers,
    is_nameless,
    uses_decimal_comma,
)
from processing.processors.columns.workbook import WORKBOOK_EXTENSIONS, read_workbook
from processing.readings import MAX_ARTEFACTS, MAX_VALUES_PER_FACT, Artefact, Input, Json, Kind, Output, Unreadable
from processing.text_encoding import decode_text

TIME_NAME = re.compile(r"\b(?:start|started|date|time|timestamp|measured|acquired|created)\b", re.IGNORECASE)
TITLE_MARGIN = '#%*;,"\t '
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


@dataclass
class Found:
    """The tables of a file, and what is said around them."""

    sheets: list[Sheet]
    pairs: list[tuple[str, str]] = field(default_factory=list)
    facts: Facts = field(default_factory=Facts)
    warnings: list[str] = field(default_factory=list)


def read(given: Input) -> Output:
    found = read_sheets(given)
    sheets, facts = found.sheets, found.facts
    artefacts: list[Artefact] = []
    headers = (name for sheet in sheets for name in sheet.grid.header if not is_nameless(name))
    names = list(dict.fromkeys(map(clean_text, headers)))
    for sheet in sheets:
        suffix = "" if len(sheets) == 1 else f"-{len(artefacts) + 1}"
        artefacts += artefacts_of(sheet, suffix=suffix)
        facts.add("rows", sheet.grid.total_rows)
        facts.add("columns", len(sheet.grid.header))
    facts.add("curve_count", sum(artefact.kind is Kind.CURVE for artefact in artefacts))
    facts.add("table_count", len(sheets) if len(sheets) > 1 else None)
    file: dict[str, Json] = {**add_pairs(facts, found.pairs)}
    if names:
        file["column_names"] = names[:MAX_VALUES_PER_FACT]
    said = find_moments(found.pairs, zone=given.time_zone)
    moments = [moment for sheet in sheets for moment in measured_at(sheet.grid)]
    times = [*said, *(assume_zone(moment, given.time_zone) for moment in moments)]
    facts.add_times(times)
    if any(moment.tzinfo in (None, given.time_zone) for moment in [*moments, *said]):
        file["assumed_time_zone"] = str(given.time_zone)
    started_at = min(times).astimezone(UTC) if times else None
    return Output(facts.as_json(), file, started_at, artefacts, found.warnings)


def measured_at(grid: Grid) -> list[datetime]:
    """The first and the last moment, where the first column or one that is called a time or a date holds such."""
    named = (column for name, column in zip(grid.header, grid.columns, strict=True) if TIME_NAME.search(name))
    return next((column.moments for column in [*grid.columns[:1], *named] if column.is_measured and column.moments), [])


def read_sheets(given: Input) -> Found:
    if given.path.suffix[1:].lower() in WORKBOOK_EXTENSIONS:
        rows_by_title, warnings = read_workbook(given.path)
        found = Found([sheet_of_rows(title, rows) for title, rows in rows_by_title], warnings=warnings)
        found.facts.add("format", "workbook")
        found.facts.add_all("sheet", [sheet.title for sheet in found.sheets])
        return found
    decoded = decode_text(given.path.read_bytes())
    found = read_text(given.filename, decoded.text)
    found.facts.add("format", "text")
    found.facts.add("encoding", decoded.encoding)
    return found


def read_text(title: str, text: str) -> Found:
    """Every table of a text; names and words around them become facts. Raises NoTable."""
    lines = text.split("\n")
    rest: Sequence[str] = lines[1:] if SEPARATOR_LINE.fullmatch(lines[0]) else lines
    found = Found([])
    lists_of_pairs: list[Sheet] = []
    delimiter = DELIMITERS[0]
    while len(found.sheets) < MAX_ARTEFACTS and (block := find_block(rest)) is not None:
        sample, delimiter = block.sample(), block.layout.delimiter
        sheet = sheet_of_block(block, sample)
        holds_pairs = is_list_of_pairs(sample)
        (lists_of_pairs if holds_pairs else found.sheets).append(sheet)
        around = rest[: block.end if holds_pairs else block.start_line]
        found.pairs += list_pairs(around[:SAMPLE_LINES], delimiter)
        rest = rest[max(1, block.end) :]
    found.sheets = found.sheets or lists_of_pairs
    if not found.sheets:
        raise NoTable
    found.pairs += list_pairs(rest[:SAMPLE_LINES], delimiter)
    if len(found.sheets) >= MAX_ARTEFACTS and any(line.strip() for line in rest):
        found.warnings = [f"The first {MAX_ARTEFACTS} tables of the text are read."]
    name_sheets(found.sheets, title)
    return found


def sheet_of_block(block: Block, sample: list[list[str]]) -> Sheet:
    delimiter = block.layout.delimiter
    decimal_comma = delimiter != "," and uses_decimal_comma(sample)
    header, groups, skipped = header_of(sample, decimal_comma=decimal_comma)
    rows = islice(block.rows(), skipped, None)
    grid = build_grid(header, rows, decimal_comma=decimal_comma, groups=groups, sample=sample)
    around = list(split_rows(block.lines[: min(block.end, SAMPLE_LINES)], delimiter))
    title = find_title(block.lines[: block.start_line], delimiter)
    return Sheet(title, grid, find_plates(around, decimal_comma=decimal_comma))


def find_title(above: Sequence[str], delimiter: str) -> str:
    """What stands right above the table, alone in its line."""
    line = next((line for line in reversed(above) if line.strip(TITLE_MARGIN)), "").strip(TITLE_MARGIN)
    return "" if delimiter in line and delimiter != BLANK_DELIMITER else line


def name_sheets(sheets: list[Sheet], title: str) -> None:
    """The one table of a file is called as the file; of several each as the line above it, if there is one."""
    for number, sheet in enumerate(sheets, start=1):
        sheet.title = title if len(sheets) == 1 else sheet.title or f"{title}, table {number}"


def sheet_of_rows(title: str, rows: list[list[Cell]]) -> Sheet:
    """The names of the columns stand in the first row of words above the first row of numbers, with none between."""
    start = header_row(rows)
    plates = find_plates(rows, decimal_comma=False)
    if start is None:
        width = max(len(row) for row in rows)
        return Sheet(title, build_grid([f"Column {n}" for n in range(1, width + 1)], rows, decimal_comma=False), plates)
    header = [str(cell) if cell is not None else "" for cell in rows[start]]
    return Sheet(title, build_grid(header, rows[start + 1 :], decimal_comma=False), plates)


def header_of(rows: list[list[str]], *, decimal_comma: bool) -> tuple[list[str], list[str], int]:
    """Names of the columns, what stands above them, and how many rows they take: two, with groups or units, or none."""
    width = max(len(row) for row in rows)
    if holds_numbers(rows[0], decimal_comma=decimal_comma):
        return [f"Column {number}" for number in range(1, width + 1)], [], 0
    first = [*rows[0], *[""] * (width - len(rows[0]))]
    is_second_header = (
        len(rows) > 2
        and not has_any_number(rows[1], decimal_comma=decimal_comma)
        and not any(CENSORED_NUMBER.fullmatch(cell) for cell in rows[1])
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
    is_header = len(named) >= max(2, needed - 1) and not has_any_number(above, decimal_comma=False)
    return data - 1 if is_header else None


def artefacts_of(sheet: Sheet, *, suffix: str) -> list[Artefact]:
    curves = [] if sheet.plates else curves_of(sheet.grid, title=sheet.title, suffix=suffix)
    if curves:
        return curves
    listed = list(find_plates_in_list(sheet.grid)) if not sheet.plates else []
    if suffix:  # one of several tables, whose columns may be called alike
        listed = [replace(plate, title=f"{sheet.title}: {plate.title}") for plate in listed]
    plates = [*sheet.plates, *listed]
    drawn = [
        replace(plate, title=plate.title or sheet.title).artefact(f"plate{suffix}{f'-{n}' if n > 1 else ''}.json")
        for n, plate in enumerate(plates, start=1)
    ]
    return [*drawn, build_table(sheet, suffix=suffix)]


def build_table(sheet: Sheet, *, suffix: str) -> Artefact:
    columns = [Column(*split_name_and_unit(header)) for header in sheet.grid.header]
    return Table(sheet.title, columns, sheet.grid.rows, sheet.grid.total_rows).artefact(f"table{suffix}.json")
