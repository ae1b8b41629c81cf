"""Parquet: the columns with their types, numbers of each, the first rows, and a curve where there is an axis."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Protocol

import numpy as np
import pyarrow
import pyarrow.compute
import pyarrow.parquet
from numpy.typing import NDArray

from processing.facts import Facts, clean_text
from processing.formats.curve import Axis, Curve, Series
from processing.formats.long_tables import MAX_ROWS as MAX_LONG_ROWS
from processing.formats.long_tables import LongColumn, draw_long_table, find_long_table
from processing.formats.table import MAX_COLUMNS, MAX_ROWS, Cell, Column, Table
from processing.local_times import as_utc, describe_zone
from processing.readings import MAX_CHARACTERS_PER_VALUE, MIB, Artefact, Input, Json, Output, Unreadable

MAX_BATCH_ROWS = 65_536
MAX_CURVE_ROWS = 2_000_000
MAX_ROW_GROUP_BYTES = 512 * MIB
MAX_DESCRIBED_COLUMNS = 10
MAX_SERIES = 20
METADATA_FACTS = {"instrument": "instrument_model", "sample": "sample_id", "operator": "analyst", "user": "analyst"} | {
    "serial_number": "serial_number",
    "method": "method",
    "software": "software",
}
TIME_KEYS = ("run_start", "start_time", "acquired_at", "timestamp", "date")


class TableFile(Protocol):
    """What is read of a file of Parquet, and of others that hold such a table."""

    @property
    def schema_arrow(self) -> pyarrow.Schema: ...
    @property
    def row_count(self) -> int: ...
    def iter_batches(self, batch_size: int) -> Iterator[pyarrow.RecordBatch]: ...
    def read_columns(self, names: Sequence[str]) -> pyarrow.Table: ...


@dataclass(frozen=True)
class ParquetTable:
    file: pyarrow.parquet.ParquetFile

    @property
    def schema_arrow(self) -> pyarrow.Schema:
        return self.file.schema_arrow

    @property
    def row_count(self) -> int:
        return int(self.file.metadata.num_rows)

    def iter_batches(self, batch_size: int) -> Iterator[pyarrow.RecordBatch]:
        yield from self.file.iter_batches(batch_size=batch_size, use_threads=False)

    def read_columns(self, names: Sequence[str]) -> pyarrow.Table:
        return self.file.read(columns=list(names), use_threads=False)


def read(given: Input) -> Output:
    """Unreadable: the file is cut off (its table of contents stands at its end), or damaged."""
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    try:
        with pyarrow.parquet.ParquetFile(given.path, memory_map=False, pre_buffer=False) as file:
            check_row_groups(file)
            return describe_table(ParquetTable(file), given, title="Parquet")
    except (pyarrow.ArrowException, OSError) as error:
        raise Unreadable(f"It is damaged, or a part of it is missing: {clean_text(str(error))}") from error


def describe_table(file: TableFile, given: Input, *, title: str) -> Output:
    noted = list_notes(file)
    numbers, first_rows = measure_columns(file)
    facts = Facts()
    facts.add("technique", "table")
    facts.add("format", title)
    for key, value in noted.items():
        facts.add(METADATA_FACTS.get(key.lower(), f"metadata.{key}") if key.isidentifier() else "", value)
    facts.values.pop("", None)
    started = find_time(noted, given)
    if started:
        facts.add_times([started])
    schema = file.schema_arrow
    described: dict[str, Json] = {"rows": file.row_count, "columns": list(schema.names[:MAX_COLUMNS])}
    for name, summary in list(numbers.items())[:MAX_DESCRIBED_COLUMNS]:
        described |= {f"{name}_{what}": value for what, value in summary.items() if name.isidentifier()}
    return Output(
        run=facts.as_json(),
        file={**described, **describe_zone(started, given)},
        acquired_at=as_utc(started),
        artefacts=[
            *(draw_columns(file, title=given.filename) or draw_long_rows(file, title=given.filename)),
            first_rows.artefact("rows.json"),
            replace(tabulate_columns(schema, numbers).artefact("columns.json"), name="schema.json"),  # behind the rows
        ],
    )


def check_row_groups(file: pyarrow.parquet.ParquetFile) -> None:
    """A group is unpacked as a whole; what it unpacks to stands in the table of contents."""
    sizes = [file.metadata.row_group(number).total_byte_size for number in range(file.num_row_groups)]
    if max(sizes, default=0) > MAX_ROW_GROUP_BYTES:
        raise Unreadable(f"One of its row groups unpacks to more than {MAX_ROW_GROUP_BYTES // MIB} MiB.")


def list_notes(file: TableFile) -> dict[str, str]:
    """Short texts that whoever wrote the file kept beside the table."""
    stored = file.schema_arrow.metadata or {}
    notes = {key.decode("utf-8", "replace"): value.decode("utf-8", "replace") for key, value in stored.items()}
    return {key: value for key, value in notes.items() if len(value) <= MAX_CHARACTERS_PER_VALUE and len(key) <= 40}


def find_time(notes: dict[str, str], given: Input) -> datetime | None:
    for key in TIME_KEYS:
        try:
            stated = datetime.fromisoformat(notes.get(key, ""))
        except ValueError:
            continue
        return stated if stated.tzinfo else stated.replace(tzinfo=given.time_zone)
    return None


def measure_columns(file: TableFile) -> tuple[dict[str, dict[str, Json]], Table]:
    """Least, greatest and empty cells of every column of numbers, over the whole file; and its first rows."""
    schema = file.schema_arrow
    measured = [field.name for field in schema if is_number(field.type)]
    numbers: dict[str, dict[str, Any]] = {name: {"nulls": 0} for name in measured}
    rows: list[list[Cell]] = []
    shown = schema.names[:MAX_COLUMNS]
    for batch in file.iter_batches(MAX_BATCH_ROWS):
        for name in measured:
            add_batch(numbers[name], batch.column(name))
        if len(rows) < MAX_ROWS:
            columns = [batch.column(name).slice(0, MAX_ROWS - len(rows)).to_pylist() for name in shown]
            rows += [[as_cell(value) for value in row] for row in zip(*columns, strict=True)]
    columns_shown = [Column(name) for name in shown]
    return numbers, Table("Rows", columns_shown, rows, total_rows=file.row_count)


def is_number(kind: pyarrow.DataType) -> bool:
    return bool(pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind))


def add_batch(summary: dict[str, Any], values: pyarrow.Array) -> None:
    summary["nulls"] += values.null_count
    is_half = pyarrow.types.is_float16(values.type)  # which pyarrow cannot compare
    found = pyarrow.compute.min_max(values.cast(pyarrow.float32()) if is_half else values).as_py()
    for what, choose in (("min", min), ("max", max)):
        if found[what] is not None and math.isfinite(found[what]):
            summary[what] = choose(summary.get(what, found[what]), found[what])


def as_cell(value: Any) -> Cell:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else str(value)


def tabulate_columns(schema: pyarrow.Schema, numbers: dict[str, dict[str, Any]]) -> Table:
    columns = [Column(name) for name in ("Column", "Type", "Least", "Greatest", "Empty")]
    rows: list[list[Cell]] = [
        [field.name, str(field.type), *(numbers.get(field.name, {}).get(what) for what in ("min", "max", "nulls"))]
        for field in schema
    ]
    return Table("Columns", columns, rows)


def draw_columns(file: TableFile, *, title: str) -> list[Artefact]:
    """All columns of numbers against the first one, where that only grows."""
    names = list_numbers(file.schema_arrow)[: MAX_SERIES + 1]
    if len(names) < 2 or not 1 < file.row_count <= MAX_CURVE_ROWS:
        return []
    x, *others = (as_floats(file, name) for name in names)
    if not (np.isfinite(x).all() and (np.diff(x) > 0).all()):
        return []
    series = [Series(name, x, values) for name, values in zip(names[1:], others, strict=True)]
    label = names[1] if len(others) == 1 else "Value"
    named = Curve(title, Axis(names[0]), Axis(label), series).artefact("curves.json").datasets
    shown = Curve(title, LongColumn(names[0]).as_axis(), LongColumn(label).as_axis(), series).artefact("curves.json")
    return [replace(shown, datasets=named)]  # whose columns are called as in the file


def list_numbers(schema: pyarrow.Schema) -> list[str]:
    """The columns of numbers; the index of a data frame, which pandas writes behind all others, comes first."""
    names = [field.name for field in schema if is_number(field.type)]
    try:
        index = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))["index_columns"]
        return sorted(names, key=lambda name: name not in index)
    except (ValueError, KeyError, TypeError):
        return names


def draw_long_rows(file: TableFile, *, title: str) -> list[Artefact]:
    if file.row_count > MAX_LONG_ROWS:
        return []
    columns = []
    for field in list(file.schema_arrow)[:MAX_COLUMNS]:
        if is_number(field.type):
            columns.append(LongColumn(field.name, numbers=as_floats(file, field.name)))
        elif is_text(field.type):
            texts = file.read_columns([field.name]).column(field.name).to_pylist()
            columns.append(LongColumn(field.name, texts=texts))
    return draw_long_table(find_long_table(columns), title=title)


def is_text(kind: pyarrow.DataType) -> bool:
    kind = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
    return bool(pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind))


def as_floats(file: TableFile, name: str) -> NDArray[np.float64]:
    """Empty cells are NaN; whole numbers beyond 2^53 lose their last digits."""
    column = file.read_columns([name]).column(name)
    return column.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False).astype(np.float64)
