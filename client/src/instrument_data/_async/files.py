"""The files of a run: looked up by name, fetched once, verified, kept by the SHA-256 of their bytes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

import httpx

from instrument_data._async.shown import Counted
from instrument_data._async.waiting import in_thread, sleep
from instrument_data.cache import Sums, copy_whole
from instrument_data.errors import AmbiguousName, ChecksumMismatch, StoreRefused, UnknownName
from instrument_data.filters import Params
from instrument_data.html import facts, size_text
from instrument_data.progress import Bar, bar_for
from instrument_data.records import FileRecord, Raw
from instrument_data.retries import AGAIN, Patience

if TYPE_CHECKING:
    from instrument_data._async.lab import AsyncLab

NAMES_TOLD = 10
NEW_ADDRESS = frozenset({401, 403, 410})  # how stores answer to a signature that ended meanwhile


class AsyncFile(FileRecord):
    """A file record; `path()` is a verified copy on this computer."""

    def __init__(self, lab: AsyncLab, raw: Raw) -> None:
        super().__init__(raw)
        self._lab = lab

    async def path(self, *, progress: bool | Bar | None = False) -> Path:
        """A read-only copy in the local cache, fetched if it is not there. Raises ChecksumMismatch, ServiceError."""
        if self.sha256 and (known := self._lab.cache.find(self.sha256, self.filename)):
            return known
        bar = bar_for(progress)
        bar.start(self.filename, self.size_bytes or 0)
        try:
            with self._lab.cache.draft() as (target, draft):
                sums = await self._fetch(target, bar)
                target.flush()
                self._verify(sums)
                return self._lab.cache.keep(draft, sums.sha256, self.filename)
        finally:
            bar.stop()

    async def read_bytes(self) -> bytes:
        path = await self.path()
        return await in_thread(path.read_bytes)

    async def read_text(self, encoding: str = "utf-8") -> str:
        return (await self.read_bytes()).decode(encoding)

    async def save(self, target: str | Path, *, progress: bool | Bar | None = False) -> Path:
        """A copy of its own, in this folder or under this name."""
        wanted = Path(target).expanduser()
        place = wanted / self.filename if wanted.is_dir() else wanted
        source = await self.path(progress=progress)
        place.parent.mkdir(parents=True, exist_ok=True)
        await in_thread(copy_whole, source, place)
        return place

    async def download_url(self) -> str:
        """A signed address for other programs (DuckDB, a viewer); it is good for fifteen minutes."""
        ticket = await self._lab.connection.ask("GET", f"/files/{self.id}/download")
        return ticket["download_url"]

    async def _fetch(self, target: BinaryIO, bar: Bar) -> Sums:
        """Goes on where a connection broke. Raises StoreRefused, ServiceError."""
        sums, patience = Sums(), Patience(self._lab.connection.patience)
        while True:
            url = await self.download_url()
            why, retry_after = await self._fetch_rest(url, target, sums, bar)
            if why is None:
                return sums
            wait = patience.next_wait(retry_after)
            if wait is None:
                raise StoreRefused(f"{self.filename} cannot be fetched: {why}")
            await sleep(wait)

    async def _fetch_rest(self, url: str, target: BinaryIO, sums: Sums, bar: Bar) -> tuple[str | None, str | None]:
        """Nothing when all came, else why not and what Retry-After said."""
        headers = {"Range": f"bytes={sums.size}-"} if sums.size else {}
        try:
            async with self._lab.connection.store.stream("GET", url, headers=headers) as answer:
                if answer.status_code in AGAIN | NEW_ADDRESS:
                    return f"the object store answered {answer.status_code}", answer.headers.get("Retry-After")
                if answer.status_code != (206 if sums.size else 200):
                    raise StoreRefused(f"{self.filename}: the object store answered {answer.status_code}.")
                async for piece in answer.aiter_raw():
                    await in_thread(target.write, piece)
                    sums.add(piece)
                    bar.advance(len(piece))
        except httpx.TransportError as error:
            return str(error) or type(error).__name__, None
        return None, None

    def _verify(self, sums: Sums) -> None:
        for what, recorded, found in (
            ("size", self.size_bytes, sums.size),
            ("CRC32", self.crc32, sums.crc32),
            ("SHA-256", self.sha256, sums.sha256),
        ):
            if recorded is not None and recorded != found:
                raise ChecksumMismatch(f"{self.relative_path} has the {what} {found}; recorded is {recorded}.")

    def _repr_html_(self) -> str:
        shown = ("relative_path", "status", "category", "content_type", "sha256")
        pairs = [("size", size_text(self.size_bytes)), *((name, self.raw.get(name)) for name in shown)]
        return facts(self.filename, pairs)


class AsyncFiles(Counted):
    """The files of a run: by name or path, or one after the other."""

    def __init__(self, lab: AsyncLab, run_path: str, params: Params) -> None:
        self._lab, self._path, self._params = lab, f"{run_path}/files", params

    async def __getitem__(self, name: str | PurePath) -> AsyncFile:
        """By relative path, or by a name that only one file has. Raises UnknownName, AmbiguousName."""
        name = name.as_posix() if isinstance(name, PurePath) else name
        if not isinstance(name, str):
            raise TypeError(f"Files have names: files['raw.csv'], not {name!r}; in their order by files.all().")
        params = [*self._params, ("search", name.rpartition("/")[2])]
        found = [AsyncFile(self._lab, row) async for row in self._lab.connection.rows(self._path, params)]
        exact = [one for one in found if one.relative_path == name]
        named = exact or [one for one in found if one.filename == name]
        raw = [one for one in named if one.category == "raw"] or named
        if len(raw) == 1:
            return raw[0]
        if raw:
            raise AmbiguousName(f"{len(raw)} files are called {name}: {_told([one.relative_path for one in raw])}.")
        others = [one.relative_path for one in await self.first(NAMES_TOLD)]
        raise UnknownName(f"There is no file {name} in the run; it has {_told(others) or 'none'}.")

    async def __aiter__(self) -> AsyncIterator[AsyncFile]:
        async for row in self._lab.connection.rows(self._path, self._params):
            yield AsyncFile(self._lab, row)

    async def all(self) -> list[AsyncFile]:
        return [one async for one in self]

    async def first(self, count: int) -> list[AsyncFile]:
        page = await self._lab.connection.ask(
            "GET", self._path, params=[*self._params, ("per_page", str(min(max(count, 1), 100)))]
        )
        return [AsyncFile(self._lab, row) for row in page["data"][:count]]

    async def count(self) -> int:
        return await self._lab.connection.total(self._path, self._params)

    async def save(self, folder: str | Path, *, progress: bool | Bar | None = None, parallel: int = 4) -> list[Path]:
        """All stored files, with their folders, into this one. What is there already, byte for byte, is left."""
        from instrument_data._async.downloads import save_files

        return await save_files([one async for one in self], Path(folder), progress=progress, parallel=parallel)

    def _head(self) -> Sequence[str]:
        return ("file", "size", "status", "category")

    def _row(self, one: AsyncFile) -> Sequence[Any]:
        return (one.relative_path, size_text(one.size_bytes), one.status, one.category)


def _told(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMES_TOLD])
