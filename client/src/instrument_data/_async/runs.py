"""Runs: what a search finds, and one of them."""

from __future__ import annotations

import operator
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from instrument_data._async.connection import save_stream
from instrument_data._async.crates import save_crate
from instrument_data._async.datasets import AsyncDataset, AsyncDatasets, AsyncStackedDataset
from instrument_data._async.files import AsyncFiles
from instrument_data._async.session import AsyncSession
from instrument_data._async.share_links import AsyncShareLink
from instrument_data._async.shown import Counted
from instrument_data.cache import safe_name
from instrument_data.errors import UnknownName
from instrument_data.filters import Params, RunFilters
from instrument_data.html import facts, size_text
from instrument_data.plain import plain
from instrument_data.progress import Bar
from instrument_data.records import Raw, RunRecord
from instrument_data.rows_query import format_of
from instrument_data.times import When, end_text

SEARCH = "/instrument-runs"
TAG = re.compile("[a-z0-9-]{1,64}")


class AsyncRun(RunRecord):
    def __init__(self, session: AsyncSession, raw: Raw) -> None:
        super().__init__(raw)
        self._session = session

    @property
    def path(self) -> str:
        """Of the run in the interface."""
        return run_path(self.instrument_id, self.run_id)

    @property
    def url(self) -> str:
        """The run's page in the dashboard."""
        return f"{self._session.url}{self.path}"

    @property
    def files(self) -> AsyncFiles:
        """What the instrument wrote: `run.files["raw.csv"].path()`."""
        return AsyncFiles(self._session, self.path, [("category", "raw")])

    @property
    def all_files(self) -> AsyncFiles:
        """Also what reading made of them."""
        return AsyncFiles(self._session, self.path, [])

    @property
    def datasets(self) -> AsyncDatasets:
        """The tables of numbers that reading found: `run.dataset("plate").to_pandas()`."""
        return AsyncDatasets(self._session, self)

    def dataset(self, name: str, *, file: str | None = None) -> AsyncDataset:
        """By name, else by kind; `file` names the source where several files have one."""
        return AsyncDataset(self._session, self, name, file=file)

    async def _datasets_source(self) -> tuple[str, Params]:
        return f"{self.path}/datasets", []

    async def save_crate(self, target: str | Path, *, progress: bool | Bar | None = None) -> Path:
        """The run as an RO-Crate in one ZIP, in this folder or under this name; `lab.import_crate` takes it again."""
        wanted = Path(target).expanduser()
        place = (
            wanted / f"{safe_name(self.instrument_id)}-{safe_name(self.run_id)}.crate.zip"
            if wanted.is_dir()
            else wanted
        )
        return await save_crate(self._session.connection, self.path, place, progress=progress)

    async def refresh(self) -> AsyncRun:
        """As it is now, with `own_metadata` and `file_status_counts`."""
        return AsyncRun(self._session, await self._session.connection.ask("GET", self.path))

    async def update(self, **metadata: Any) -> AsyncRun:
        """Write these keys of the metadata and leave the others; None removes what was written under a key."""
        body = {"metadata_patch": plain(metadata, name="metadata")}
        return AsyncRun(self._session, await self._session.connection.ask("PATCH", self.path, body=body))

    async def tag(self, *tags: str) -> list[str]:
        """All tags of the run afterwards. Raises ValueError for what is no tag."""
        for tag in tags:
            if not TAG.fullmatch(tag):
                raise ValueError(f"{tag!r} is no tag: 1 to 64 of a-z, 0-9 and hyphens are.")
        answer = {"tags": self.tags}
        for tag in tags:
            answer = await self._session.connection.ask("PUT", f"{self.path}/tags/{quote(tag, safe='')}")
        return answer["tags"]

    async def untag(self, *tags: str) -> list[str]:
        """All tags of the run afterwards."""
        answer = {"tags": self.tags}
        for tag in tags:
            answer = await self._session.connection.ask("DELETE", f"{self.path}/tags/{quote(tag, safe='')}")
        return answer["tags"]

    async def comments(self) -> list[dict[str, Any]]:
        """Oldest first: {id, body, user, token, created_at, edited_at}."""
        return [row async for row in self._session.connection.rows(f"{self.path}/comments", [])]

    async def comment(self, body: str) -> dict[str, Any]:
        """Markdown, under the token's name."""
        return await self._session.connection.ask("POST", f"{self.path}/comments", body={"body": body})

    async def share(self, *, days: int | None = None, until: When | None = None) -> AsyncShareLink:
        """A link by which outsiders read this run and download its files, until it ends: after so many days, or then
        (a day, a datetime, a timedelta from now). Two weeks where neither is said, 90 days at most.

        Its `url` is told now and never again. Raises ValidationError; Forbidden without the scope runs:share.
        """
        body: dict[str, Any] = {} if days is None else {"days": days}
        if until is not None:
            body["expires_at"] = end_text(until)
        return self._link(await self._session.connection.ask("POST", f"{self.path}/share-links", body=body))

    async def share_links(self) -> list[AsyncShareLink]:
        """The open ones that this token made, the newest first."""
        return [self._link(row) async for row in self._session.connection.rows(f"{self.path}/share-links", [])]

    def _link(self, raw: Raw) -> AsyncShareLink:
        return AsyncShareLink(self._session.connection, f"{self.path}/share-links", raw)

    def _repr_html_(self) -> str:
        shown = ("instrument_id", "status", "acquired_at", "metadata", "tags", "ran_by", "file_count")
        pairs = [(name, getattr(self, name)) for name in shown]
        return facts(self.run_id, [*pairs, ("size", size_text(self.size_bytes))])


