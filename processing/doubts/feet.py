"""Whether the last line of a text is half a row of the table above it, or a foot: a date, a page, a remark."""

import re
from collections.abc import Sequence

from processing.doubts.widths import is_number

LONGER = 2  # times as long as the names above; feet are longer
HALF_A_NUMBER = re.compile(r"[<>]?[+-]?[\d.,]*(?:[eE][+-]?\d*)?")


def begins_like(cells: Sequence[str], above: Sequence[Sequence[str]]) -> bool:
    """Whether these may be the first cells of a row like those above, the last one a part of its own: it is no foot."""
    columns = list(zip(*above, strict=False))[: len(cells)]
    are_numbers = [all(map(is_number, column)) for column in columns]
    pairs = list(zip(cells, are_numbers, strict=False))
    if any(is_counted and not is_number(cell) for cell, is_counted in pairs[:-1]):
        return False
    if len(cells) > 1 and not is_name(cells[0], columns[0]):
        return False
    if pairs and pairs[-1][1]:
        return is_half_a_number(pairs[-1][0])
    return len(cells) > 1 or is_half_a_name(cells[0], columns[0])


def is_half_a_number(cell: str) -> bool:
    """Or a whole one, or nothing; a dash alone says that there is none."""
    return HALF_A_NUMBER.fullmatch(cell) is not None and cell != "-"


def is_name(cell: str, names: Sequence[str]) -> bool:
    """Like these: with a number where all of them have one."""
    are_numbered = all(any(map(str.isdigit, name)) for name in names)
    return is_half_a_name(cell, names) and (not are_numbered or any(map(str.isdigit, cell)))


def is_half_a_name(cell: str, names: Sequence[str]) -> bool:
    """It is hardly longer than these, and has no other kinds of characters."""
    kinds = {kind_of_character(character) for name in names for character in name}
    is_alike = {kind_of_character(character) for character in cell} <= kinds
    return is_alike and any(map(str.isalnum, cell)) and len(cell) <= LONGER * max(map(len, names))


def kind_of_character(character: str) -> str:
    return "0" if character.isdigit() else "a" if character.isalpha() else character
