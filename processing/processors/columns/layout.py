"""Where the table of a text begins and what separates its cells."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

DELIMITERS = (",", ";", "\t")
BLANKS = " "  # runs of blanks, tried last
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[EeDd][+-]?\d+)?")
SAMPLE_LINES = 2000
STEADY_ROWS = 5
LEAST_ROWS = 2  # of a file that is shorter
MOST_FIELD_CHARACTERS = 1_000_000

csv.field_size_limit(MOST_FIELD_CHARACTERS)


@dataclass(frozen=True)
class Layout:
    delimiter: str
    width: int
    start: int  # the first row of the table, which may hold names


def find_layout(lines: Sequence[str]) -> Layout | None:
    """The delimiter by which most rows fall into one width, from the first five rows of that width on."""
    sample = lines[:SAMPLE_LINES]
    found = [layout for delimiter in DELIMITERS if (layout := layout_by(sample, delimiter))]
    if not found:
        blank = layout_by(sample, BLANKS)
        found = [blank] if blank and holds_numbers_only(sample, blank) else []
    return max(found, key=lambda found: rows_of_width(sample, found), default=None)


def layout_by(sample: Sequence[str], delimiter: str) -> Layout | None:
    widths = [len(row) for row in split(sample, delimiter)]
    steady = min(STEADY_ROWS, sum(width > 0 for width in widths))
    usual = Counter(width for width in widths if width > 1).most_common()
    if steady < LEAST_ROWS:
        return None
    for start in range(len(widths) - steady + 1):
        width = widths[start]
        following = [wide for wide in widths[start : start + steady + 2] if wide][:steady]
        if width > 1 and width in dict(usual) and following == [width] * steady:
            return Layout(delimiter, width, start)
    return None


def holds_numbers_only(sample: Sequence[str], layout: Layout) -> bool:
    """Words with blanks between them are prose; only numbers are columns. The first row may be names."""
    rows = islice(split(sample, layout.delimiter), layout.start + 1, layout.start + STEADY_ROWS)
    return all(NUMBER.fullmatch(cell.replace(",", ".")) for row in rows for cell in row)


def rows_of_width(sample: Sequence[str], layout: Layout) -> tuple[int, int]:
    rows = islice(split(sample, layout.delimiter), layout.start, None)
    return sum(len(row) == layout.width for row in rows), layout.width


def split(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Rows of cells; an empty line is an empty row. A delimiter at the end of every line adds no column."""
    if delimiter == BLANKS:
        return (line.split() for line in lines)
    return (trimmed(row) for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True))


def trimmed(row: list[str]) -> list[str]:
    cells = [cell.strip() for cell in row]
    return [] if not any(cells) else cells


UNIT = re.compile(r"(?P<name>.*?\S)\s*(?:\((?P<round>[^()]{1,20})\)|\[(?P<square>[^\[\]]{1,20})\])\s*$")


def name_and_unit(header: str) -> tuple[str, str | None]:
    """Time (s) and Absorbance [AU] carry their unit; anything else is all name."""
    found = UNIT.match(header)
    if found is None:
        return header.strip(), None
    return found["name"].strip(), (found["round"] or found["square"]).strip()
