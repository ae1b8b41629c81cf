"""What the data tables of a block say: traces of evenly spaced points, of pairs, and of peaks."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from processing.processors.jcamp.numbers import NumberForm, Ordinates, tokenize_line
from processing.processors.jcamp.records import Block, DataTable, parse_list, parse_number
from processing.readings import Unreadable

EVENLY_SPACED_FORM = re.compile(r"\(\s*(\w+)\s*\+\+\s*\(\s*(\w+)\s*\.\.\s*\2\s*\)\s*\)?")
GROUPED_FORM = re.compile(r"\(\s*([A-Z]+)\s*(?:\.\.\s*\1\s*)?\)", re.IGNORECASE)
TUPLE = re.compile(r"\(([^()]*)\)")
THERMAL = re.compile(r"\b(TGA?|DSC|DTA|STA)\b|THERMO|CALORIMETR", re.IGNORECASE)
MIN_EVEN_POINTS, EVENNESS = 200, 0.05  # a share of the usual distance
JOINED = "One of its lines has as many numbers as two others: two lines may have become one."
MOVED = "The beginnings of its lines are out of order in one place: lines may have changed places."
BARE = "A number has a point and nothing behind it, and no others do: the file may be damaged."
BARE_POINT, DECIMAL = re.compile(r"\d\.(?![\dEe])"), re.compile(r"\d\.\d")
LEAST_DECIMALS = 20
LEAST_LINES, MOST_BACK = 6, 3  # lines of a table; of them such as begin before the one above
PEAK_LABELS = {"PEAKTABLE", "PEAKASSIGNMENTS"}


@dataclass(frozen=True)
class Quantity:
    """A variable of a table: its symbol, what it is called, and how its numbers become values."""

    symbol: str
    name: str | None
    units: str | None
    factor: float
    first: float | None = None
    last: float | None = None
    count: int | None = None


@dataclass(frozen=True)
class Trace:
    title: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    x_quantity: Quantity
    y_quantity: Quantity
    page: str | None
    are_peaks: bool
    warning: str = ""


def traces_of(block: Block) -> list[Trace]:
    return [trace for table in block.tables if (trace := trace_of(block, table)) is not None]


def trace_of(block: Block, table: DataTable) -> Trace | None:
    """The points of one table; None for a form that holds no numbers (assignments without any)."""
    evenly = EVENLY_SPACED_FORM.search(table.form)
    groups = GROUPED_FORM.search(table.form)
    if evenly:
        x_quantity, y_quantity = (quantity_of(block, table, symbol) for symbol in evenly.groups())
        ordinates = ordinates_of(table)
        expected = count_expected_points(block, table, x_quantity, y_quantity)
        warning = check_count(len(ordinates.values), expected, is_complete=block.has_end)
        has_all = not warning
        warning = warning or (JOINED if ordinates.has_joined_line else "")
        warning = warning or (MOVED if goes_back(ordinates.starts) else "")
        y = np.array(ordinates.values) * y_quantity.factor
        x = abscissae_of(block, table, x_quantity, ordinates=ordinates, has_all=has_all)
    elif groups and len(groups[1]) >= 2:
        x_quantity, y_quantity = (quantity_of(block, table, symbol) for symbol in groups[1][:2].upper())
        pairs = pairs_of(table, width=len(groups[1]))
        expected = count_expected_points(block, table, x_quantity, y_quantity)
        warning = check_count(len(pairs), expected, is_complete=block.has_end)
        warning = warning or (BARE if has_bare_point(table) else "")
        x, y = pairs[:, 0] * x_quantity.factor, pairs[:, 1] * y_quantity.factor
    else:
        raise Unreadable(f"The data have a form that is not known: {table.form or 'none is given'}.")
    if not len(x):
        return None
    are_peaks = table.label in PEAK_LABELS or "PEAK" in table.form.upper()
    are_peaks = are_peaks and not is_continuous(block, x, x_quantity)
    return Trace(block.text("TITLE") or "", x, y, x_quantity, y_quantity, table.page, are_peaks, warning)


def goes_back(starts: list[tuple[int, float]]) -> bool:
    """Whether all lines but a few begin further along the axis than the one before."""
    steps = np.diff([start for _, start in starts])
    back = int((np.sign(steps) == -np.sign(np.median(steps))).sum()) if len(steps) >= LEAST_LINES else 0
    return 0 < back <= MOST_BACK


def has_bare_point(table: DataTable) -> bool:
    """One number that has no decimals behind its point, where many others have."""
    text = "\n".join(table.lines)
    return len(BARE_POINT.findall(text)) == 1 and len(DECIMAL.findall(text)) >= LEAST_DECIMALS


def is_continuous(block: Block, x: NDArray[np.float64], quantity: Quantity) -> bool:
    """Whether what is called peaks is a measurement from point to point: by its kind, or many points evenly apart."""
    if THERMAL.search(block.text("DATATYPE") or ""):
        return True
    if len(x) < MIN_EVEN_POINTS or (quantity.units or "").upper() == "M/Z":
        return False
    steps = np.diff(x)
    return bool(np.all(np.abs(steps - np.median(steps)) <= EVENNESS * abs(np.median(steps))))


def quantity_of(block: Block, table: DataTable, symbol: str) -> Quantity:
    """From the lists of NTUPLES where they name the symbol, else from records such as FIRSTX and YUNITS."""
    symbols = [name.upper() for name in parse_list(block.records.get("SYMBOL"))]
    records = block.records | table.page_records
    if symbol.upper() in symbols:
        place = symbols.index(symbol.upper())
        at = {
            label: parts[place] if place < len(parts := parse_list(records.get(label))) else ""
            for label in ("VARNAME", "UNITS", "FACTOR", "FIRST", "LAST", "VARDIM")
        }
    else:
        at = {
            "VARNAME": records.get(f"{symbol}LABEL", ""),
            "UNITS": records.get(f"{symbol}UNITS", ""),
            "FACTOR": records.get(f"{symbol}FACTOR", ""),
            "FIRST": records.get(f"FIRST{symbol}", ""),
            "LAST": records.get(f"LAST{symbol}", ""),
            "VARDIM": "",
        }
    factor, count = parse_number(at["FACTOR"]), parse_number(at["VARDIM"])
    return Quantity(
        symbol.upper(),
        at["VARNAME"] or None,
        at["UNITS"] or None,
        1.0 if factor is None else factor,
        parse_number(at["FIRST"]),
        parse_number(at["LAST"]),
        None if count is None else int(count),
    )


def count_expected_points(block: Block, table: DataTable, x: Quantity, y: Quantity) -> int | None:
    """How many points the header announces: the page's number first, then the variable's, then the block's."""
    announced = parse_number(table.page_records.get("NPOINTS"))
    if announced is None:
        announced = y.count or x.count or (block.number("NPOINTS") if table.page is None else None)
    return None if announced is None else int(announced)


