# Made by client/make_sync.py from _sync/datasets.py: change that one.
"""Datasets: the tables of numbers that reading found in files, of one run or stacked over all that a search finds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import httpx

from instrument_data._sync.connection import save_stream
from instrument_data._sync.file import File
from instrument_data._sync.session import Session
from instrument_data._sync.shown import Counted
from instrument_data.choosing import choose, choose_stacked
from instrument_data.filters import Params
from instrument_data.html import facts
from instrument_data.plotting import check_drawable, draw
from instrument_data.records import DatasetRecord, Raw
from instrument_data.rows_query import ALL_ROWS, MISSING, RowsQuery, format_of
from instrument_data.tables import read_arrow, read_pandas, read_polars, read_xarray, roles_of

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    import xarray
    from matplotlib.axes import Axes

COUNTED = [("format", "json"), ("limit", "1")]


class Measured(Protocol):
    """What has datasets: a run, or all runs that a search finds."""

    def _datasets_source(self) -> tuple[str, Params]: ...


class MeasuredRun(Protocol):
    @property
    def run_id(self) -> str: ...

    @property
    def path(self) -> str: ...


class MeasuredRuns(Protocol):
    def params(self) -> Params: ...


class Rows:
    """Rows to be: put together by `where`, `select` and the others, asked for by `to_…`. It never changes itself."""

    def __init__(self, session: Session, query: RowsQuery = ALL_ROWS) -> None:
        self._session, self._query = session, query

    def where(self, column: str, first: Any, second: Any = MISSING) -> Rows:
        """`("well", "B3")`, `("value", ">", 0.5)`, `("well", ["B3", "B4"])`, `("value", None)`. Raises ValueError."""
        return self._again(self._query.where(column, first, second))

    def select(self, *columns: str) -> Rows:
        return self._again(self._query.select(columns))

    def order_by(self, column: str) -> Rows:
        """A leading - turns the order round."""
        return self._again(self._query.order_by(column))

    def group_by(self, *columns: str) -> Rows:
        return self._again(self._query.group_by(columns))

    def aggregate(self, **functions: str) -> Rows:
        """`mean="value", max="value"`: columns `mean_value`, `max_value`."""
        query = self._query
        for function, column in functions.items():
            query = query.aggregate(function, column)
        return self._again(query)

    def limit(self, count: int, *, offset: int = 0) -> Rows:
        return self._again(self._query.limit(count, offset=offset))

    def max_points(self, count: int) -> Rows:
        """Thinned for drawing: the least and the greatest of each bucket along the axis stay."""
        return self._again(self._query.max_points(count))

    def to_arrow(self) -> pyarrow.Table:
        return read_arrow(self.to_bytes("arrow"))

    def to_polars(self) -> polars.DataFrame:
        return read_polars(self.to_bytes("arrow"))

    def to_pandas(self) -> pandas.DataFrame:
        """Units stand in `frame.attrs["units"]`."""
        return read_pandas(self.to_bytes("arrow"))

    def to_xarray(self) -> xarray.Dataset:
        """Keys, axes and steps become dimensions where they tell rows apart; units are attributes."""
        return read_xarray(self.to_bytes("arrow"), roles=self._roles())

    def to_bytes(self, format: str) -> bytes:  # noqa: A002  (as the interface calls it)
        """csv, ndjson, arrow or parquet, as the service writes it."""
        with self._open(format) as answer:
            return answer.read()

    def stream(self, format: str) -> Iterator[bytes]:  # noqa: A002
        """The same, piece by piece, in constant memory."""
        with self._open(format) as answer:
            for piece in answer.iter_bytes():
                yield piece

    def save(self, target: str | Path) -> Path:
        """Streamed into a file; its ending says how: .csv, .parquet, .arrow, .ndjson."""
        place = Path(target).expanduser()
        path, params = self._source()
        asked = [*params, *self._query.to_params(), ("format", format_of(place.name))]
        return save_stream(self._session.connection, path, asked, place)

    def count(self) -> int:
        """How many rows `where` leaves; groups, where they are grouped."""
        path, params = self._source()
        left = [(name, value) for name, value in self._query.to_params() if name not in ("limit", "offset")]
        page = self._session.connection.ask("GET", path, params=[*params, *left, *COUNTED])
        return page["pagination"]["total"]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Row after row, in constant memory; needs no further library."""
        with self._open("ndjson") as answer:
            for line in answer.iter_lines():
                if line:
                    yield json.loads(line)

    def plot(self, *, axes: Any = None, max_points: int = 4000) -> Axes:
        """One line for each trace over the axis, by matplotlib. Raises ValueError where there is nothing to draw."""
        roles = self._roles()
        check_drawable(roles)
        return draw(self.max_points(max_points).to_bytes("arrow"), roles, axes=axes, title=self._title())

    @contextmanager
    def _open(self, format: str) -> Iterator[httpx.Response]:  # noqa: A002
        path, params = self._source()
        asked = [*params, *self._query.to_params(), ("format", format)]
        with self._session.connection.open("GET", path, params=asked, accept="*/*") as answer:
            yield answer

    def _again(self, query: RowsQuery) -> Rows:
        raise NotImplementedError

    def _source(self) -> tuple[str, Params]:
        raise NotImplementedError

    def _roles(self) -> dict[str, str | None]:
        raise NotImplementedError

    def _title(self) -> str:
        return ""


