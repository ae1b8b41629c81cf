"""The rows of a dataset: what is asked of them, checked, and the answer in batches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from datasets.columns import ColumnInfo, Columns
from datasets.engine import Abandonment, open_query
from datasets.models import Dataset
from datasets.row_query import RowQuery, RowRequest, read_rows_request
from datasets.small import is_small_and_plain, read_stored_batches
from datasets.sources import locate
from datasets.sql import Statement, build_count, build_rows, list_quoted

if TYPE_CHECKING:
    import pyarrow

ROW_ORDER = "__place"


@dataclass
class RowsAnswer:
    """The columns of the answer and its rows, whose query is under way. `close` it in any case."""

    columns: Sequence[ColumnInfo]
    metadata: Mapping[str, str]
    limit: int | None
    offset: int
    total: int | None  # of all rows before the window, where it was asked for
    schema: "pyarrow.Schema"
    _first: "pyarrow.RecordBatch | None"
    _next: "Callable[[], pyarrow.RecordBatch | None]"
    _held: ExitStack

    def batches(self) -> Iterator["pyarrow.RecordBatch"]:
        """Once. The first one is there already: what a query runs into before it is an error of its own."""
        batch = self._first
        while batch is not None:
            yield batch
            batch = self._next()

    def close(self) -> None:
        self._held.close()


def columns_of(dataset: Dataset) -> Columns:
    return Columns(ColumnInfo.of(column) for column in dataset.columns)


def read_rows(
    dataset: Dataset, asked: RowRequest, *, with_total: bool = True, abandonment: Abandonment | None = None
) -> RowsAnswer:
    """Raises ValidationError, QueryTooLarge, QueriesBusy, DatasetDamaged, StoreUnavailable."""
    query = read_rows_request(asked, columns_of(dataset))
    (path,) = locate([dataset])
    if is_small_and_plain(dataset, query):
        return read_small(dataset, query, path)
    shown = list_quoted(query.known)
    relation = Statement(f"SELECT {shown}, file_row_number AS {ROW_ORDER} FROM read_parquet(?)", [path])
    total = dataset.row_count if query.is_plain else None
    return run_query(
        query,
        relation,
        row_order=ROW_ORDER,
        metadata=describe_origin(dataset),
        total=total,
        with_total=with_total,
        abandonment=abandonment,
    )


def read_small(dataset: Dataset, query: RowQuery, path: str) -> RowsAnswer:
    """Without the engine, so without a place among its queries."""
    schema, batches = read_stored_batches(path, query.columns, offset=query.offset, limit=query.limit)
    with ExitStack() as held:
        held.callback(batches.close)
        first = next(batches, None)
        kept = held.pop_all()

    def read_next() -> "pyarrow.RecordBatch | None":
        return next(batches, None)

    window = (query.limit, query.offset, dataset.row_count)
    return RowsAnswer(query.columns, describe_origin(dataset), *window, schema, first, read_next, kept)


def run_query(
    query: RowQuery,
    relation: Statement,
    *,
    row_order: str,
    metadata: Mapping[str, str],
    total: int | None,
    with_total: bool,
    abandonment: Abandonment | None,
) -> RowsAnswer:
    with ExitStack() as held:
        under_way = held.enter_context(open_query(abandonment))
        if total is None and with_total:
            total = under_way.read_number(build_count(query, relation))
        statement = build_rows(query, relation, row_order=row_order)
        reader = under_way.read_batches(statement, columns=len(query.columns))
        first = under_way.next_batch(reader)
        kept = held.pop_all()

    def read_next() -> "pyarrow.RecordBatch | None":
        return under_way.next_batch(reader)

    return RowsAnswer(query.columns, metadata, query.limit, query.offset, total, reader.schema, first, read_next, kept)


def describe_origin(dataset: Dataset) -> dict[str, str]:
    """What travels with the numbers."""
    return {
        "ids.instrument_id": dataset.run.instrument_id,
        "ids.run_id": dataset.run.run_id,
        "ids.source_filename": dataset.source_file.filename,
        "ids.dataset": dataset.name,
        "ids.title": dataset.title,
        "ids.kind": dataset.kind,
    }