def ordinates_of(table: DataTable) -> Ordinates:
    ordinates = Ordinates()
    for line in table.lines:
        ordinates.add_line(line)
    return ordinates


def abscissae_of(
    block: Block, table: DataTable, quantity: Quantity, *, ordinates: Ordinates, has_all: bool
) -> NDArray[np.float64]:
    """From the first and the last value and the number of points: the beginnings of the lines are rounded.

    Where points are missing or too many, those beginnings say where the others lie.
    """
    count = len(ordinates.values)
    if not has_all and len(ordinates.starts) > 1:
        return interpolate_abscissae(ordinates.starts, count=count) * quantity.factor
    if quantity.first is not None and quantity.last is not None:
        return np.linspace(quantity.first, quantity.last, count)
    step = parse_number((block.records | table.page_records).get(f"DELTA{quantity.symbol}"))
    if not ordinates.starts or step is None:
        raise Unreadable("The header does not say where the points lie: FIRSTX and LASTX are missing.")
    first = ordinates.starts[0][1] * quantity.factor if quantity.first is None else quantity.first
    return np.asarray(first + step * np.arange(count), dtype=np.float64)


def interpolate_abscissae(starts: list[tuple[int, float]], *, count: int) -> NDArray[np.float64]:
    """Evenly between the beginnings of the lines, and on at their usual pace behind the last."""
    places, abscissae = (np.array(column, dtype=np.float64) for column in zip(*starts, strict=True))
    steps = np.diff(abscissae) / np.maximum(np.diff(places), 1)
    found = np.interp(np.arange(count), places, abscissae)
    behind = np.arange(count) - places[-1]
    return np.where(behind > 0, abscissae[-1] + behind * np.median(steps), found)


def pairs_of(table: DataTable, *, width: int) -> NDArray[np.float64]:
    """Rows of `width` numbers, in free form or as tuples, in which words and blank places become NaN."""
    body = "\n".join(table.lines)
    if "(" in body:
        rows = [row_of(found[1], width=width) for found in TUPLE.finditer(body)]
    else:
        numbers = [number for form, number in tokenize_line(body) if form in (NumberForm.VALUE, NumberForm.MISSING)]
        if len(numbers) % width:
            raise Unreadable(f"The data are no groups of {width} numbers: one is missing.")
        rows = [numbers[start : start + width] for start in range(0, len(numbers), width)]
    return np.array(rows).reshape(len(rows), width)


def row_of(text: str, *, width: int) -> list[float]:
    parts = [parse_number(part) for part in text.split(",")][:width]
    numbers = [float("nan") if part is None else part for part in parts]
    return numbers + [float("nan")] * (width - len(numbers))


def check_count(found: int, expected: int | None, *, is_complete: bool) -> str:
    """What to say of a wrong number of points in a file that has its end; without that, it was cut off: Unreadable."""
    if expected is None or found == expected:
        return ""
    counts = f"The header announces {expected:,} points, the data hold {found:,}"
    if not is_complete or not found:
        raise Unreadable(f"{counts}.")
    return f"{counts}: those are drawn."
