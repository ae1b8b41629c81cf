"""Columns of text and workbooks: a curve where the first column runs steadily through numbers, a plate, a table."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from itertools import islice

from processing.facts import Facts, clean_text
from processing.formats.long_tables import LongTable, draw_long_table, find_long_table, roles_of
from processing.formats.plate import Plate
from processing.formats.table import Cell, Column, Table
from processing.processors.columns.blocks import Block, find_block, find_single_row, is_list_of_pairs
from processing.processors.columns.curves import curves_of, list_long_columns, list_remarks
from processing.processors.columns.datasets import dataset_of_grid
from processing.processors.columns.headers import header_of, header_row, lacks_names
from processing.processors.columns.large_texts import LargeTable, read_large_text
from processing.processors.columns.layout import (
    BLANK_DELIMITER,
    DELIMITERS,
    SAMPLE_LINES,
    split_name_and_unit,
    split_rows,
)
from processing.processors.columns.mended_rows import (
    MOST_WARNINGS,
    RepeatedNames,
    find_units,
    list_words_among_numbers,
    name_units,
    take_units_off,
)
from processing.processors.columns.padding import strip_padding
from processing.processors.columns.plate_grid import find_plates, list_words
from processing.processors.columns.preamble import add_pairs, find_moments, list_pairs
from processing.processors.columns.single_column import read_single_column
from processing.processors.columns.times import assume_zone
from processing.processors.columns.typed_columns import (
    Grid,
    build_grid,
    find_unclear_number,
    is_nameless,
    uses_decimal_comma,
)
from processing.processors.columns.well_lists import find_plates_in_list
from processing.processors.columns.workbook import WORKBOOK_EXTENSIONS, read_workbook
from processing.readings import (
    MAX_ARTEFACTS,
    MAX_VALUES_PER_FACT,
    MIB,
    Artefact,
    Dataset,
    Input,
    Json,
    Kind,
    Output,
    Unreadable,
)
from processing.text_encoding import decode_text

TIME_NAME = re.compile(r"\b(?:start|started|date|time|timestamp|measured|acquired|created)\b", re.IGNORECASE)
TITLE_MARGIN = '#%*;,"\t '
MIN_DOUBLED = 3  # empty lines, each behind one that is not
MAX_HELD_BYTES = 64 * MIB  # a larger text is gone through in blocks
UNCLEAR_COMMA = "Whether “{}” has decimals or thousands behind its comma, nothing tells: it was read as decimals."
NAMELESS = "No line names the columns of the table in line {:,}: it may be missing."
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
    curves: list[Artefact] | None = None  # None: to be found in the grid
    dataset: Dataset | None = None  # where the grid holds the first rows only
    warnings: list[str] = field(default_factory=list)

    @cached_property
    def long_table(self) -> LongTable | None:
        return None if self.plates or self.curves else find_long_table(list_long_columns(self.grid))


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
    datasets = [table for sheet in sheets for table in datasets_of(sheet, zone=given.time_zone)]
    return Output(facts.as_json(), file, started_at, artefacts, found.warnings, datasets)


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
    if given.path.stat().st_size > MAX_HELD_BYTES:
        return describe_large_text(read_large_text(given.path, title=given.filename))
    decoded = decode_text(given.path.read_bytes())
    found = read_text(given.filename, decoded.text)
    found.facts.add("format", "text")
    found.facts.add("encoding", decoded.encoding)
    return found


def describe_large_text(table: LargeTable | None) -> Found:
    """Raises NoTable."""
    if table is None:
        raise NoTable
    found = Found(
        [Sheet(table.title, table.grid, curves=table.curves, dataset=table.dataset)],
        list(table.pairs),
        warnings=table.warnings,
    )
    found.facts.add("format", "text")
    found.facts.add("encoding", table.encoding)
    return found


def read_text(title: str, text: str) -> Found:
    """Every table of a text; names and words around them become facts. Raises NoTable."""
    lines = undouble(text.split("\n"))
    plain: Sequence[str] = lines[1:] if SEPARATOR_LINE.fullmatch(lines[0]) else lines
    stripped = strip_padding(plain)
    rest = plain if stripped is plain or find_block(stripped) is None else stripped
    found = Found([])
    lists_of_pairs: list[Sheet] = []
    delimiter = DELIMITERS[0]
    while len(found.sheets) < MAX_ARTEFACTS and (block := find_block(rest)) is not None and (sample := block.sample()):
        delimiter = block.layout.delimiter
        sheet = sheet_of_block(block, sample)
        holds_pairs = is_list_of_pairs(sample)
        (lists_of_pairs if holds_pairs else found.sheets).append(sheet)
        around = rest[: block.end if holds_pairs else block.start_line]
        found.pairs += list_pairs(around[:SAMPLE_LINES], delimiter)
        rest = rest[max(1, block.end) :]
    if not found.sheets and (last := find_single_row(plain)) is not None and (sample := last.sample()):
        found.sheets = [sheet_of_block(last, sample)]
        found.pairs, rest = list(list_pairs(plain[: last.start_line], last.layout.delimiter)), []
    found.sheets = found.sheets or lists_of_pairs
    if not found.sheets and (single := read_single_column(plain)) is not None:
        found.sheets, rest = [Sheet("", single.grid, curves=[single.curve])], single.above
    if not found.sheets:
        raise NoTable
    found.pairs += list_pairs(rest[:SAMPLE_LINES], delimiter)
    if len(found.sheets) >= MAX_ARTEFACTS and any(line.strip() for line in rest):
        found.warnings = [f"The first {MAX_ARTEFACTS} tables of the text are read."]
    name_sheets(found.sheets, title)
    found.warnings += [warning for sheet in found.sheets for warning in sheet.warnings][:MOST_WARNINGS]
    return found


def undouble(lines: list[str]) -> list[str]:
    """Without the empty lines of a text that has one behind each other, as line ends written twice make them."""
    while lines and not lines[0].strip():
        lines = lines[1:]
    first, second = lines[::2], lines[1::2]
    is_doubled = len(second) >= MIN_DOUBLED and all(first[:-1]) and not any(line.strip() for line in second)
    return first if is_doubled else lines


def sheet_of_block(block: Block, sample: list[list[str]]) -> Sheet:
    delimiter = block.layout.delimiter
    decimal_comma = uses_decimal_comma(sample, delimiter=delimiter)
    header, groups, skipped = header_of(sample, decimal_comma=decimal_comma)
    repeated = RepeatedNames(sample[skipped - 1] if skipped else [])
    units = find_units([row for row in sample[skipped:] if row != repeated.names], header)
    rows = take_units_off(repeated.leave_out(islice(block.rows(), skipped, None)), units)
    grid = build_grid(name_units(header, units), rows, decimal_comma=decimal_comma, groups=groups, sample=sample)
    around = list(split_rows(block.lines[: min(block.end, SAMPLE_LINES)], delimiter))
    title = find_title(block.lines[: block.start_line], delimiter)
    sheet = Sheet(title, grid, find_plates(around, decimal_comma=decimal_comma))
    unclear = find_unclear_number(sample) if decimal_comma else ""
    words = list_words(sheet.plates) if sheet.plates else list_words_among_numbers(grid)
    sheet.warnings = [*repeated.list_warnings(), *words]
    if lacks_names(sample, decimal_comma=decimal_comma):
        sheet.warnings.append(NAMELESS.format(block.start_line + 1))
    if unclear:
        sheet.warnings.append(UNCLEAR_COMMA.format(unclear))
    return sheet


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


def artefacts_of(sheet: Sheet, *, suffix: str) -> list[Artefact]:
    found = sheet.curves if sheet.curves is not None else curves_of(sheet.grid, title=sheet.title, suffix=suffix)
    curves = [] if sheet.plates else found
    if curves:
        table = [build_table(sheet, suffix=suffix)] if sheet.curves is None and list_remarks(sheet.grid) else []
        return [*(replace(curve, datasets=()) for curve in curves), *table]  # the table itself is the dataset
    points = draw_long_table(sheet.long_table, title=sheet.title, suffix=suffix)
    listed = list(find_plates_in_list(sheet.grid)) if not sheet.plates else []
    if suffix:  # one of several tables, whose columns may be called alike
        listed = [replace(plate, title=f"{sheet.title}: {plate.title}") for plate in listed]
    plates = [*sheet.plates, *listed]
    drawn = [
        replace(plate, title=plate.title or sheet.title).artefact(f"plate{suffix}{f'-{n}' if n > 1 else ''}.json")
        for n, plate in enumerate(plates, start=1)
    ]
    if listed:
        drawn = [replace(plate, datasets=()) for plate in drawn]
    return [*points, *drawn, build_table(sheet, suffix=suffix)]


def datasets_of(sheet: Sheet, *, zone: tzinfo) -> list[Dataset]:
    """The table, whole; nothing where it is a bare grid of wells, which is a plate."""
    table = sheet.dataset
    if table is None and not sheet.plates:
        table = dataset_of_grid(sheet.grid, title=sheet.title, zone=zone, roles=roles_of(sheet.long_table))
    return [table] if table is not None else []


def build_table(sheet: Sheet, *, suffix: str) -> Artefact:
    columns = [Column(*split_name_and_unit(header)) for header in sheet.grid.header]
    table = Table(sheet.title, columns, sheet.grid.rows, sheet.grid.total_rows)
    return replace(table.artefact(f"table{suffix}.json"), datasets=())