class AsyncRuns(Counted):
    """What a search finds, asked for when it is looked at, and asked again each time it is gone through."""

    def __init__(self, session: AsyncSession, filters: RunFilters) -> None:
        self._session, self._filters = session, filters
        self._known: list[AsyncRun] = []

    async def __getitem__(self, index: int) -> AsyncRun:
        """The first is the newest, unless `sort` and `order` say otherwise. Raises IndexError."""
        try:
            index = operator.index(index)
        except TypeError:
            raise TypeError("Runs are counted: runs[0]; several: runs.first(5); by name: lab.run().") from None
        known = await self.all() if index < 0 else self._known
        if index >= len(known):
            known = self._known = await self.first(max(index + 1, 2 * len(known)))
        try:
            return known[index]
        except IndexError:
            found = f"{len(known)} found, none at [{index}]" if known else "none is found"
            raise IndexError(f"Of these runs {found}: {self._filters.describe()}") from None

    async def __aiter__(self) -> AsyncIterator[AsyncRun]:
        async for row in self._session.connection.rows(SEARCH, await self.params()):
            yield AsyncRun(self._session, row)

    async def all(self) -> list[AsyncRun]:
        return [one async for one in self]

    async def first(self, count: int) -> list[AsyncRun]:
        found: list[AsyncRun] = []
        async for one in self:
            found.append(one)
            if len(found) >= count:
                break
        return found

    async def count(self) -> int:
        return await self._session.connection.total(SEARCH, await self.params())

    @property
    def datasets(self) -> AsyncDatasets:
        """Those of all these runs."""
        return AsyncDatasets(self._session, self)

    def dataset(self, name: str) -> AsyncStackedDataset:
        """Of all these runs in one frame, below one another, with the run's name in its first columns."""
        return AsyncStackedDataset(self._session, self, name)

    async def save(self, target: str | Path) -> Path:
        """The list itself, a column for each metadata key, by the file's ending: .csv, .parquet, .arrow, .ndjson."""
        place = Path(target).expanduser()
        asked = [*await self.params(), ("format", format_of(place.name))]
        return await save_stream(self._session.connection, SEARCH, asked, place)

    async def params(self) -> Params:
        """The query of GET /instrument-runs. Raises UnknownName for an instrument or project that is not there."""
        found = [("instrument_id", await self._session.find_instrument_id(name)) for name in self._filters.instruments]
        if self._filters.project is not None:
            found.append(("project_id", await self._session.find_project_id(self._filters.project)))
        return [*found, *self._filters.params]

    async def _datasets_source(self) -> tuple[str, Params]:
        return "/datasets", await self.params()

    def __repr__(self) -> str:
        return f"<Runs: {self._filters.describe()}>"

    def _head(self) -> Sequence[str]:
        return ("run", "instrument", "status", "acquired", "files", "size", "metadata")

    def _row(self, one: AsyncRun) -> Sequence[Any]:
        size = size_text(one.size_bytes)
        return (one.run_id, one.instrument_id, one.status, one.acquired_at, one.file_count, size, one.metadata)


def run_path(instrument_id: str, run_id: str) -> str:
    """Raises UnknownName for what no run can be called and an address would take for another."""
    if run_id in ("", ".", ".."):
        raise UnknownName(f"No run is called {run_id!r}.")
    return f"/instruments/{quote(instrument_id, safe='')}/runs/{quote(run_id, safe='')}"


def new_run(run_id: str, metadata: Mapping[str, Any] | None, acquired_at: str | None) -> dict[str, Any]:
    """The body that reports a run; reporting a known one answers it."""
    body: dict[str, Any] = {"run_id": run_id, "source": "script"}
    if metadata:
        body["metadata"] = plain(metadata, name="metadata")
    return {**body, "acquired_at": acquired_at} if acquired_at else body
