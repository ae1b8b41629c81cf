"""Rows as they leave the service: JSON, NDJSON, CSV, Arrow or Parquet, piece by piece."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from datasets.columns import ColumnInfo
from wire.spreadsheets import FORMULA_STARTS, to_cell

if TYPE_CHECKING:
    import pyarrow


class RowFormat(StrEnum):
    JSON = "json"
    NDJSON = "ndjson"
    CSV = "csv"
    ARROW = "arrow"
    PARQUET = "parquet"


MEDIA_TYPES = {
    RowFormat.JSON: "application/json",
    RowFormat.NDJSON: "application/x-ndjson",
    RowFormat.CSV: "text/csv",
    RowFormat.ARROW: "application/vnd.apache.arrow.stream",
    RowFormat.PARQUET: "application/vnd.apache.parquet",
}


CSV_LINE_END = "\r\n"  # RFC 4180, section 2
LINE_END = orjson.Fragment(b"\n")


class Streamed(Protocol):
    """A table on its way out: rows of datasets, or runs."""

    @property
    def columns(self) -> Sequence[ColumnInfo]: ...
    @property
    def metadata(self) -> Mapping[str, str]: ...
    @property
    def schema(self) -> "pyarrow.Schema": ...
    def batches(self) -> Iterator["pyarrow.RecordBatch"]: ...
    def close(self) -> None: ...


class Paged(Streamed, Protocol):
    """Rows in a window of all that were found; `total` of them, where that was asked for."""

    @property
    def limit(self) -> int | None: ...
    @property
    def offset(self) -> int: ...
    @property
    def total(self) -> int | None: ...


class Pieces:
    """What Arrow writes, taken out again before it grows."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._length = 0
        self.closed = False

    def write(self, data: Any) -> int:
        part = bytes(data)
        self._parts.append(part)
        self._length += len(part)
        return len(part)

    def tell(self) -> int:
        return self._length

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def flush(self) -> None: ...

    def close(self) -> None:
        self.closed = True

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def stream_rows(answer: Streamed, form: RowFormat, *, units: bool = False) -> Iterator[bytes]:
    """The bytes of every format but JSON. The answer is closed at the end, and when nobody wants the rest."""
    write: Callable[..., Iterator[bytes]] = {
        RowFormat.NDJSON: write_ndjson,
        RowFormat.CSV: write_csv,
        RowFormat.ARROW: write_arrow,
        RowFormat.PARQUET: write_parquet,
    }[form]
    try:
        yield from (piece for piece in write(answer, units=units) if piece)
    finally:
        answer.close()


def build_schema(schema: "pyarrow.Schema", answer: Streamed) -> "pyarrow.Schema":
    """With units, run and source in its metadata."""
    import pyarrow

    fields = [
        field.with_metadata(describe_column(column)) for field, column in zip(schema, answer.columns, strict=True)
    ]
    return pyarrow.schema(fields, metadata=dict(answer.metadata))


def describe_column(column: ColumnInfo) -> Mapping[str, str]:
    said = {"ids.unit": column.unit, "ids.role": column.role, "ids.title": column.title}
    return {key: value for key, value in said.items() if value}


def write_arrow(answer: Streamed, *, units: bool) -> Iterator[bytes]:
    import pyarrow.ipc

    schema, pieces = build_schema(answer.schema, answer), Pieces()
    with pyarrow.ipc.new_stream(pieces, schema) as writer:
        yield pieces.take()
        for batch in answer.batches():
            writer.write_batch(pyarrow.RecordBatch.from_arrays(batch.columns, schema=schema))
            yield pieces.take()
    yield pieces.take()


def write_parquet(answer: Streamed, *, units: bool) -> Iterator[bytes]:
    import pyarrow.parquet

    schema, pieces = build_schema(answer.schema, answer), Pieces()
    with pyarrow.parquet.ParquetWriter(pyarrow.PythonFile(pieces, mode="w"), schema, compression="zstd") as writer:
        for batch in answer.batches():
            writer.write_batch(pyarrow.RecordBatch.from_arrays(batch.columns, schema=schema))
            yield pieces.take()
    yield pieces.take()


def write_csv(answer: Streamed, *, units: bool) -> Iterator[bytes]:
    """RFC 4180. Text that a spreadsheet would take for a formula gets an apostrophe."""
    import pyarrow.csv

    yield header_of(answer.columns, units=units).encode()
    pieces = Pieces()
    options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="needed", eol=CSV_LINE_END)
    for batch in answer.batches():
        shown = pyarrow.RecordBatch.from_arrays(list(map(as_cells, batch.columns)), names=batch.schema.names)
        pyarrow.csv.write_csv(shown, pieces, options)
        yield pieces.take()


