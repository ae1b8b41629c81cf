"""The rows of a table gone through in blocks: the first ones, and of each column of numbers what stands out."""

import io
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.csv
from numpy.typing import NDArray

from processing.facts import ABSENT_WORDS
from processing.formats.table import MAX_ROWS, Cell
from processing.processors.columns.times import DateOrder, moment_of, seconds_of, since_epoch
from processing.processors.columns.typed_columns import MIN_STEADY_SHARE, NO_NUMBER_WORDS, Content, Grid
from processing.readings import MIB, Unreadable, Unrecognised

BLOCK_BYTES = MIB  # of which pyarrow holds some dozens, read ahead
KEPT_POINTS = 400_000  # of all curves together
MAX_POINTS_PER_COLUMN, MIN_POINTS_PER_COLUMN = 20_000, 1_000
MAX_DEMOTED = 20  # columns of numbers in which a word stands later on: each costs another pass
SPELLINGS = (str.lower, str.upper, str.title)
NO_NUMBERS = sorted({spell(word) for word in ABSENT_WORDS | NO_NUMBER_WORDS for spell in SPELLINGS})
Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True)
class Plan:
    """How the table is written: found in its first rows, true of all."""

    encoding: str
    delimiter: str
    width: int
    first_line: int
    decimal_comma: bool
    is_quoted: bool


@dataclass
class KeptPoints:
    """Of a column of numbers the least and the greatest of each stretch of rows, in order."""

    xs: list[Floats] = field(default_factory=list)
    ys: list[Floats] = field(default_factory=list)

    @property
    def x(self) -> Floats:
        return np.concatenate(self.xs)

    @property
    def y(self) -> Floats:
        return np.concatenate(self.ys)


@dataclass
class AxisColumn:
    """The first column: numbers, or texts of times, of which only those of kept rows are read."""

    content: Content | None
    date_order: DateOrder | None
    rising: int = 0
    falling: int = 0
    steps: int = 0
    missing: int = 0
    first: float | None = None
    last: float | None = None
    last_text: str = ""

    def add(self, values: Floats) -> None:
        steps = np.diff(values, prepend=[] if self.last is None else [self.last])
        self.rising, self.falling = self.rising + int((steps > 0).sum()), self.falling + int((steps < 0).sum())
        self.steps += len(steps)
        self.missing += int(np.isnan(values).sum())
        self.first = float(values[0]) if self.first is None else self.first
        self.last = float(values[-1])

    def read_text(self, text: str | None) -> float:
        if self.content is Content.DURATIONS:
            seconds = seconds_of(text or "")
            return math.nan if seconds is None else seconds
        moment = moment_of(text or "", order=self.date_order)
        return math.nan if moment is None else since_epoch(moment)

    @property
    def last_moment(self) -> list[datetime]:
        moment = moment_of(self.last_text, order=self.date_order) if self.content is Content.MOMENTS else None
        return [moment] if moment else []

    @property
    def runs_steadily(self) -> bool:
        is_one_way = self.rising == 0 or self.falling == 0
        moved = self.rising + self.falling
        return not self.missing and self.steps > 0 and is_one_way and moved >= MIN_STEADY_SHARE * self.steps


@dataclass
class LargeRows:
    axis: AxisColumn
    first_rows: list[list[Cell]] = field(default_factory=list)
    total: int = 0
    left_out: int = 0
    demoted: frozenset[int] = frozenset()
    kept: dict[int, KeptPoints] = field(default_factory=dict)  # by the place of the column


def read_rows(path: Path, plan: Plan, sample: Grid) -> LargeRows:
    """All rows, of which `sample` holds the first. A column in which words follow its numbers becomes text.

    Unreadable: the rows cannot be told apart. Unrecognised: too many columns are of mixed content.
    """
    numeric = frozenset(place for place, column in enumerate(sample.columns) if column.content is Content.NUMBERS)
    demoted: frozenset[int] = frozenset()
    while len(demoted) <= MAX_DEMOTED:
        try:
            rows = read_rows_once(path, plan, sample, numeric - demoted)
        except pyarrow.ArrowInvalid as error:
            found = {place for place in numeric - demoted if f"CSV column #{place}:" in str(error)}
            if not found:
                raise Unreadable("Its rows cannot be told apart: a quotation mark may be missing.") from error
            demoted |= found
        else:
            return replace(rows, demoted=demoted)
    raise Unrecognised("It is kept, and not read: too many of its columns hold now numbers, now words.")


