"""One table over all datasets of one name that a search finds: their rows one below the other, with their runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from accounts.callers import Caller
from datasets.catalogue import DatasetFilter, refuse_unknown_name, search_datasets
from datasets.columns import ColumnInfo, Columns, refuse
from datasets.engine import Abandonment
from datasets.models import Dataset, RunKey
from datasets.row_query import RowRequest, read_rows_request
from datasets.rows import RowsAnswer, run_query
from datasets.sources import locate_whole
from datasets.sql import SQL_TYPES, Statement, list_quoted, quote
from runs.search import RunSearch
from wire.errors import Conflict

MAX_DATASETS, MAX_COLUMNS = 10_000, 10_000
MAX_NAMED = 20
ORIGIN = (
    ColumnInfo("instrument_id", "string", role="key", title="Instrument"),
    ColumnInfo("run_id", "string", role="key", title="Run"),
    ColumnInfo("acquired_at", "timestamp", title="Acquired at"),
    ColumnInfo("filename", "string", role="key", title="File"),
)
PLACE, ROW, FILE = "__dataset", "__place", "__file"
WIDENED = {frozenset({"int64", "float64"}): "float64"}


class TypesClash(Conflict):
    """Two datasets have a column of one name and of types that no column can hold together."""

    def __init__(self, column: str, datasets: Sequence[Dataset]) -> None:
        named = [str(dataset.pk) for dataset in datasets[:MAX_NAMED]]
        text = f"The column {column} is of different types in these datasets: leave it out by `columns`, or narrow."
        super().__init__(text, column=column, datasets=named)


def read_stacked_rows(
    name: str,
    search: RunSearch,
    asked: RowRequest,
    *,
    by: Caller,
    at: datetime,
    runs: Sequence[RunKey] = (),
    latest: int | None = None,
    with_total: bool = True,
    abandonment: Abandonment | None = None,
) -> RowsAnswer:
    """Of nothing but `runs`, where some are named, and of no more than the `latest` of those that have such a dataset.

    A name that no dataset has is an empty table, as for somebody who may see none of it; but its columns can only be
    told to be unknown, so that is said of the name. Raises TypesClash, NameUnknown, and what read_rows raises;
    ValidationError too where more than 10,000 are found.
    """
    datasets = find_stacked(DatasetFilter(name=(name,), run=runs), search, latest=latest, by=by, at=at)
    if not datasets and asked.names_columns:
        refuse_unknown_name(name, by=by)
    return stack_rows(datasets, asked, name=name, with_total=with_total, abandonment=abandonment)


def find_stacked(
    only: DatasetFilter, search: RunSearch, *, latest: int | None = None, by: Caller, at: datetime
) -> list[Dataset]:
    """In the order of the runs' times, the newest first, as the run list has it."""
    found = search_datasets(search, only=only, by=by, at=at)
    if latest is not None:
        newest = found.order_by("-run__happened_at", "-run_id").values_list("run_id", "run__happened_at").distinct()
        found = found.filter(run__in=[run for run, _ in newest[:latest]])
    ordered = found.order_by("-run__happened_at", "-run_id", "source_file_id", "id")
    datasets = list(ordered[: MAX_DATASETS + 1])
    if len(datasets) > MAX_DATASETS:
        raise refuse("name", f"More than {MAX_DATASETS:,} datasets are found: narrow the search of runs.")
    return datasets


def stack_rows(
    datasets: Sequence[Dataset],
    asked: RowRequest,
    *,
    name: str,
    with_total: bool = True,
    abandonment: Abandonment | None = None,
) -> RowsAnswer:
    stacked = join_columns(datasets, asked)
    query = read_rows_request(asked, Columns([*ORIGIN, *stacked], absent="" if datasets else name))
    return run_query(
        query,
        build_stack(datasets, stacked),
        row_order=f"{PLACE}, {ROW}",
        metadata={"ids.dataset": name},
        total=sum(dataset.row_count for dataset in datasets) if query.is_plain else None,
        with_total=with_total,
        abandonment=abandonment,
    )


