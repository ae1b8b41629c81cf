"""All runs that a search finds as one table: streamed, metadata flattened to columns of their own."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from accounts.callers import Caller
from datasets.columns import ColumnInfo
from runs.models import Run, RunQuerySet
from runs.search import RunSearch, build_keyset, filter_runs
from wire.clock import format_timestamp
from wire.errors import ValidationError
from wire.lists.cursors import cursor_behind, seek

if TYPE_CHECKING:
    import pyarrow
    from django.db.models import QuerySet

CHUNK_RUNS = 500
MAX_METADATA_COLUMNS = 1_000
PREFIX = "metadata."
OWN_COLUMNS = (
    *(ColumnInfo(name, "string") for name in ("id", "instrument_id", "instrument_display_name", "instrument_type")),
    *(ColumnInfo(name, "string") for name in ("run_id", "source", "status")),
    *(ColumnInfo(name, "timestamp") for name in ("acquired_at", "created_at", "updated_at", "deleted_at")),
    *(ColumnInfo(name, "int64") for name in ("file_count", "total_size_bytes", "comment_count")),
    *(ColumnInfo(name, "string") for name in ("attributions", "tags", "project_id")),
)


@dataclass(frozen=True)
class RunTable:
    """Rows in the order of the search, a few hundred at a time: no list of all of them is ever held."""

    runs: RunQuerySet
    search: RunSearch
    at: datetime
    metadata: Mapping[str, str]
    only: frozenset[str] | None = None  # members of a run; None: all

    @cached_property
    def columns(self) -> Sequence[ColumnInfo]:
        own = [column for column in OWN_COLUMNS if self.only is None or column.name in self.only]
        return own if self.only is not None and "metadata" not in self.only else [*own, *self._find_metadata_columns()]

    def _find_metadata_columns(self) -> Iterator[ColumnInfo]:
        """By looking through all runs."""
        kinds: dict[str, set[type]] = {}
        for values in self._walk(["metadata"]):
            for key, value in values["metadata"].items():
                if value is not None:
                    kinds.setdefault(key, set()).add(kind_of(value))
        for key in sorted(kinds)[:MAX_METADATA_COLUMNS]:
            yield ColumnInfo(f"{PREFIX}{key}", type_of(kinds[key]))

    @cached_property
    def schema(self) -> "pyarrow.Schema":
        import pyarrow

        stamps = pyarrow.timestamp("us", tz="UTC")
        types = {"string": pyarrow.string(), "timestamp": stamps, "int64": pyarrow.int64()}
        types |= {"float64": pyarrow.float64(), "bool": pyarrow.bool_()}
        return pyarrow.schema([pyarrow.field(column.name, types[column.type]) for column in self.columns])

    def batches(self) -> Iterator["pyarrow.RecordBatch"]:
        import pyarrow

        for rows in self._chunks():
            arrays = [
                pyarrow.array([fit(row.get(column.name), column.type) for row in rows], field.type)
                for column, field in zip(self.columns, self.schema, strict=True)
            ]
            yield pyarrow.RecordBatch.from_arrays(arrays, schema=self.schema)

    def lines(self) -> Iterator[bytes]:
        """NDJSON, in which lists are lists."""
        names = [column.name for column in self.columns]
        for rows in self._chunks():
            shown = ({name: as_json(row.get(name)) for name in names} for row in rows)
            yield ("\n".join(json.dumps(row, ensure_ascii=False) for row in shown) + "\n").encode()

    def close(self) -> None: ...

    def _chunks(self) -> Iterator[list[dict[str, Any]]]:
        cursor = ""
        keyset = build_keyset(self.search)
        while True:
            ids = list(self._page(cursor).values_list("pk", flat=True))
            found = {run.pk: run for run in Run.objects.filter(pk__in=ids).with_details()}
            runs = [found[pk] for pk in ids if pk in found]
            if runs:
                yield [self._describe(run) for run in runs]
            if len(ids) < CHUNK_RUNS or not runs:
                return
            cursor = cursor_behind(runs[-1], keyset)

    def _walk(self, names: list[str]) -> Iterator[dict[str, Any]]:
        cursor, keyset = "", build_keyset(self.search)
        while True:
            rows = list(self._page(cursor).only(*names, *keyset.columns))
            yield from ({name: getattr(row, name) for name in names} for row in rows)
            if len(rows) < CHUNK_RUNS:
                return
            cursor = cursor_behind(rows[-1], keyset)

    def _page(self, cursor: str) -> "QuerySet[Run]":
        keyset = build_keyset(self.search)
        sign = "-" if keyset.descending else ""
        return seek(self.runs, keyset, cursor).order_by(*(f"{sign}{name}" for name in keyset.columns))[:CHUNK_RUNS]

    def _describe(self, run: Run) -> dict[str, Any]:
        own = {
            "id": str(run.pk),
            "instrument_id": run.instrument_id,
            "instrument_display_name": run.instrument.display_name,
            "instrument_type": run.instrument.instrument_type,
            "run_id": run.run_id,
            "source": run.source,
            "status": str(run.status_at(self.at)),
            "acquired_at": run.acquired_at,
            "created_at": run.created_at,
            "updated_at": run.updated_at,
            "deleted_at": run.deleted_at,
            "file_count": run.file_count,
            "total_size_bytes": run.total_size_bytes,
            "comment_count": run.comment_count,
            "attributions": [one.display_name for one in run.attributions],
            "tags": run.tags,
            "project_id": str(run.project_id) if run.project_id else None,
        }
        return own | {f"{PREFIX}{key}": value for key, value in run.metadata.items()}


def export_runs(search: RunSearch, *, only: frozenset[str] | None = None, by: Caller, at: datetime) -> RunTable:
    """Every run that the search finds, with these members. Raises ValidationError where none of them is a column."""
    known = {*(column.name for column in OWN_COLUMNS), "metadata"}
    if only is not None and not only & known:
        raise ValidationError(fields={"fields": [f"Columns of a table are {', '.join(sorted(known))}."]})
    return RunTable(filter_runs(search, by=by, at=at), replace(search), at, {"ids.kind": "runs"}, only)


def export_found_runs(runs: RunQuerySet, *, at: datetime) -> RunTable:
    """These runs, the newest first."""
    return RunTable(runs, RunSearch(), at, {"ids.kind": "runs"})


def kind_of(value: Any) -> type:
    """Its type; of a whole number that no column of numbers holds, text."""
    return str if isinstance(value, int) and not is_int64(value) else type(value)


def is_int64(value: int) -> bool:
    return -(2**63) <= value < 2**63


def type_of(kinds: set[type]) -> str:
    if kinds == {bool}:
        return "bool"
    if kinds <= {int, float}:
        return "float64" if float in kinds else "int64"
    return "string"


def fit(value: Any, kind: str) -> Any:
    """A cell of its column; lists and objects as JSON text."""
    if value is None:
        return None
    if kind == "string":
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if kind == "timestamp":
        return value
    if kind == "bool":
        return value if isinstance(value, bool) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int) and not is_int64(value):  # written since the columns were looked for
        return None
    if kind == "int64":
        return value if isinstance(value, int) else None
    return float(value)


def as_json(value: Any) -> Any:
    return format_timestamp(value) if isinstance(value, datetime) else value
