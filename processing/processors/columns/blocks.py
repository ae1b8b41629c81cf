"""The tables of a text, one after the other, and the lines between them that belong to none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from processing.formats.table import Cell
from processing.processors.columns.layout import (
    DELIMITERS,
    SAMPLE_LINES,
    Layout,
    find_layout,
    find_short_layout,
    split_numbered_rows,
    split_rows,
)
from processing.processors.columns.times import moment_of, seconds_of
from processing.processors.columns.typed_columns import has_any_number, holds_numbers, number_of

MIN_PREAMBLE_ROWS = 2
MIN_DATA_ROWS = 3
MIN_TABLE_CELLS = 3
MIN_SINGLE_CELLS = 2  # of a row behind an empty line


@dataclass
class Block:
    """A table of a text. Its rows are gone through once; then `end` says at which line the table ended."""

    lines: Sequence[str]  # from where the block before ended
    layout: Layout
    end: int = 0
    start_line: int = 0

    def sample(self) -> list[list[str]]:
        """The first rows, to find names and dialect by."""
        return list(islice(self.rows(limit=SAMPLE_LINES), SAMPLE_LINES))

    def rows(self, *, limit: int | None = None) -> Iterator[list[str]]:
        """Up to a line that is wider or much narrower: what follows is a foot or another table.

        So is a row without a number behind an empty line, if numbers stand above or right below it.
        """
        numbered = split_numbered_rows(self.lines[:limit], self.layout.delimiter)
        found = [*islice(numbered, self.layout.start)]
        self.start_line = self.end = found[-1][0] if found else 0
        count = 0
        was_empty = had_numbers = False
        following = next(numbered, None)
        while following is not None:
            (end, row), following = following, next(numbered, None)
            if not row:
                was_empty = True
                continue
            if len(row) > self.layout.width or len(row) < max(2, self.layout.width - 1):
                return
            has_numbers = is_numeric(row)
            starts_anew = had_numbers or (count >= MIN_PREAMBLE_ROWS and following and is_numeric(following[1]))
            if was_empty and not has_numbers and starts_anew:
                return
            count, self.end = count + 1, end
            had_numbers, was_empty = had_numbers or has_numbers, False
            yield row
        self.end = len(self.lines) if limit is None else self.end


def find_block(lines: Sequence[str]) -> Block | None:
    """The next table among these lines, without the pairs of names and words that run on into it."""
    layout = find_layout(lines)
    if layout is None:
        return None
    above = list(islice(split_numbered_rows(lines, layout.delimiter), layout.start))
    earlier = find_short_layout(lines[: above[-1][0]], min_width=MIN_TABLE_CELLS) if above else None
    return Block(lines, skip_pairs(lines, earlier or layout))


def find_single_row(lines: Sequence[str]) -> Block | None:
    """A table of one or two rows at the end of a text: names, and below them what was measured."""
    for delimiter in DELIMITERS:
        rows = [(place, row) for place, row in enumerate(split_rows(lines[:SAMPLE_LINES], delimiter)) if row]
        while rows and is_numeric(rows[-1][1]) and len(rows) > 1 and len(rows[-2][1]) == len(rows[-1][1]):
            (start, names), (_, row) = rows[-2:]
            above = rows[-3] if len(rows) > MIN_PREAMBLE_ROWS else (start, [])
            least = MIN_SINGLE_CELLS if above[0] < start - 1 else MIN_TABLE_CELLS  # apart, or not
            if all(names) and not is_numeric(names) and len(row) >= least:
                return Block(lines, Layout(delimiter, len(row), start))
            rows.pop()
    return None


def skip_pairs(lines: Sequence[str], layout: Layout) -> Layout:
    """The layout from the names of the columns on, where rows of two cells stand above them, filled up or not."""
    numbered = enumerate(split_numbered_rows(lines[:SAMPLE_LINES], layout.delimiter))
    rows = [(place, row) for place, (_, row) in numbered if place >= layout.start and row]
    data = next((n for n in range(len(rows) - 1) if all(is_data(row) for _, row in rows[n : n + MIN_DATA_ROWS])), None)
    if data is None or data <= MIN_PREAMBLE_ROWS:
        return layout
    above = [row for _, row in rows[:data]]
    pairs = next((n for n, row in enumerate(above) if not is_pair(row) or n == data - 1), 0)
    if pairs < MIN_PREAMBLE_ROWS or has_any_number(above[-1], decimal_comma=True):
        return layout
    start, names = rows[pairs if names_columns(above[pairs]) else data]
    return replace(layout, start=start, width=max(layout.width, len(names)))


def is_data(row: Sequence[Cell]) -> bool:
    """Whether it begins with a number or a time."""
    first = row[0]
    if not isinstance(first, str) or not first:
        return False
    return (
        number_of(first, decimal_comma=True) is not None
        or seconds_of(first) is not None
        or moment_of(first) is not None
    )


def is_pair(row: Sequence[Cell]) -> bool:
    """A name and what is said of it, perhaps filled up with empty cells."""
    return bool(row[0]) and sum(cell not in (None, "") for cell in row) < MIN_TABLE_CELLS


def names_columns(row: Sequence[Cell]) -> bool:
    """No word alone ("XYDATA"), and no fact that says itself that it is one ("#Laser=", "532.1")."""
    return sum(cell not in (None, "") for cell in row) > 1 and not str(row[0]).rstrip().endswith(("=", ":"))


def is_numeric(row: Sequence[Cell]) -> bool:
    return has_any_number(row, decimal_comma=True) or has_any_number(row, decimal_comma=False)


def is_list_of_pairs(rows: Sequence[Sequence[Cell]]) -> bool:
    """A preamble that looks like a table: two columns, of which the second holds now a number, now words."""
    if not rows or any(len(row) != 2 for row in rows):
        return False
    numbers = sum(holds_numbers(row[1:], decimal_comma=False) for row in rows[1:])
    return not any(is_data(row) for row in rows) and 2 * numbers < len(rows)
