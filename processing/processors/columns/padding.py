"""Texts whose lines a spreadsheet filled up with empty cells, so that titles and empty lines look like rows."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

from processing.processors.columns.layout import DELIMITERS

MOST_LINES = 100_000  # of a text; a longer one is a table, and left as it is
QUOTED = re.compile(r'"[^"]*"')


def strip_padding(lines: Sequence[str]) -> Sequence[str]:
    """Each part between empty lines without the cells that are empty in all of its lines, and its titles alone.

    The lines as they are where they have not all as many cells, or none of them is empty.
    """
    delimiter = find_padding(lines) if len(lines) <= MOST_LINES else ""
    return [line for part in split_parts(lines, delimiter) for line in part] if delimiter else lines


def find_padding(lines: Sequence[str]) -> str:
    """The delimiter of which all lines have as many, and empty lines and titles nothing else."""
    held = [line for line in lines if line.strip()]
    for delimiter in DELIMITERS:
        count = held[0].count(delimiter) if held else 0
        is_padded = count and any(not line.strip(delimiter) for line in held)
        if is_padded and all(QUOTED.sub("", line).count(delimiter) == count for line in held):
            return delimiter if any(is_title(line, delimiter) for line in held) else ""
    return ""


def is_title(line: str, delimiter: str) -> bool:
    """Whether only the first cell holds anything."""
    plain = line.rstrip(delimiter)
    return bool(plain) and delimiter not in QUOTED.sub("", plain)


def split_parts(lines: Sequence[str], delimiter: str) -> Iterator[Sequence[str]]:
    for is_empty, run in groupby(lines, key=lambda line: not line.strip(f"{delimiter} ")):
        part = list(run)
        if is_empty:
            yield [""] * len(part)
            continue
        titles = list(takewhile(lambda line: is_title(line, delimiter), part))
        rows = part[len(titles) :]
        spare = min((len(row) - len(row.rstrip(delimiter)) for row in rows), default=0)
        yield [*(title.rstrip(delimiter) for title in titles), *(row[: len(row) - spare] for row in rows)]
