"""RO-Crates of an Instrument Data Service, as they lie on this computer: a ZIP, or a folder it was unpacked into."""

from __future__ import annotations

import json
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from instrument_data.cache import PIECE, Sums
from instrument_data.errors import ChecksumMismatch, NotACrate
from instrument_data.local_files import LocalFile

FORMAT = "ids-crate/1"
MANIFEST = "manifest.json"
MAX_MANIFEST_BYTES = 512 * 1024 * 1024  # some 1.5 million files
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1  # of the flags of an entry
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError)


@dataclass(frozen=True)
class CrateEntry:
    """A file of the instrument: where it is in the crate, and what it was called on the service it comes from."""

    path: str
    relative_path: str
    size: int
    sha256: str | None


@dataclass(frozen=True)
class Crate:
    """What a crate says of its run. `entries` are the instrument's files; what reading made of them is made anew."""

    instrument_id: str
    run_id: str
    acquired_at: str | None
    metadata: dict[str, Any]
    tags: list[str]
    entries: list[CrateEntry]


@contextmanager
def open_crate(place: str | Path) -> Iterator[tuple[Crate, list[LocalFile]]]:
    """The crate and its files, each compared with its SHA-256. A ZIP is unpacked into a folder that is removed after.

    Raises NotACrate, ChecksumMismatch, FileNotFoundError.
    """
    source = Path(place).expanduser()
    if source.is_dir():
        crate = read_crate(_read_manifest_of(source))
        yield crate, [verify_entry(entry, source) for entry in crate.entries]
        return
    with TemporaryDirectory(prefix="ids-crate-") as folder, _open_zip(source) as archive:
        crate = read_crate(_read_manifest_in(archive))
        unpacked = (
            unpack_entry(archive, entry, Path(folder), name=f"{number:08d}")
            for number, entry in enumerate(crate.entries)
        )
        yield crate, [verify_entry(entry, Path(folder)) for entry in unpacked]


def read_crate(text: bytes) -> Crate:
    """Raises NotACrate."""
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise NotACrate(f"Its manifest.json is {document['format']}, not {FORMAT}.")
        run, rows = document["run"], document["files"]
        entries = [
            CrateEntry(
                _typed(row["path"], str),
                _typed(row["relative_path"], str),
                _typed(row["size_bytes"], int),
                _typed(row["sha256"], str | None),
            )
            for row in rows
            if row["category"] == "raw"
        ]
        if len({entry.path for entry in entries}) < len(entries):
            raise NotACrate("Its manifest.json names a file twice.")
        return Crate(
            _typed(document["instrument_id"], str),
            _typed(document["run_id"], str),
            _typed(run["acquired_at"], str | None),
            _typed(run["own_metadata"], dict),
            [_typed(tag, str) for tag in _typed(run["tags"], list)],
            entries,
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise NotACrate(f"Its manifest.json cannot be read: {error!r}.") from error


def _typed(value: Any, kind: Any) -> Any:
    """Raises TypeError."""
    if not isinstance(value, kind):
        raise TypeError(f"{str(value)[:100]!r} is not of {kind}")
    return value


def unpack_entry(archive: zipfile.ZipFile, entry: CrateEntry, folder: Path, *, name: str) -> CrateEntry:
    """Under a name of our own: names from a manifest are never paths on this computer.

    What is of another size is not unpacked, however small it looks. Raises NotACrate, ChecksumMismatch.
    """
    try:
        found = archive.getinfo(entry.path)
    except KeyError:
        raise NotACrate(f"It names {entry.path}, which is not in it.") from None
    if found.flag_bits & ENCRYPTED or found.compress_type not in COMPRESSIONS:
        raise NotACrate(f"{entry.path} is packed otherwise than an Instrument Data Service does.")
    if found.file_size != entry.size:
        raise ChecksumMismatch(f"{entry.relative_path} has {found.file_size} bytes; its crate says {entry.size}.")
    try:
        with archive.open(found) as source, (folder / name).open("xb") as target:
            shutil.copyfileobj(source, target, PIECE)
    except BROKEN as error:
        raise ChecksumMismatch(f"{entry.path}: {error}") from error
    return CrateEntry(name, entry.relative_path, entry.size, entry.sha256)


def verify_entry(entry: CrateEntry, folder: Path) -> LocalFile:
    """Raises ChecksumMismatch, NotACrate."""
    place = (folder / entry.path).resolve()
    if not place.is_relative_to(folder.resolve()) or not place.is_file():
        raise NotACrate(f"It names {entry.path}, which is not in it.")
    sums = Sums()
    with place.open("rb") as source:
        while piece := source.read(PIECE):
            sums.add(piece)
    if sums.size != entry.size or entry.sha256 not in (None, sums.sha256):
        raise ChecksumMismatch(f"{entry.relative_path} is not as its crate says: the SHA-256 is {sums.sha256}.")
    return LocalFile(place, entry.relative_path, entry.size)


@contextmanager
def _open_zip(source: Path) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(source)
    except zipfile.BadZipFile as error:
        raise NotACrate(f"{source} is no ZIP: {error}.") from error
    with archive:
        yield archive


def _read_manifest_in(archive: zipfile.ZipFile) -> bytes:
    try:
        if archive.getinfo(MANIFEST).file_size > MAX_MANIFEST_BYTES:
            raise NotACrate("Its manifest.json is larger than any that an Instrument Data Service writes.")
        return archive.read(MANIFEST)
    except KeyError:
        raise NotACrate("It has no manifest.json: only crates of an Instrument Data Service are imported.") from None
    except (*BROKEN, RuntimeError) as error:
        raise NotACrate(f"Its manifest.json cannot be read: {error}.") from error


def _read_manifest_of(folder: Path) -> bytes:
    try:
        return (folder / MANIFEST).read_bytes()
    except FileNotFoundError:
        raise NotACrate("It has no manifest.json: only crates of an Instrument Data Service are imported.") from None