def read_rows_once(path: Path, plan: Plan, sample: Grid, numeric: frozenset[int]) -> LargeRows:
    first = sample.columns[0]
    rows = LargeRows(AxisColumn(first.content, first.date_order))
    stretches = choose_stretches(len(numeric), size_bytes=path.stat().st_size)

    def leave_out(_: pyarrow.csv.InvalidRow) -> str:
        rows.left_out += 1
        return "skip"

    with path.open("rb") as raw:
        for batch in open_batches(Utf8Source(raw, plan), plan, numeric, on_invalid=leave_out):
            if batch.num_rows:
                add_batch(rows, batch, numeric, stretches=stretches)
    return rows


def choose_stretches(columns: int, *, size_bytes: int) -> int:
    """Into how many stretches a block is divided, so that all blocks together keep a bounded number of points."""
    points = max(MIN_POINTS_PER_COLUMN, min(MAX_POINTS_PER_COLUMN, KEPT_POINTS // max(1, columns)))
    blocks = max(1, size_bytes // BLOCK_BYTES)
    return max(1, points // blocks // 2)


def open_batches(
    source: "Utf8Source", plan: Plan, numeric: frozenset[int], *, on_invalid: object
) -> Iterator[pyarrow.RecordBatch]:
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    names = [str(place) for place in range(plan.width)]
    types = {name: pyarrow.float64() if place in numeric else pyarrow.string() for place, name in enumerate(names)}
    csv = pyarrow.csv
    return iter(
        csv.open_csv(
            pyarrow.PythonFile(source, mode="r"),
            read_options=csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES, column_names=names),
            parse_options=csv.ParseOptions(
                delimiter=plan.delimiter, newlines_in_values=plan.is_quoted, invalid_row_handler=on_invalid
            ),
            convert_options=csv.ConvertOptions(
                column_types=types, null_values=NO_NUMBERS, decimal_point="," if plan.decimal_comma else "."
            ),
        )
    )


class Utf8Source(io.RawIOBase):
    """The text from the table's first row on, in UTF-8 and with line ends as LF."""

    def __init__(self, raw: io.BufferedReader, plan: Plan) -> None:
        self.text = io.TextIOWrapper(raw, encoding=plan.encoding, errors="replace", newline=None)
        self.left = b""
        for _ in range(plan.first_line):
            self.text.readline()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        """At most so many bytes: a character may be several, so what is too much waits for the next call."""
        content = self.left + (self.text.read(size - len(self.left)).encode() if size > len(self.left) else b"")
        self.left = content[size:]
        return content[:size]


def add_batch(rows: LargeRows, batch: pyarrow.RecordBatch, numeric: frozenset[int], *, stretches: int) -> None:
    wanted = MAX_ROWS - len(rows.first_rows)
    if wanted > 0:
        columns = [column.to_pylist() for column in batch.slice(0, wanted).columns]
        rows.first_rows += [list(row) for row in zip(*columns, strict=True)]
    axis = as_floats(batch.column(0)) if 0 in numeric else None
    if axis is not None:
        rows.axis.add(axis)
    elif rows.axis.content in (Content.DURATIONS, Content.MOMENTS):
        rows.axis.add(np.array([rows.axis.read_text(batch.column(0)[at].as_py()) for at in (0, batch.num_rows - 1)]))
        rows.axis.last_text = batch.column(0)[batch.num_rows - 1].as_py() or ""
    for place in sorted(numeric - {0}):
        values = as_floats(batch.column(place))
        chosen = choose_extremes(values, stretches)
        kept = rows.kept.setdefault(place, KeptPoints())
        kept.ys.append(values[chosen])
        kept.xs.append(axis[chosen] if axis is not None else read_texts(rows.axis, batch.column(0), chosen))
    rows.total += batch.num_rows


def as_floats(column: pyarrow.Array) -> Floats:
    """Without a number: NaN."""
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def read_texts(axis: AxisColumn, column: pyarrow.Array, chosen: Places) -> Floats:
    return np.array([axis.read_text(text) for text in column.take(pyarrow.array(chosen)).to_pylist()])


def choose_extremes(values: Floats, stretches: int) -> Places:
    """The places of the least and the greatest number of each stretch; of one without numbers its first place."""
    borders = np.linspace(0, len(values), min(stretches, len(values)) + 1).astype(np.intp)
    return np.fromiter(find_extremes(values, borders), dtype=np.intp)


def find_extremes(values: Floats, borders: Places) -> Iterator[int]:
    for start, stop in pairwise(borders):
        stretch = values[start:stop]
        if np.isnan(stretch).all():
            yield int(start)
        else:
            yield from sorted({int(start + np.nanargmin(stretch)), int(start + np.nanargmax(stretch))})
