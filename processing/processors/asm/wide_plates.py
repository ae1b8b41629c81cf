"""Plates of 1,536 wells, whose rows go on with AA behind Z: allotropy's ImmunoSpot parser ends a plate at Z."""

from collections.abc import Iterator
from contextlib import contextmanager

from allotropy.parsers.ctl_immunospot import ctl_immunospot_reader

LETTERS = 26


@contextmanager
def rows_beyond_z() -> Iterator[None]:
    """While this is open, that parser, which counts on from one letter to the next, counts rows of plates."""
    counting = vars(ctl_immunospot_reader)
    counting |= {"ord": count_row, "chr": name_row}
    try:
        yield
    finally:
        del counting["ord"], counting["chr"]


def count_row(letters: str) -> int:
    """A is 0, AA is 26."""
    row = 0
    for letter in letters:
        row = row * LETTERS + ord(letter) - ord("A") + 1
    return row - 1


def name_row(row: int) -> str:
    before, last = divmod(row, LETTERS)
    return (name_row(before - 1) if before else "") + chr(ord("A") + last)
