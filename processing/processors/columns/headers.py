"""The names of a table's columns, which may take no row, one, or two."""

from itertools import pairwise

from processing.formats.table import Cell
from processing.processors.columns.typed_columns import CENSORED_NUMBER, has_any_number, holds_numbers, number_of

LEAST_ROWS, LEAST_WORDS, LEAST_NUMBERS = 3, 2, 3  # rows that are looked at; columns of each kind


def header_of(rows: list[list[str]], *, decimal_comma: bool) -> tuple[list[str], list[str], int]:
    """Names of the columns, what stands above them, and how many rows they take: two, with groups or units, or none."""
    width = max(len(row) for row in rows)
    if holds_numbers(rows[0], decimal_comma=decimal_comma):
        return [f"Column {number}" for number in range(1, width + 1)], [], 0
    first = [*strip_comment_mark(rows[0]), *[""] * (width - len(rows[0]))]
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


def strip_comment_mark(names: list[str]) -> list[str]:
    """ "# Wave", "# Intensity" as Wave and Intensity: programs mark the line of names, or each of them."""
    return [name.removeprefix("#").lstrip() for name in names] if names[0].startswith("#") else names


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


def lacks_names(rows: list[list[str]], *, decimal_comma: bool) -> bool:
    """Whether a table of words and numbers begins with a row like all others. Numbers that only rise may be names."""
    first = rows[:LEAST_ROWS]
    columns = [column for column in zip(*first, strict=False) if all(column)]
    words = sum(all(cell[:1].isalpha() for cell in column) for column in columns)
    numbers = [[number_of(cell, decimal_comma=decimal_comma) for cell in column] for column in columns]
    named = [column[0] for column in numbers if None not in column]
    rises = all(one is not None and other is not None and one < other for one, other in pairwise(named))
    return len(first) == LEAST_ROWS and words >= LEAST_WORDS and len(named) >= LEAST_NUMBERS and not rises
