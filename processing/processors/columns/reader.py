"""Columns of text and workbooks: a curve where the first column runs steadily through numbers, a plate, a table."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from processing.facts import Facts, cleaned
from processing.formats.curve import Axis, Curve, Series
from processing.formats.table import Column, Table
from processing.processors.columns.layout import SAMPLE_LINES, Layout, find_layout, name_and_unit, split
from processing.processors.columns.plate_grid import plate_in
from processing.processors.columns.typed import Grid, TypedColumn, build_grid, number_of, uses_decimal_comma
from processing.processors.columns.workbook import WORKBOOK_EXTENSIONS, read_workbook
from processing.readings import MOST_VALUES, Artefact, Input, Json, Kind, Output, Unreadable
from processing.text import decode

COUNTERS = {"", "#", "no", "no.", "nr", "nr.", "number", "index", "id", "row", "sample", "well", "position"}


class NoTable(Unreadable):
    def __init__(self) -> None:
        super().__init__("No table was found: no five rows have the same number of columns.")


def read(given: Input) -> Output:
    grids, facts = grids_of(given)
    artefacts: list[Artefact] = []
    names = list(dict.fromkeys(cleaned(name) for _, grid in grids for name in grid.header if is_name(name)))
    for title, grid in grids:
        suffix = "" if len(grids) == 1 else f"-{len(artefacts) + 1}"
        artefacts += artefacts_of(grid, title=title, suffix=suffix)
        facts.add("rows", grid.total_rows)
        facts.add("columns", len(grid.header))
    facts.add("curve_count", sum(artefact.kind is Kind.CURVE for artefact in artefacts))
    file: dict[str, Json] = {"column_names": names[:MOST_VALUES]} if names else {}
    return Output(run=facts.as_json(), file=file, artefacts=artefacts)


def is_name(header: str) -> bool:
    """Not one that was made up for a column without."""
    return bool(header) and not header.startswith("Column ")


def grids_of(given: Input) -> tuple[list[tuple[str, Grid]], Facts]:
    facts = Facts()
    if given.path.suffix[1:].lower() in WORKBOOK_EXTENSIONS:
        facts.add("format", "workbook")
        grids = read_workbook(given.path)
        facts.add_all("sheet", [title for title, _ in grids])
        return grids, facts
    decoded = decode(given.path.read_bytes())
    facts.add("format", "text")
    facts.add("encoding", decoded.encoding)
    return [(given.filename, grid_of_text(decoded.text))], facts


def grid_of_text(text: str) -> Grid:
    lines = text.split("\n")
    layout = find_layout(lines)
    if layout is None:
        raise NoTable
    sample = list(islice(rows_of(lines, layout), SAMPLE_LINES))
    decimal_comma = layout.delimiter != "," and uses_decimal_comma(sample)
    header, skipped = header_of(sample, decimal_comma=decimal_comma)
    grid = build_grid(header, islice(rows_of(lines, layout), skipped, None), decimal_comma=decimal_comma)
    grid.plate = plate_in(sample, decimal_comma=decimal_comma)
    return grid


def rows_of(lines: list[str], layout: Layout) -> Iterator[list[str]]:
    """The rows of the table, up to a line that is wider or much narrower: what follows is a foot or another table."""
    for row in islice(split(lines, layout.delimiter), layout.start, None):
        if not row:
            continue
        if len(row) > layout.width or len(row) < max(2, layout.width - 1):
            return
        yield row


def header_of(rows: list[list[str]], *, decimal_comma: bool) -> tuple[list[str], int]:
    """Names of the columns and how many rows they take: one, two with units below, or none."""
    width = max(len(row) for row in rows)
    if holds_numbers(rows[0], decimal_comma=decimal_comma):
        return [f"Column {number}" for number in range(1, width + 1)], 0
    names = [*rows[0], *[""] * (width - len(rows[0]))]
    if (
        len(rows) > 2
        and not any_numbers(rows[1], decimal_comma)
        and holds_numbers(rows[2], decimal_comma=decimal_comma)
    ):
        units = [*rows[1], *[""] * (width - len(rows[1]))]
        return [f"{name} ({unit})" if unit else name for name, unit in zip(names, units, strict=True)], 2
    return names, 1


def holds_numbers(row: list[str], *, decimal_comma: bool) -> bool:
    """Most cells that say anything are numbers."""
    numbers = [number_of(cell, decimal_comma=decimal_comma) for cell in row if cell]
    known = [number for number in numbers if number is not None and number == number]
    return bool(numbers) and 2 * len(known) > len(numbers)


def any_numbers(row: list[str], decimal_comma: bool) -> bool:
    return any(
        (number := number_of(cell, decimal_comma=decimal_comma)) is not None and number == number for cell in row
    )


def artefacts_of(grid: Grid, *, title: str, suffix: str) -> list[Artefact]:
    if is_curve(grid):
        return curves(grid, title=title, suffix=suffix)
    plates = [replace(grid.plate, title=title).artefact(f"plate{suffix}.json")] if grid.plate else []
    return [*plates, table(grid, title=title, suffix=suffix)]


def is_curve(grid: Grid) -> bool:
    first, *others = grid.columns
    name, _ = name_and_unit(grid.header[0])
    is_measured = name.lower() not in COUNTERS
    all_numeric = bool(others) and all(column.holds_numbers for column in grid.columns)
    return all_numeric and is_measured and not first.missing and first.is_strictly_monotonic


def curves(grid: Grid, *, title: str, suffix: str) -> list[Artefact]:
    """One for each unit of the ordinates."""
    x_name, x_unit = name_and_unit(grid.header[0])
    by_unit: dict[str | None, list[tuple[str, TypedColumn]]] = {}
    for header, column in zip(grid.header[1:], grid.columns[1:], strict=True):
        name, unit = name_and_unit(header)
        by_unit.setdefault(unit, []).append((name, column))
    made = []
    for place, (unit, named) in enumerate(by_unit.items(), start=1):
        label = named[0][0] if len(named) == 1 else "Value"
        series = [Series(name, grid.columns[0].numbers, column.numbers) for name, column in named]
        more = "" if place == 1 else f"-{place}"
        curve = Curve(title, Axis(x_name, x_unit), Axis(label, unit), series)
        made.append(curve.artefact(f"curves{suffix}{more}.json"))
    return made


def table(grid: Grid, *, title: str, suffix: str) -> Artefact:
    columns = [Column(*name_and_unit(header)) for header in grid.header]
    return Table(title, columns, grid.rows, grid.total_rows).artefact(f"table{suffix}.json")