def header_of(columns: Sequence[ColumnInfo], *, units: bool) -> str:
    names = [f"{column.name} [{column.unit}]" if units and column.unit else column.name for column in columns]
    return (
        ",".join('"' + name.replace('"', '""') + '"' if set(name) & set('",\r\n') else name for name in names)
        + CSV_LINE_END
    )


def as_cells(values: "pyarrow.Array") -> "pyarrow.Array":
    """Texts without formulas, times as ISO 8601 has them."""
    import pyarrow
    import pyarrow.compute as pc

    if pyarrow.types.is_timestamp(values.type):
        return pyarrow.array([None if one is None else as_stamp(one) for one in values.to_pylist()], pyarrow.string())
    if not pyarrow.types.is_string(values.type) and not pyarrow.types.is_large_string(values.type):
        return values
    is_formula = pc.is_in(pc.utf8_slice_codeunits(values, 0, 1), pyarrow.array(FORMULA_STARTS, values.type))
    if not pc.any(is_formula).as_py():
        return values
    return pyarrow.array([to_cell(value) for value in values.to_pylist()], values.type)


def write_ndjson(answer: Streamed, *, units: bool) -> Iterator[bytes]:
    """One object a line. NaN and infinity are themselves, as Python, JavaScript's JSON5 and DuckDB read them."""
    names = [column.name for column in answer.columns]
    for batch in answer.batches():
        rows = [dict(zip(names, row, strict=True)) for row in rows_of(batch)]
        if rows:
            yield encode_finite(rows) if all(map(is_finite, batch.columns)) else encode_any(rows)


def encode_finite(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """All at once. A bare newline stands between rows alone: within a text it is escaped."""
    written = orjson.dumps([part for row in rows for part in (row, LINE_END)])
    return written[len(b"[") : -len(b",\n]")].replace(b",\n,", b"\n") + b"\n"


def encode_any(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """orjson knows neither NaN nor infinity."""
    return "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows).encode()


def is_finite(column: "pyarrow.Array") -> bool:
    """Holds neither NaN nor infinity."""
    import pyarrow
    import pyarrow.compute as pc

    return not pyarrow.types.is_floating(column.type) or pc.all(pc.is_finite(column)).as_py() is not False


def rows_of(batch: "pyarrow.RecordBatch") -> Iterator[tuple[Any, ...]]:
    return zip(*map(values_of, batch.columns), strict=True)


def values_of(column: "pyarrow.Array") -> list[Any]:
    """Numbers through NumPy, which takes a tenth of the time."""
    import pyarrow

    if not column.null_count and (pyarrow.types.is_floating(column.type) or pyarrow.types.is_integer(column.type)):
        numbers: list[Any] = column.to_numpy().tolist()
        return numbers
    values: list[Any] = column.to_pylist()
    if pyarrow.types.is_timestamp(column.type):
        return [None if value is None else as_stamp(value) for value in values]
    return values


def plain_rows(batch: "pyarrow.RecordBatch") -> list[list[Any]]:
    """Rows of JSON: what is no finite number is null."""
    columns = []
    for column in batch.columns:
        values = values_of(column)
        if not is_finite(column):
            values = [value if value is None or math.isfinite(value) else None for value in values]
        columns.append(values)
    return [list(row) for row in zip(*columns, strict=True)]


def as_stamp(moment: datetime) -> str:
    """Microseconds where there are any."""
    digits = "microseconds" if moment.microsecond % 1000 else "milliseconds"
    return moment.astimezone(UTC).isoformat(timespec=digits).replace("+00:00", "Z")


def encode_json(answer: Paged) -> bytes:
    """{columns, data, pagination}, every number whole, what is no finite number as null; the answer is closed."""
    try:
        data = [row for batch in answer.batches() for row in rows_of(batch)]
    finally:
        answer.close()
    return orjson.dumps(frame_json(answer, data))  # NaN and infinity become null


def build_json(answer: Paged) -> dict[str, Any]:
    """The same for a page: {columns, data, pagination}."""
    try:
        data = [row for batch in answer.batches() for row in plain_rows(batch)]
    finally:
        answer.close()
    return frame_json(answer, data)


def frame_json(answer: Paged, data: Sequence[Sequence[Any]]) -> dict[str, Any]:
    columns = [{"name": column.name, "type": column.type, "unit": column.unit} for column in answer.columns]
    pagination = {"limit": answer.limit, "offset": answer.offset, "total": answer.total}
    return {"columns": columns, "data": data, "pagination": pagination}
