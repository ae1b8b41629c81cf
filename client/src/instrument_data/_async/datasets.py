"""Datasets: the tables of numbers that reading found in files, of one run or stacked over all that a search finds."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import httpx

from instrument_data._async.connection import save_stream
from instrument_data._async.file import AsyncFile
from instrument_data._async.session import AsyncSession
from instrument_data._async.shown import Counted
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


class AsyncMeasured(Protocol):
    """What has datasets: a run, or all runs that a search finds."""

    async def _datasets_source(self) -> tuple[str, Params]: ...


class MeasuredRun(Protocol):
    @property
    def run_id(self) -> str: ...

    @property
    def path(self) -> str: ...


class AsyncMeasuredRuns(Protocol):
    async def params(self) -> Params: ...


class AsyncRows:
    """Rows to be: put together by `where`, `select` and the others, asked for by `to_…`. It never changes itself."""

    def __init__(self, session: AsyncSession, query: RowsQuery = ALL_ROWS) -> None:
        self._session, self._query = session, query

    def where(self, column: str, first: Any, second: Any = MISSING) -> AsyncRows:
        """`("well", "B3")`, `("value", ">", 0.5)`, `("well", ["B3", "B4"])`, `("value", None)`. Raises ValueError."""
        return self._again(self._query.where(column, first, second))

    def select(self, *columns: str) -> AsyncRows:
        return self._again(self._query.select(columns))

    def order_by(self, column: str) -> AsyncRows:
        """A leading - turns the order round."""
        return self._again(self._query.order_by(column))

    def group_by(self, *columns: str) -> AsyncRows:
        return self._again(self._query.group_by(columns))

    def aggregate(self, **functions: str) -> AsyncRows:
        """`mean="value", max="value"`: columns `mean_value`, `max_value`."""
        query = self._query
        for function, column in functions.items():
            query = query.aggregate(function, column)
        return self._again(query)

    def limit(self, count: int, *, offset: int = 0) -> AsyncRows:
        return self._again(self._query.limit(count, offset=offset))

    def max_points(self, count: int) -> AsyncRows:
        """Thinned for drawing: the least and the greatest of each bucket along the axis stay."""
        return self._again(self._query.max_points(count))

    async def to_arrow(self) -> pyarrow.Table:
        return read_arrow(await self.to_bytes("arrow"))

    async def to_polars(self) -> polars.DataFrame:
        return read_polars(await self.to_bytes("arrow"))

    async def to_pandas(self) -> pandas.DataFrame:
        """Units stand in `frame.attrs["units"]`."""
        return read_pandas(await self.to_bytes("arrow"))

    async def to_xarray(self) -> xarray.Dataset:
        """Keys, axes and steps become dimensions where they tell rows apart; units are attributes."""
        return read_xarray(await self.to_bytes("arrow"), roles=await self._roles())

    async def to_bytes(self, format: str) -> bytes:  # noqa: A002  (as the interface calls it)
        """csv, ndjson, arrow or parquet, as the service writes it."""
        async with self._open(format) as answer:
            return await answer.aread()

    async def stream(self, format: str) -> AsyncIterator[bytes]:  # noqa: A002
        """The same, piece by piece, in constant memory."""
        async with self._open(format) as answer:
            async for piece in answer.aiter_bytes():
                yield piece

    async def save(self, target: str | Path) -> Path:
        """Streamed into a file; its ending says how: .csv, .parquet, .arrow, .ndjson."""
        place = Path(target).expanduser()
        path, params = await self._source()
        asked = [*params, *self._query.to_params(), ("format", format_of(place.name))]
        return await save_stream(self._session.connection, path, asked, place)

    async def count(self) -> int:
        """How many rows `where` leaves; groups, where they are grouped."""
        path, params = await self._source()
        left = [(name, value) for name, value in self._query.to_params() if name not in ("limit", "offset")]
        page = await self._session.connection.ask("GET", path, params=[*params, *left, *COUNTED])
        return page["pagination"]["total"]

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        """Row after row, in constant memory; needs no further library."""
        async with self._open("ndjson") as answer:
            async for line in answer.aiter_lines():
                if line:
                    yield json.loads(line)

    async def plot(self, *, axes: Any = None, max_points: int = 4000) -> Axes:
        """One line for each trace over the axis, by matplotlib. Raises ValueError where there is nothing to draw."""
        roles = await self._roles()
        check_drawable(roles)
        return draw(await self.max_points(max_points).to_bytes("arrow"), roles, axes=axes, title=self._title())

    @asynccontextmanager
    async def _open(self, format: str) -> AsyncIterator[httpx.Response]:  # noqa: A002
        path, params = await self._source()
        asked = [*params, *self._query.to_params(), ("format", format)]
        async with self._session.connection.open("GET", path, params=asked, accept="*/*") as answer:
            yield answer

    def _again(self, query: RowsQuery) -> AsyncRows:
        raise NotImplementedError

    async def _source(self) -> tuple[str, Params]:
        raise NotImplementedError

    async def _roles(self) -> dict[str, str | None]:
        raise NotImplementedError

    def _title(self) -> str:
        return ""


class AsyncDataset(AsyncRows):
    """One dataset of one run, by its name (or its kind, where only one is of it). Looked up when it is first needed."""

    def __init__(
        self,
        session: AsyncSession,
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

    async def info(self) -> DatasetRecord:
        """Its columns with units, and how many rows. Raises UnknownName, AmbiguousName."""
        if self._found is None:
            rows = [row async for row in self._session.connection.rows(f"{self._run.path}/datasets", [])]
            self._found = DatasetRecord(choose(rows, self._name, file=self._file, run_id=self._run.run_id))
        return self._found

    async def path(self) -> Path:
        """The whole of it as a Parquet file in the local cache, verified."""
        file_id = (await self.info()).raw["file_id"]
        file = AsyncFile(self._session, await self._session.connection.ask("GET", f"/files/{file_id}"))
        return await file.path()

    async def statistics(self) -> dict[str, Any]:
        """{column: {min, max, null_count, distinct_count}}."""
        answer = await self._session.connection.ask("GET", f"/datasets/{(await self.info()).id}")
        return answer["statistics"]

    def _again(self, query: RowsQuery) -> AsyncDataset:
        found = None if self._found is None else self._found.raw
        return AsyncDataset(self._session, self._run, self._name, file=self._file, query=query, found=found)

    async def _source(self) -> tuple[str, Params]:
        return f"/datasets/{(await self.info()).id}/rows", []

    async def _roles(self) -> dict[str, str | None]:
        return roles_of((await self.info()).columns)

    def _title(self) -> str:
        return f"{self._run.run_id}, {self._name}"

    def __repr__(self) -> str:
        return f"<Dataset {self._name} of {self._run.run_id}>"

    def _repr_html_(self) -> str:
        about = self._found
        known = [] if about is None else [("columns", ", ".join(column["name"] for column in about.columns))]
        return facts(f"Dataset {self._name}", [("run", self._run.run_id), *known])


class AsyncStackedDataset(AsyncRows):
    """The datasets of one name under all runs that a search finds, one below the other."""

    def __init__(
        self,
        session: AsyncSession,
        runs: AsyncMeasuredRuns,
        name: str,
        *,
        query: RowsQuery = ALL_ROWS,
        found: Sequence[Raw] | None = None,
    ) -> None:
        super().__init__(session, query)
        self._runs, self._name, self._found = runs, name, found

    def _again(self, query: RowsQuery) -> AsyncStackedDataset:
        return AsyncStackedDataset(self._session, self._runs, self._name, query=query, found=self._found)

    async def _source(self) -> tuple[str, Params]:
        found = await self._find()
        return "/dataset-rows", [*await self._runs.params(), ("name", found[0]["name"] if found else self._name)]

    async def _roles(self) -> dict[str, str | None]:
        found = await self._find()
        return roles_of(found[0]["columns"]) if found else {}

    async def _find(self) -> Sequence[Raw]:
        """One dataset of the name, else of the only name of the kind; none where the runs have no datasets at all.

        One question, however many datasets there are: the service gives one of each name.
        """
        if not self._found:
            params = [*await self._runs.params(), ("one_of_each", "name")]
            rows = [row async for row in self._session.connection.rows("/datasets", params)]
            self._found = choose_stacked(rows, self._name)
        return self._found

    def _title(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"<Dataset {self._name} over {self._runs!r}>"


class AsyncDatasets(Counted):
    """The datasets of a run, or of all runs that a search finds."""

    def __init__(self, session: AsyncSession, source: AsyncMeasured) -> None:
        self._session, self._of = session, source

    async def __aiter__(self) -> AsyncIterator[DatasetRecord]:
        path, params = await self._of._datasets_source()
        async for row in self._session.connection.rows(path, params):
            yield DatasetRecord(row)

    async def all(self) -> list[DatasetRecord]:
        return [one async for one in self]

    async def first(self, count: int) -> list[DatasetRecord]:
        path, params = await self._of._datasets_source()
        asked = [*params, ("per_page", str(min(max(count, 1), 100)))]
        page = await self._session.connection.ask("GET", path, params=asked)
        return [DatasetRecord(row) for row in page["data"][:count]]

    async def count(self) -> int:
        path, params = await self._of._datasets_source()
        return await self._session.connection.total(path, params)

    def __repr__(self) -> str:
        return f"<Datasets of {self._of!r}>"

    def _head(self) -> Sequence[str]:
        return ("run", "dataset", "kind", "rows", "columns", "file")

    def _row(self, one: DatasetRecord) -> Sequence[Any]:
        columns = ", ".join(column["name"] for column in one.columns)
        return (one.raw["run_id"], one.name, one.kind, one.row_count, columns, one.raw["source_filename"])
