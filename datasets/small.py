"""A small dataset as it is stored: its few rows are read from the file itself, which costs a fraction of a query."""

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from datasets.columns import ColumnInfo
from datasets.engine import translate
from datasets.models import Dataset
from datasets.row_query import RowQuery

if TYPE_CHECKING:
    import pyarrow

MAX_BYTES, MAX_CELLS, BATCH_ROWS = 262_144, 131_072, 2_048


def is_small_and_plain(dataset: Dataset, query: RowQuery) -> bool:
    """Rows in the order of the file, none left out but by the window, and few enough to pass over those before it."""
    cells = dataset.row_count * len(query.known)
    return (
        query.is_plain and query.order_by is None and cells <= MAX_CELLS and (dataset.file.size_bytes or 0) <= MAX_BYTES
    )


def read_stored_batches(
    path: str, columns: Sequence[ColumnInfo], *, offset: int, limit: int | None
) -> "tuple[pyarrow.Schema, Generator[pyarrow.RecordBatch]]":
    """Its columns as they are named, in this order. Raises DatasetDamaged, at the first batch too."""
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(Path(path), memory_map=True)
        types = file.schema_arrow
        schema = pyarrow.schema([(column.name, types.field(column.name).type) for column in columns])
    except (pyarrow.ArrowException, OSError, KeyError) as error:
        raise translate(error) from error
    return schema, _cut(file, schema, start=offset, stop=None if limit is None else offset + limit)


def _cut(
    file: "pyarrow.parquet.ParquetFile", schema: "pyarrow.Schema", *, start: int, stop: int | None
) -> "Generator[pyarrow.RecordBatch]":
    """The rows from `start` to `stop`."""
    import pyarrow

    passed = 0
    try:
        with file:
            for batch in file.iter_batches(BATCH_ROWS, columns=schema.names, use_threads=False):
                first, passed = passed, passed + batch.num_rows
                end = passed if stop is None else min(stop, passed)
                if end <= max(start, first):
                    if stop is not None and stop <= first:
                        return
                    continue
                wanted = batch.slice(max(start - first, 0), end - max(start, first))
                yield pyarrow.RecordBatch.from_arrays([wanted.column(name) for name in schema.names], schema=schema)
    except (pyarrow.ArrowException, OSError) as error:
        raise translate(error) from error
