"""The files of a run: looked up by name, or gone through one after the other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path, PurePath
from typing import Any

from instrument_data._async.downloads import save_files
from instrument_data._async.file import AsyncFile
from instrument_data._async.session import AsyncSession
from instrument_data._async.shown import Counted
from instrument_data.errors import AmbiguousName, UnknownName
from instrument_data.filters import Params
from instrument_data.html import size_text
from instrument_data.progress import Bar

NAMES_TOLD = 10


class AsyncFiles(Counted):
    """The files of a run: by name or path, or one after the other."""

    def __init__(self, session: AsyncSession, run_path: str, params: Params) -> None:
        self._session, self._path, self._params = session, f"{run_path}/files", params

    async def __getitem__(self, name: str | PurePath) -> AsyncFile:
        """By relative path, or by a name that only one file has. Raises UnknownName, AmbiguousName."""
        name = name.as_posix() if isinstance(name, PurePath) else name
        if not isinstance(name, str):
            raise TypeError(f"Files have names: files['raw.csv'], not {name!r}; in their order by files.all().")
        params = [*self._params, ("search", name.rpartition("/")[2])]
        found = [AsyncFile(self._session, row) async for row in self._session.connection.rows(self._path, params)]
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
        async for row in self._session.connection.rows(self._path, self._params):
            yield AsyncFile(self._session, row)

    async def all(self) -> list[AsyncFile]:
        return [one async for one in self]

    async def first(self, count: int) -> list[AsyncFile]:
        page = await self._session.connection.ask(
            "GET", self._path, params=[*self._params, ("per_page", str(min(max(count, 1), 100)))]
        )
        return [AsyncFile(self._session, row) for row in page["data"][:count]]

    async def count(self) -> int:
        return await self._session.connection.total(self._path, self._params)

    async def save(self, folder: str | Path, *, progress: bool | Bar | None = None, parallel: int = 4) -> list[Path]:
        """All stored files, with their folders, into this one. What is there already, byte for byte, is left."""
        return await save_files([one async for one in self], Path(folder), progress=progress, parallel=parallel)

    def __repr__(self) -> str:
        return f"<Files of {self._path.removesuffix('/files')}>"

    def _head(self) -> Sequence[str]:
        return ("file", "size", "status", "category")

    def _row(self, one: AsyncFile) -> Sequence[Any]:
        return (one.relative_path, size_text(one.size_bytes), one.status, one.category)


def _told(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMES_TOLD])
