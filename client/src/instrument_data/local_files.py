"""The files of a folder as an upload names and describes them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from instrument_data.cache import PIECE, Sums
from instrument_data.html import facts

IGNORED = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})


@dataclass(frozen=True)
class LocalFile:
    path: Path
    name: str  # relative, with /, and such that it can be shown
    size: int
    fault: str = ""  # why the service would not take it


@dataclass(frozen=True)
class Described:
    """A file with its sums: what request-upload-url is told."""

    file: LocalFile
    sha256: str
    crc32: str

    def order(self, *, new_version: bool) -> dict[str, Any]:
        about = {
            "filename": self.file.name.rpartition("/")[2],
            "relative_path": self.file.name,
            "size_bytes": self.file.size,
            "sha256": self.sha256,
            "crc32": self.crc32,
        }
        return {**about, "new_version": True} if new_version else about

    def is_what(self, record: Mapping[str, Any]) -> bool:
        """Whether that is the record of these bytes. Another's, stored for the path meanwhile, is confirmed as well."""
        return record["size_bytes"] == self.file.size and record["sha256"] in (None, self.sha256)


@dataclass(repr=False)
class UploadReport:
    """What became of each file, by its relative path. `run` is the run as it was right after that."""

    run: Any
    uploaded: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)  # the service had these bytes
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def file_count(self) -> int:
        return len(self.uploaded) + len(self.known) + len(self.failed)

    def __repr__(self) -> str:
        told = ", ".join(f"{count} {what}" for what, count in self._counts())
        return f"<UploadReport of {self.run.run_id}: {told}>"

    def _counts(self) -> tuple[tuple[str, int], ...]:
        return (("uploaded", len(self.uploaded)), ("known already", len(self.known)), ("failed", len(self.failed)))

    def _repr_html_(self) -> str:
        return facts(f"Upload of {self.run.run_id}", self._counts())


def list_files(source: str | bytes | Path) -> list[LocalFile]:
    """A file alone, or all of a folder below it. Raises FileNotFoundError; OSError for a folder that cannot be read."""
    root = Path(os.fsdecode(source)).expanduser()
    if root.is_file():
        return [_local_file(root, root.name)]
    if not root.is_dir():
        raise FileNotFoundError(f"There is no file or folder {root}.")
    found = sorted(path for path in _walk(root) if path.is_file() and path.name not in IGNORED)
    return [_local_file(path, path.relative_to(root).as_posix()) for path in found]


def _walk(root: Path) -> Iterator[Path]:
    """`rglob` passes over folders that it may not read, without a word."""

    def refuse(error: OSError) -> None:
        raise error

    for folder, _, names in os.walk(root, onerror=refuse):
        yield from (Path(folder, name) for name in names)


def _local_file(path: Path, name: str) -> LocalFile:
    shown = name.encode("utf-8", "backslashreplace").decode()
    fault = "" if shown == name else "Its name is not valid Unicode. Rename it."
    return LocalFile(path, shown, path.stat().st_size, fault)


def describe(file: LocalFile) -> Described:
    """Reads it once. Raises OSError; ValueError where it cannot be sent, as when it grew or shrank meanwhile."""
    if file.fault:
        raise ValueError(file.fault)
    sums = Sums()
    with file.path.open("rb") as source:
        while piece := source.read(PIECE):
            sums.add(piece)
    if sums.size != file.size:
        raise ValueError("It is still being written.")
    return Described(file, sums.sha256, sums.crc32)


def read_pieces(source: BinaryIO, size: int) -> Iterator[bytes]:
    """So many bytes from here on."""
    while size > 0 and (piece := source.read(min(PIECE, size))):
        size -= len(piece)
        yield piece


@dataclass(frozen=True)
class SentParts:
    """Which parts of a large file the store has, kept between calls: after a break only the rest is sent."""

    place: Path

    def load(self) -> dict[int, str]:
        try:
            return {int(number): str(etag) for number, etag in json.loads(self.place.read_text()).items()}
        except (OSError, ValueError, AttributeError):
            return {}

    def save(self, parts: dict[int, str]) -> None:
        with suppress(OSError):  # without a note a break costs time, nothing else
            self.place.parent.mkdir(parents=True, exist_ok=True)
            number, draft = tempfile.mkstemp(dir=self.place.parent)
            with os.fdopen(number, "w") as file:
                json.dump(parts, file)
            Path(draft).replace(self.place)

    def forget(self) -> None:
        self.place.unlink(missing_ok=True)
