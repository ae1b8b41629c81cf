# Made by client/make_sync.py from _sync/file.py: change that one.
"""A file of a run: fetched once, verified, kept by the SHA-256 of its bytes."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import httpx

from instrument_data._sync.session import Session
from instrument_data._sync.waiting import in_thread, sleep
from instrument_data.cache import Sums, copy_whole
from instrument_data.errors import ChecksumMismatch, StoreRefused
from instrument_data.html import facts, size_text
from instrument_data.progress import Bar, bar_for
from instrument_data.records import FileRecord, Raw
from instrument_data.retries import AGAIN, Patience

NEW_ADDRESS = frozenset({401, 403, 410})  # how stores answer to a signature that ended meanwhile


class File(FileRecord):
    """A file record; `path()` is a verified copy on this computer."""

    def __init__(self, session: Session, raw: Raw) -> None:
        super().__init__(raw)
        self._session = session

    def path(self, *, progress: bool | Bar | None = False) -> Path:
        """A read-only copy in the local cache, fetched if it is not there. Raises ChecksumMismatch, ServiceError."""
        if known := self._find_kept():
            return known
        bar = bar_for(progress)
        bar.start(self.filename, self.size_bytes or 0)
        try:
            with self._session.cache.draft() as (target, draft):
                sums = self._fetch(target, bar)
                target.flush()
                self._verify(sums)
                return self._session.cache.keep(draft, sums.sha256, self.filename)
        finally:
            bar.stop()

    def read_bytes(self) -> bytes:
        path = self.path()
        return in_thread(path.read_bytes)

    def read_text(self, encoding: str = "utf-8") -> str:
        return (self.read_bytes()).decode(encoding)

    def save(self, target: str | Path, *, progress: bool | Bar | None = False) -> Path:
        """A copy of its own, in this folder or under this name."""
        wanted = Path(target).expanduser()
        place = wanted / self.filename if wanted.is_dir() else wanted
        source = self.path(progress=progress)
        place.parent.mkdir(parents=True, exist_ok=True)
        in_thread(copy_whole, source, place)
        return place

    def download_url(self) -> str:
        """A signed address for other programs (DuckDB, a viewer); it is good for fifteen minutes."""
        ticket = self._session.connection.ask("GET", f"/files/{self.id}/download")
        return ticket["download_url"]

    def _find_kept(self) -> Path | None:
        return self._session.cache.find(self.sha256, self.filename, size=self.size_bytes) if self.sha256 else None

    def _fetch(self, target: BinaryIO, bar: Bar) -> Sums:
        """Goes on where a connection broke. Raises StoreRefused, ServiceError."""
        sums, patience = Sums(), Patience(self._session.connection.patience)
        while True:
            url, had = self.download_url(), sums.size
            why, retry_after = self._fetch_rest(url, target, sums, bar)
            if why is None:
                return sums
            if sums.size > had:
                patience.renew()
            wait = patience.next_wait(retry_after)
            if wait is None:
                raise StoreRefused(f"{self.filename} cannot be fetched: {why}")
            sleep(wait)

    def _fetch_rest(self, url: str, target: BinaryIO, sums: Sums, bar: Bar) -> tuple[str | None, str | None]:
        """Nothing when all came, else why not and what Retry-After said."""
        headers = {"Range": f"bytes={sums.size}-"} if sums.size else {}
        try:
            with self._session.connection.store.stream("GET", url, headers=headers) as answer:
                if answer.status_code in AGAIN | NEW_ADDRESS:
                    return f"the object store answered {answer.status_code}", answer.headers.get("Retry-After")
                if answer.status_code != (206 if sums.size else 200):
                    raise StoreRefused(f"{self.filename}: the object store answered {answer.status_code}.")
                for piece in answer.iter_raw():
                    in_thread(target.write, piece)
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
