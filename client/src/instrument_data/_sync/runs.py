# Made by client/make_sync.py from _sync/runs.py: change that one.
"""Runs: what a search finds, and one of them."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from instrument_data._sync.connection import save_stream
from instrument_data._sync.crates import save_crate
from instrument_data._sync.datasets import Dataset, Datasets, StackedDataset
from instrument_data._sync.files import Files
from instrument_data._sync.session import Session
from instrument_data._sync.share_links import ShareLink
from instrument_data._sync.shown import Counted
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


class Run(RunRecord):
    def __init__(self, session: Session, raw: Raw) -> None:
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
    def files(self) -> Files:
        """What the instrument wrote: `run.files["raw.csv"].path()`."""
        return Files(self._session, self.path, [("category", "raw")])

    @property
    def all_files(self) -> Files:
        """Also what reading made of them."""
        return Files(self._session, self.path, [])

    @property
    def datasets(self) -> Datasets:
        """The tables of numbers that reading found: `run.dataset("plate").to_pandas()`."""
        return Datasets(self._session, self)

    def dataset(self, name: str, *, file: str | None = None) -> Dataset:
        """By name, else by kind; `file` names the source where several files have one."""
        return Dataset(self._session, self, name, file=file)

    def _datasets_source(self) -> tuple[str, Params]:
        return f"{self.path}/datasets", []

    def save_crate(self, target: str | Path, *, progress: bool | Bar | None = None) -> Path:
        """The run as an RO-Crate in one ZIP, in this folder or under this name; `lab.import_crate` takes it again."""
        wanted = Path(target).expanduser()
        place = (
            wanted / f"{safe_name(self.instrument_id)}-{safe_name(self.run_id)}.crate.zip"
            if wanted.is_dir()
            else wanted
        )
        return save_crate(self._session.connection, self.path, place, progress=progress)

    def refresh(self) -> Run:
        """As it is now, with `own_metadata` and `file_status_counts`."""
        return Run(self._session, self._session.connection.ask("GET", self.path))

    def update(self, **metadata: Any) -> Run:
        """Write these keys of the metadata and leave the others; None removes what was written under a key."""
        body = {"metadata_patch": plain(metadata, name="metadata")}
        return Run(self._session, self._session.connection.ask("PATCH", self.path, body=body))

    def tag(self, *tags: str) -> list[str]:
        """All tags of the run afterwards. Raises ValueError for what is no tag."""
        for tag in tags:
            if not TAG.fullmatch(tag):
                raise ValueError(f"{tag!r} is no tag: 1 to 64 of a-z, 0-9 and hyphens are.")
        answer = {"tags": self.tags}
        for tag in tags:
            answer = self._session.connection.ask("PUT", f"{self.path}/tags/{quote(tag, safe='')}")
        return answer["tags"]

    def untag(self, *tags: str) -> list[str]:
        """All tags of the run afterwards."""
        answer = {"tags": self.tags}
        for tag in tags:
            answer = self._session.connection.ask("DELETE", f"{self.path}/tags/{quote(tag, safe='')}")
        return answer["tags"]

    def comments(self) -> list[dict[str, Any]]:
        """Oldest first: {id, body, user, token, created_at, edited_at}."""
        return [row for row in self._session.connection.rows(f"{self.path}/comments", [])]

    def comment(self, body: str) -> dict[str, Any]:
        """Markdown, under the token's name."""
        return self._session.connection.ask("POST", f"{self.path}/comments", body={"body": body})

    def share(self, *, days: int | None = None, until: When | None = None) -> ShareLink:
        """A link by which outsiders read this run and download its files, until it ends: after so many days, or then
        (a day, a datetime, a timedelta from now). Two weeks where neither is said, 90 days at most.

        Its `url` is told now and never again. Raises ValidationError; Forbidden without the scope runs:share.
        """
        body: dict[str, Any] = {} if days is None else {"days": days}
        if until is not None:
            body["expires_at"] = end_text(until)
        return self._link(self._session.connection.ask("POST", f"{self.path}/share-links", body=body))

    def share_links(self) -> list[ShareLink]:
        """The open ones that this token made, the newest first."""
        return [self._link(row) for row in self._session.connection.rows(f"{self.path}/share-links", [])]

    def _link(self, raw: Raw) -> ShareLink:
        return ShareLink(self._session.connection, f"{self.path}/share-links", raw)

    def _repr_html_(self) -> str:
        shown = ("instrument_id", "status", "acquired_at", "metadata", "tags", "ran_by", "file_count")
        pairs = [(name, getattr(self, name)) for name in shown]
        return facts(self.run_id, [*pairs, ("size", size_text(self.size_bytes))])


class Runs(Counted):
    """What a search finds, asked for when it is looked at, and asked again each time it is gone through."""

    def __init__(self, session: Session, filters: RunFilters) -> None:
        self._session, self._filters = session, filters
        self._known: list[Run] = []

    def __getitem__(self, index: int) -> Run:
        """The first is the newest, unless `sort` and `order` say otherwise. Raises IndexError."""
        try:
            index = operator.index(index)
        except TypeError:
            raise TypeError("Runs are counted: runs[0]; several: runs.first(5); by name: lab.run().") from None
        known = self.all() if index < 0 else self._known
        if index >= len(known):
            known = self._known = self.first(max(index + 1, 2 * len(known)))
        try:
            return known[index]
        except IndexError:
            found = f"{len(known)} found, none at [{index}]" if known else "none is found"
            raise IndexError(f"Of these runs {found}: {self._filters.describe()}") from None

    def __iter__(self) -> Iterator[Run]:
        for row in self._session.connection.rows(SEARCH, self.params()):
            yield Run(self._session, row)

    def all(self) -> list[Run]:
        return [one for one in self]

    def first(self, count: int) -> list[Run]:
        found: list[Run] = []
        for one in self:
            found.append(one)
            if len(found) >= count:
                break
        return found

    def count(self) -> int:
        return self._session.connection.total(SEARCH, self.params())

    @property
    def datasets(self) -> Datasets:
        """Those of all these runs."""
        return Datasets(self._session, self)

    def dataset(self, name: str) -> StackedDataset:
        """Of all these runs in one frame, below one another, with the run's name in its first columns."""
        return StackedDataset(self._session, self, name)

    def save(self, target: str | Path) -> Path:
        """The list itself, a column for each metadata key, by the file's ending: .csv, .parquet, .arrow, .ndjson."""
        place = Path(target).expanduser()
        asked = [*self.params(), ("format", format_of(place.name))]
        return save_stream(self._session.connection, SEARCH, asked, place)

    def params(self) -> Params:
        """The query of GET /instrument-runs. Raises UnknownName for an instrument or project that is not there."""
        found = [("instrument_id", self._session.find_instrument_id(name)) for name in self._filters.instruments]
        if self._filters.project is not None:
            found.append(("project_id", self._session.find_project_id(self._filters.project)))
        return [*found, *self._filters.params]

    def _datasets_source(self) -> tuple[str, Params]:
        return "/datasets", self.params()

    def __repr__(self) -> str:
        return f"<Runs: {self._filters.describe()}>"

    def _head(self) -> Sequence[str]:
        return ("run", "instrument", "status", "acquired", "files", "size", "metadata")

    def _row(self, one: Run) -> Sequence[Any]:
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