def join_columns(datasets: Sequence[Dataset], asked: RowRequest) -> list[ColumnInfo]:
    """Every column that any of them has, in the order of their first appearance. One that is not asked may clash."""
    found: dict[str, ColumnInfo] = {}
    clashing: set[str] = set()
    for columns in list_column_sets(datasets):
        for stored in columns:
            column = ColumnInfo.of(stored)
            known = found.setdefault(column.name, column)
            if known.type == column.type:
                continue
            widened = WIDENED.get(frozenset({known.type, column.type}))
            if widened is None:
                clashing.add(column.name)
            else:
                found[column.name] = replace(known, type=widened)
    if len(found) > MAX_COLUMNS:
        raise refuse("name", f"Together they have more than {MAX_COLUMNS:,} columns: narrow the search of runs.")
    for name in sorted(clashing):
        if is_asked(name, asked):
            raise TypesClash(name, list_of_each_type(datasets, name))
        del found[name]
    taken = {column.name for column in ORIGIN}
    return [column for column in found.values() if column.name not in taken]


def list_column_sets(datasets: Sequence[Dataset]) -> list[Sequence[Mapping[str, Any]]]:
    """The columns of each, in order, but for those that are as the ones before: mostly all are alike."""
    pairs = zip([None, *datasets], datasets, strict=False)
    return [one.columns for before, one in pairs if before is None or one.columns != before.columns]


def is_asked(name: str, asked: RowRequest) -> bool:
    """Everything is, unless columns or groups are named."""
    if not (asked.columns or asked.group_by or asked.aggregate):
        return True
    said = [*asked.columns, *asked.group_by, asked.order_by.removeprefix("-")]
    said += [text.partition(":")[2] for text in asked.aggregate] + [text.partition(":")[0] for text in asked.where]
    return name in said


def list_of_each_type(datasets: Sequence[Dataset], name: str) -> list[Dataset]:
    """The first of each type, then others."""
    first: dict[str, Dataset] = {}
    for dataset in datasets:
        for column in dataset.columns:
            if column["name"] == name:
                first.setdefault(column["type"], dataset)
    return list(first.values())


def build_stack(datasets: Sequence[Dataset], stacked: Sequence[ColumnInfo]) -> Statement:
    """Values from the Parquet files, and from lists in which each file has its place."""
    if not datasets:
        empty = ", ".join(f"CAST(NULL AS {SQL_TYPES[one.type]}) AS {quote(one.name)}" for one in [*ORIGIN, *stacked])
        return Statement(f"SELECT {empty}, 0 AS {PLACE}, 0 AS {ROW} WHERE false")
    values = [f"CAST({quote(column.name)} AS {SQL_TYPES[column.type]}) AS {quote(column.name)}" for column in stacked]
    rows = ", ".join([*values, f"file_index AS {PLACE}", f"file_row_number AS {ROW}"])
    lists = [f"unnest(CAST(? AS {SQL_TYPES[column.type]}[])) AS {quote(column.name)}" for column in ORIGIN]
    origins = ", ".join([*lists, f"unnest(range({len(datasets)})) AS {FILE}"])
    shown = f"{list_quoted([*ORIGIN, *stacked])}, {PLACE}, {ROW}"
    return Statement(
        f"SELECT {shown} FROM (SELECT {rows} FROM read_parquet(?{choose_union(datasets)}))"
        f" LEFT JOIN (SELECT {origins}) ON {PLACE} = {FILE}",  # which keeps the order of the left: datasets/engine.py
        [locate_whole(datasets), *list_origins(datasets)],
    )


def choose_union(datasets: Sequence[Dataset]) -> str:
    """Where the types differ every file is opened before the first row is read, twice; else each in its turn."""
    kinds = {frozenset((column["name"], column["type"]) for column in one) for one in list_column_sets(datasets)}
    return ", union_by_name = true" if len(kinds) > 1 else ""


def list_origins(datasets: Sequence[Dataset]) -> list[list[Any]]:
    """Of each of the first columns the values by dataset."""
    return [
        [dataset.run.instrument_id for dataset in datasets],
        [dataset.run.run_id for dataset in datasets],
        [dataset.run.acquired_at.isoformat() if dataset.run.acquired_at else None for dataset in datasets],
        [dataset.source_file.filename for dataset in datasets],
    ]