class Dataset(Rows):
    """One dataset of one run, by its name (or its kind, where only one is of it). Looked up when it is first needed."""

    def __init__(
        self,
        session: Session,
        run: MeasuredRun,
        name: str,
        *,
        file: str | None = None,
        query: RowsQuery = ALL_ROWS,
        found: Raw | None = None,
    ) -> None:
        super().__init__(session, query)
        self._run, self._name, self._file = run, name, file
        self._found = None if found is None else DatasetRecord(found)

    def info(self) -> DatasetRecord:
        """Its columns with units, and how many rows. Raises UnknownName, AmbiguousName."""
        if self._found is None:
            rows = [row for row in self._session.connection.rows(f"{self._run.path}/datasets", [])]
            self._found = DatasetRecord(choose(rows, self._name, file=self._file, run_id=self._run.run_id))
        return self._found

    def path(self) -> Path:
        """The whole of it as a Parquet file in the local cache, verified."""
        file_id = (self.info()).raw["file_id"]
        file = File(self._session, self._session.connection.ask("GET", f"/files/{file_id}"))
        return file.path()

    def statistics(self) -> dict[str, Any]:
        """{column: {min, max, null_count, distinct_count}}."""
        answer = self._session.connection.ask("GET", f"/datasets/{(self.info()).id}")
        return answer["statistics"]

    def _again(self, query: RowsQuery) -> Dataset:
        found = None if self._found is None else self._found.raw
        return Dataset(self._session, self._run, self._name, file=self._file, query=query, found=found)

    def _source(self) -> tuple[str, Params]:
        return f"/datasets/{(self.info()).id}/rows", []

    def _roles(self) -> dict[str, str | None]:
        return roles_of((self.info()).columns)

    def _title(self) -> str:
        return f"{self._run.run_id}, {self._name}"

    def __repr__(self) -> str:
        return f"<Dataset {self._name} of {self._run.run_id}>"

    def _repr_html_(self) -> str:
        about = self._found
        known = [] if about is None else [("columns", ", ".join(column["name"] for column in about.columns))]
        return facts(f"Dataset {self._name}", [("run", self._run.run_id), *known])


class StackedDataset(Rows):
    """The datasets of one name under all runs that a search finds, one below the other."""

    def __init__(
        self,
        session: Session,
        runs: MeasuredRuns,
        name: str,
        *,
        query: RowsQuery = ALL_ROWS,
        found: Sequence[Raw] | None = None,
    ) -> None:
        super().__init__(session, query)
        self._runs, self._name, self._found = runs, name, found

    def _again(self, query: RowsQuery) -> StackedDataset:
        return StackedDataset(self._session, self._runs, self._name, query=query, found=self._found)

    def _source(self) -> tuple[str, Params]:
        found = self._find()
        return "/dataset-rows", [*self._runs.params(), ("name", found[0]["name"] if found else self._name)]

    def _roles(self) -> dict[str, str | None]:
        found = self._find()
        return roles_of(found[0]["columns"]) if found else {}

    def _find(self) -> Sequence[Raw]:
        """One dataset of the name, else of the only name of the kind; none where the runs have no datasets at all.

        One question, however many datasets there are: the service gives one of each name.
        """
        if not self._found:
            params = [*self._runs.params(), ("one_of_each", "name")]
            rows = [row for row in self._session.connection.rows("/datasets", params)]
            self._found = choose_stacked(rows, self._name)
        return self._found

    def _title(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"<Dataset {self._name} over {self._runs!r}>"


class Datasets(Counted):
    """The datasets of a run, or of all runs that a search finds."""

    def __init__(self, session: Session, source: Measured) -> None:
        self._session, self._of = session, source

    def __iter__(self) -> Iterator[DatasetRecord]:
        path, params = self._of._datasets_source()
        for row in self._session.connection.rows(path, params):
            yield DatasetRecord(row)

    def all(self) -> list[DatasetRecord]:
        return [one for one in self]

    def first(self, count: int) -> list[DatasetRecord]:
        path, params = self._of._datasets_source()
        asked = [*params, ("per_page", str(min(max(count, 1), 100)))]
        page = self._session.connection.ask("GET", path, params=asked)
        return [DatasetRecord(row) for row in page["data"][:count]]

    def count(self) -> int:
        path, params = self._of._datasets_source()
        return self._session.connection.total(path, params)

    def __repr__(self) -> str:
        return f"<Datasets of {self._of!r}>"

    def _head(self) -> Sequence[str]:
        return ("run", "dataset", "kind", "rows", "columns", "file")

    def _row(self, one: DatasetRecord) -> Sequence[Any]:
        columns = ", ".join(column["name"] for column in one.columns)
        return (one.raw["run_id"], one.name, one.kind, one.row_count, columns, one.raw["source_filename"])
