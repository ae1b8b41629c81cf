"""A folder that a lab leaves with.

DIR/manifest.json      what it is of, when, what changed meanwhile; written last, with the SHA-256 of pieces.jsonl
DIR/pieces.jsonl       path, size and SHA-256 of every other file; SHA256SUMS says the same for sha256sum -c
DIR/tables/*.jsonl     the rows of a table, one a line; *.parquet beside it says the same
DIR/trail.jsonl        the trail
DIR/runs/<instrument>/<run>_<id>.zip   an RO-Crate of each run
DIR/work.sqlite3       which pieces are finished, while it is being written
"""

import fcntl
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Self, cast

from files.storage.disk import sync_directory, write_file
from operations.leaving.bucket import Place

FORMAT = "ids-export/1"
MANIFEST, PIECES, SUMS, WORK = "manifest.json", "pieces.jsonl", "SHA256SUMS", "work.sqlite3"
PART = ".part"
HOLDER = "holder"  # of a bucket's lock, in the journal


class LeavingError(Exception):
    """Its text is for the person at the terminal: what is wrong, and what to do."""


@dataclass(frozen=True)
class Piece:
    path: str
    size_bytes: int
    sha256: str

    def fault_in(self, root: Place) -> str | None:
        """What is wrong with the file in this folder."""
        path = root / self.path
        if not path.is_file():
            return "missing"
        if path.stat().st_size != self.size_bytes:
            return "another size"
        return None if digest_of(path) == self.sha256 else "other bytes"


class PieceWriter:
    """A file on its way: it has its name once it is whole and on disk. Also a sink of archives."""

    def __init__(self, root: Path, path: str) -> None:
        self.root, self.path, self.size_bytes, self.digest = root, path, 0, hashlib.sha256()
        self.target = root / path
        self.part = self.target.with_name(self.target.name + PART)
        self.target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.file: BinaryIO = self.part.open("wb")

    def write(self, data: bytes | bytearray | memoryview, *, crc32: int | None = None) -> None:
        self.file.write(data)
        self.digest.update(data)
        self.size_bytes += len(data)

    def finish(self) -> Piece:
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        self.part.replace(self.target)
        sync_directory(self.target.parent)
        return Piece(self.path, self.size_bytes, self.digest.hexdigest())

    def discard(self) -> None:
        self.file.close()
        self.part.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


class Journal:
    """Which pieces are finished, and what is to be said at the end; as large as it gets, on disk."""

    def __init__(self, path: Path) -> None:
        self.database = sqlite3.connect(path, isolation_level=None)
        self.database.execute("CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT)")
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS pieces (path TEXT PRIMARY KEY, size_bytes INT, sha256 TEXT, told TEXT)"
        )

    def read(self, name: str) -> Any:
        found = self.database.execute("SELECT value FROM about WHERE name = ?", [name]).fetchone()
        return json.loads(found[0]) if found else None

    def note(self, **about: Any) -> None:
        rows = [(name, json.dumps(value)) for name, value in about.items()]
        self.database.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", rows)

    def find(self, path: str) -> Piece | None:
        found = self.database.execute("SELECT path, size_bytes, sha256 FROM pieces WHERE path = ?", [path]).fetchone()
        return Piece(*found) if found else None

    def add(self, piece: Piece, *, told: list[list[str]]) -> None:
        values = [piece.path, piece.size_bytes, piece.sha256, json.dumps(told)]
        self.database.execute("INSERT OR REPLACE INTO pieces VALUES (?, ?, ?, ?)", values)

    def pieces(self) -> Iterator[Piece]:
        rows = self.database.execute("SELECT path, size_bytes, sha256 FROM pieces ORDER BY path")
        return (Piece(*row) for row in rows)

    def told(self) -> Iterator[list[str]]:
        for (lines,) in self.database.execute("SELECT told FROM pieces WHERE told <> '[]' ORDER BY path"):
            yield from json.loads(lines)

    def close(self) -> None:
        self.database.close()


@contextmanager
def open_for_writing(root: Path) -> Iterator[Journal]:
    """Within it the folder is ours, and nobody else writes to it. Raises LeavingError."""
    if (root / MANIFEST).exists() and not (root / WORK).exists():
        raise LeavingError(f"{root} is a finished export: look at it with --verify, or choose another folder.")
    if root.is_dir() and any(root.iterdir()) and not (root / WORK).exists():
        raise LeavingError(f"{root} is neither empty nor an export that was begun: choose another.")
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        journal = Journal(root / WORK)
        try:
            yield journal
        finally:
            journal.close()
    except BlockingIOError:
        raise LeavingError(f"Another export is being written to {root}.") from None
    finally:
        os.close(descriptor)


def finish_folder(root: Path, journal: Journal, *, take: Callable[[str], None], **about: Any) -> None:
    """Write down every piece, and last of all the manifest; `take` has each of these before the journal is gone."""
    totals = {"pieces": 0, "size_bytes": 0}
    with PieceWriter(root, PIECES) as lines, PieceWriter(root, SUMS) as sums:
        for one in journal.pieces():
            lines.write(json.dumps(vars(one), ensure_ascii=False).encode() + b"\n")
            sums.write(f"{one.sha256}  {one.path}\n".encode())
            totals = {"pieces": totals["pieces"] + 1, "size_bytes": totals["size_bytes"] + one.size_bytes}
        listed = lines.finish()
        sums.finish()
    text = json.dumps({"format": FORMAT, **about, **totals, "pieces_sha256": listed.sha256}, indent=1)
    write_file(root / MANIFEST, text.encode())
    for path in (PIECES, SUMS, MANIFEST):
        take(path)
    journal.close()
    (root / WORK).unlink()


def read_manifest(root: Place) -> dict[str, Any]:
    """Raises LeavingError."""
    try:
        found: Any = json.loads((root / MANIFEST).read_text())
    except FileNotFoundError:
        raise LeavingError(f"{root} has no {MANIFEST}: it is no export, or one that is not finished.") from None
    except (OSError, ValueError) as problem:
        raise LeavingError(f"{root / MANIFEST} cannot be read: {problem}") from None
    if not isinstance(found, dict):
        raise LeavingError(f"{root / MANIFEST} is of no format that is known; this version reads {FORMAT}.")
    if found.get("format") != FORMAT:
        raise LeavingError(f"{root} is of the format {found.get('format')!r}; this version reads {FORMAT}.")
    if digest_of(root / PIECES) != found["pieces_sha256"]:
        raise LeavingError(f"{root / PIECES} is not what was exported.")
    return found


def read_pieces(root: Place) -> Iterator[Piece]:
    with (root / PIECES).open("rb") as lines:
        for line in lines:
            yield _refuse_outside(Piece(**json.loads(line)))


def find_faults(root: Place) -> Iterator[tuple[Piece, str | None]]:
    """Every piece, read, with what is wrong with it. Needs no service. Raises LeavingError."""
    read_manifest(root)
    for one in read_pieces(root):
        yield one, one.fault_in(root)


def digest_of(path: Place) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(cast(Any, file), "sha256").hexdigest()


def _refuse_outside(piece: Piece) -> Piece:
    path = PurePosixPath(piece.path)
    if path.is_absolute() or ".." in path.parts:
        raise LeavingError(f"{piece.path!r} leads out of the folder: this is no export of a service.")
    return piece
