"""Tables of texts too large to be held: gone through once in blocks; of each curve the points that stand out remain."""

import codecs
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from processing.formats.curve import Axis, Curve, Series
from processing.formats.numbers import simplify_number
from processing.formats.table import Cell
from processing.processors.columns.blocks import Block, find_block
from processing.processors.columns.curves import COUNTER_NAMES
from processing.processors.columns.headers import header_of
from processing.processors.columns.large_datasets import dataset_of_large_text
from processing.processors.columns.large_rows import LargeRows, Plan, read_rows
from processing.processors.columns.layout import (
    BLANK_DELIMITER,
    SAMPLE_LINES,
    split_name_and_unit,
    split_numbered_rows,
)
from processing.processors.columns.preamble import list_pairs
from processing.processors.columns.times import choose_unit
from processing.processors.columns.typed_columns import Content, Grid, build_grid, uses_decimal_comma
from processing.readings import MIB, Artefact, Dataset, Unreadable, Unrecognised
from processing.text_encoding import FALLBACK_ENCODING, detect_marked_encoding, looks_like_text

HEAD_BYTES = 2 * MIB  # in which the table begins
ONE_TABLE = "The text is large: its first table is read, and nothing behind it."


@dataclass(frozen=True)
class LargeTable:
    """What is known of it after one pass. `curves` may be empty."""

    title: str
    encoding: str
    grid: Grid
    curves: list[Artefact]
    pairs: Sequence[tuple[str, str]]
    warnings: list[str]
    dataset: Dataset | None = None


def read_large_text(path: Path, *, title: str) -> LargeTable | None:
    """The first table of a text. None: there is none. Unrecognised: its columns cannot be read in blocks."""
    encoding = find_encoding(path)
    lines = read_head(path, encoding=encoding)
    block = find_block(lines)
    if block is None:
        return None
    if block.layout.delimiter == BLANK_DELIMITER:
        raise Unrecognised("It is kept, and not read: columns apart by blanks are read in smaller files only.")
    sample = block.sample()
    delimiter = block.layout.delimiter
    decimal_comma = delimiter != "," and uses_decimal_comma(sample, delimiter=delimiter)
    header, groups, skipped = header_of(sample, decimal_comma=decimal_comma)
    grid = build_grid(header, sample[skipped:], decimal_comma=decimal_comma, groups=groups, sample=sample)
    plan = Plan(
        encoding=encoding,
        delimiter=delimiter,
        width=block.layout.width,
        first_line=find_first_line(block, skipped=skipped),
        decimal_comma=decimal_comma,
        is_quoted=any('"' in line for line in lines),
    )
    rows = read_rows(path, plan, build_grid(header, sample[skipped:], decimal_comma=decimal_comma, sample=sample))
    above = list_pairs(lines[: min(block.start_line, SAMPLE_LINES)], delimiter)
    curves = draw_rows(grid, rows, title)
    numeric = frozenset(rows.kept)
    dataset = dataset_of_large_text(path, plan, header, numeric, title=title, has_axis=bool(curves))
    return LargeTable(title, encoding, describe_rows(grid, rows), curves, list(above), list_doubts(grid, rows), dataset)


def find_encoding(path: Path) -> str:
    """As text_encoding.decode_text decides, in blocks. Unreadable: it is no text."""
    is_utf8 = True
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        block = file.read(HEAD_BYTES)
        if marked := detect_marked_encoding(block):
            return marked
        while block:
            if not looks_like_text(block):
                raise Unreadable("This is not text.")
            is_utf8 = is_utf8 and decodes(decoder, block)
            block = file.read(HEAD_BYTES)
    return "utf-8" if is_utf8 else FALLBACK_ENCODING


def decodes(decoder: codecs.IncrementalDecoder, block: bytes) -> bool:
    try:
        decoder.decode(block)
    except UnicodeDecodeError:
        return False
    return True


def read_head(path: Path, *, encoding: str) -> list[str]:
    """The first whole lines."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    text = codecs.getincrementaldecoder(encoding)("replace").decode(head)
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[:-1]


def find_first_line(block: Block, *, skipped: int) -> int:
    """The line at which the rows of numbers begin, behind `skipped` rows of names."""
    if not skipped:
        return block.start_line
    numbered = islice(split_numbered_rows(block.lines, block.layout.delimiter), block.layout.start, None)
    ends = [end for end, row in islice(numbered, SAMPLE_LINES) if row]
    return ends[skipped - 1]


def describe_rows(grid: Grid, rows: LargeRows) -> Grid:
    """The grid of the first rows, with what is known of all of them."""
    first = grid.columns[0]
    first.moments = [*first.moments[:1], *rows.axis.last_moment]
    shown: list[list[Cell]] = [
        [simplify_number(cell) if isinstance(cell, float) else cell for cell in row] for row in rows.first_rows
    ]
    return replace(grid, rows=shown, total_rows=rows.total)


def draw_rows(grid: Grid, rows: LargeRows, title: str) -> list[Artefact]:
    """Every column of numbers against the first, as curves_of decides for smaller tables."""
    name, unit = split_name_and_unit(grid.header[0])
    others = range(1, len(grid.columns))
    is_drawn = rows.axis.runs_steadily and all(place in rows.kept for place in others)
    if not is_drawn or not others or name.lower() in COUNTER_NAMES:
        return []
    scale = 1.0
    start = 0.0
    if grid.columns[0].content is not Content.NUMBERS:
        start = rows.axis.first or 0.0 if grid.columns[0].content is Content.MOMENTS else 0.0
        unit, scale = choose_unit(abs((rows.axis.last or 0.0) - start))
        name = "Elapsed time" if grid.columns[0].content is Content.MOMENTS else name
    x = Axis(name, unit)
    by_unit: dict[str | None, list[tuple[str, int]]] = {}
    for place in others:
        label, y_unit = split_name_and_unit(grid.header[place])
        by_unit.setdefault(y_unit, []).append((label, place))
    made = []
    for number, (y_unit, found) in enumerate(by_unit.items(), start=1):
        labels = {label for label, _ in found}
        y = Axis(labels.pop() if len(labels) == 1 else "Value", y_unit)
        series = [
            Series(label, (rows.kept[place].x - start) / scale, rows.kept[place].y, total=rows.total)
            for label, place in found
        ]
        made.append(Curve(title, x, y, series).artefact(f"curves{'' if number == 1 else f'-{number}'}.json"))
    return made


def list_doubts(grid: Grid, rows: LargeRows) -> list[str]:
    doubts = [ONE_TABLE]
    if rows.left_out:
        doubts.append(f"{rows.left_out:,} rows have another number of cells, and are left out.")
    doubts += [
        f"{grid.header[place]} holds words among its numbers, and is not drawn." for place in sorted(rows.demoted)
    ]
    return doubts
