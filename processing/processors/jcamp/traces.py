"""What the data tables of a block say: traces of evenly spaced points, of pairs, and of peaks."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from processing.processors.jcamp.numbers import Form, Ordinates, tokens
from processing.processors.jcamp.records import Block, Table, as_list, as_number
from processing.readings import Unreadable

EVENLY = re.compile(r"\(\s*(\w+)\s*\+\+\s*\(\s*(\w+)\s*\.\.\s*\2\s*\)\s*\)")
GROUPS = re.compile(r"\(\s*([A-Z]+)\s*(?:\.\.\s*\1\s*)?\)", re.IGNORECASE)
TUPLE = re.compile(r"\(([^()]*)\)")
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


def traces_of(block: Block) -> list[Trace]:
    return [trace for table in block.tables if (trace := trace_of(block, table)) is not None]


def trace_of(block: Block, table: Table) -> Trace | None:
    """The points of one table; None for a form that holds no numbers (assignments without any)."""
    evenly = EVENLY.search(table.form)
    groups = GROUPS.search(table.form)
    if evenly:
        x_quantity, y_quantity = (quantity_of(block, table, symbol) for symbol in evenly.groups())
        y = ordinates_of(table, expected=expected_points(block, table, x_quantity, y_quantity)) * y_quantity.factor
        x = abscissae_of(block, table, x_quantity, count=len(y))
    elif groups and len(groups[1]) >= 2:
        x_quantity, y_quantity = (quantity_of(block, table, symbol) for symbol in groups[1][:2].upper())
        pairs = pairs_of(table, width=len(groups[1]), expected=expected_points(block, table, x_quantity, y_quantity))
        x, y = pairs[:, 0] * x_quantity.factor, pairs[:, 1] * y_quantity.factor
    else:
        raise Unreadable(f"The data have a form that is not known: {table.form or 'none is given'}.")
    if not len(x):
        return None
    are_peaks = table.label in PEAK_LABELS or "PEAK" in table.form.upper()
    return Trace(block.text("TITLE") or "", x, y, x_quantity, y_quantity, table.page, are_peaks)


def quantity_of(block: Block, table: Table, symbol: str) -> Quantity:
    """From the lists of NTUPLES where they name the symbol, else from records such as FIRSTX and YUNITS."""
    symbols = [name.upper() for name in as_list(block.records.get("SYMBOL"))]
    records = block.records | table.page_records
    if symbol.upper() in symbols:
        place = symbols.index(symbol.upper())
        at = {
            label: parts[place] if place < len(parts := as_list(records.get(label))) else ""
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
    factor, count = as_number(at["FACTOR"]), as_number(at["VARDIM"])
    return Quantity(
        symbol.upper(),
        at["VARNAME"] or None,
        at["UNITS"] or None,
        1.0 if factor is None else factor,
        as_number(at["FIRST"]),
        as_number(at["LAST"]),
        None if count is None else int(count),
    )


def expected_points(block: Block, table: Table, x: Quantity, y: Quantity) -> int | None:
    """How many points the header announces: the page's number first, then the variable's, then the block's."""
    announced = as_number(table.page_records.get("NPOINTS"))
    if announced is None:
        announced = y.count or x.count or (block.number("NPOINTS") if table.page is None else None)
    return None if announced is None else int(announced)


def ordinates_of(table: Table, *, expected: int | None) -> NDArray[np.float64]:
    ordinates = Ordinates()
    for line in table.lines:
        ordinates.take(line)
    check_count(len(ordinates.values), expected)
    return np.array(ordinates.values)


def abscissae_of(block: Block, table: Table, quantity: Quantity, *, count: int) -> NDArray[np.float64]:
    """From the first and the last value and the number of points: the beginnings of the lines are rounded."""
    if quantity.first is not None and quantity.last is not None:
        return np.linspace(quantity.first, quantity.last, count)
    step = as_number((block.records | table.page_records).get(f"DELTA{quantity.symbol}"))
    starts = [found[0][1] for line in table.lines if (found := tokens(line))]
    if not starts or step is None:
        raise Unreadable("The header does not say where the points lie: FIRSTX and LASTX are missing.")
    first = starts[0] * quantity.factor if quantity.first is None else quantity.first
    return np.asarray(first + step * np.arange(count), dtype=np.float64)


def pairs_of(table: Table, *, width: int, expected: int | None) -> NDArray[np.float64]:
    """Rows of `width` numbers, in free form or as tuples, in which words and blank places become NaN."""
    body = "\n".join(table.lines)
    if "(" in body:
        rows = [row_of(found[1], width=width) for found in TUPLE.finditer(body)]
    else:
        numbers = [number for form, number in tokens(body) if form in (Form.VALUE, Form.MISSING)]
        if len(numbers) % width:
            raise Unreadable(f"The data are no groups of {width} numbers: one is missing.")
        rows = [numbers[start : start + width] for start in range(0, len(numbers), width)]
    check_count(len(rows), expected)
    return np.array(rows).reshape(len(rows), width)


def row_of(text: str, *, width: int) -> list[float]:
    parts = [as_number(part) for part in text.split(",")][:width]
    numbers = [float("nan") if part is None else part for part in parts]
    return numbers + [float("nan")] * (width - len(numbers))


def check_count(found: int, expected: int | None) -> None:
    if expected is not None and found != expected:
        raise Unreadable(f"The header announces {expected:,} points, the data hold {found:,}.")
