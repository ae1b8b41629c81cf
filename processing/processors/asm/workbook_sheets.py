"""What people do to a sheet: rows and columns before its table, titles above it, numbers stored as text."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

MOST_TITLES = 4  # rows above a table
POINT = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
COMMA = re.compile(r"[+-]?(?:0|[1-9]\d*),\d+(?:[eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
MORE = 10  # commas, for each point
MOST_DIGITS = 17  # of a number; longer ones are names
Rows = list[list[Any]]
Numbers = dict[tuple[int, int], int | float]  # by row and column, from 0


@dataclass(frozen=True)
class Margin:
    """Rows above and columns before a table, and the words among them."""

    rows: int = 0
    columns: int = 0
    title: str = ""

    def of(self, rows: Rows) -> Rows:
        """These, without it."""
        return [row[self.columns :] for row in rows[self.rows :]]

    def cut(self, sheet: Any) -> None:
        if self.rows:
            sheet.delete_rows(1, self.rows)
        if self.columns:
            sheet.delete_cols(1, self.columns)


def find_margin(rows: Rows) -> Margin:
    """What is empty, and up to four rows of one cell each with an empty row below them."""
    filled = [[place for place, cell in enumerate(row) if cell != ""] for row in rows]
    first = next((number for number, places in enumerate(filled) if places), 0)
    end = next((number for number in range(first, len(filled)) if not filled[number]), len(filled))
    titles = [rows[number][filled[number][0]] for number in range(first, end) if len(filled[number]) == 1]
    title = ""
    if len(titles) == end - first <= MOST_TITLES and all(isinstance(cell, str) and ":" not in cell for cell in titles):
        below = next((number for number in range(end, len(filled)) if filled[number]), None)
        if below is not None:
            first, title = below, " ".join(titles)
    columns = min((places[0] for places in filled[first:] if places), default=0)
    return Margin(first, columns, title)


def share_margin(margins: Sequence[Margin]) -> Margin:
    """What all sheets have: some programs leave rows empty themselves."""
    if not margins:
        return Margin()
    rows, columns = min(margin.rows for margin in margins), min(margin.columns for margin in margins)
    return Margin(rows, columns, next((margin.title for margin in margins if margin.rows == rows), ""))


def has_decimal_commas(sheets: Iterable[Rows]) -> bool:
    """Whether texts have commas where no thousands end, and hardly any of all sheets has a decimal point."""
    texts = [text for rows in sheets for text in list_texts(rows).values()]
    commas = [text for text in texts if COMMA.fullmatch(text)]
    points = sum("." in text and POINT.fullmatch(text) is not None for text in texts)
    return len(commas) >= MORE * points and not all(map(THOUSANDS.fullmatch, commas))


def find_stored_numbers(rows: Rows, *, with_commas: bool) -> Numbers:
    """Cells of text that are numbers. Those with points are versions, or of settings, where numbers have commas."""
    texts = list_texts(rows)
    if with_commas:
        texts = {place: text.replace(",", ".") for place, text in texts.items() if "." not in text}
    return {place: read_number(text) for place, text in texts.items() if POINT.fullmatch(text)}


def list_texts(rows: Rows) -> dict[tuple[int, int], str]:
    """Those that are short enough for a number."""
    return {
        (number, place): cell.strip()
        for number, row in enumerate(rows)
        for place, cell in enumerate(row)
        if isinstance(cell, str) and cell and len(cell) <= MOST_DIGITS + 8
    }


def read_number(text: str) -> int | float:
    return int(text) if text.lstrip("+-").isdigit() else float(text)
