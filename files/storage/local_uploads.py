"""Multipart uploads of the local store.

    .uploads/<id>/upload.json        key, type, announced size, part size
    .uploads/<id>/object/data        every part at its offset, so that completing copies nothing
    .uploads/<id>/parts/<n>.json     the journal: whose attempt writes part n and, once verified, its size and CRC32
    .uploads/<id>/sealed/            `parts` under its last name, from the moment completing began
    .uploads/<id>/lock               held for each step below, by whichever process takes it

A part may be sent again at any time, also while an earlier attempt still dribbles in. The newest attempt owns the part:
before every write an attempt looks, under the lock, whether the journal still names it. Sealing takes the journal away,
so nobody writes into an object that is being published.
"""

import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from files.storage.checksums import combine
from files.storage.disk import publish, store_errors, write_file
from files.storage.layout import DATA, About, Layout, describe, new_etag, write_about
from files.storage.local_writing import Tally, write_at
from files.storage.port import MAX_PARTS, ObjectExists, Part, PartsRefused, StoredObject, UploadMissing


@dataclass(frozen=True)
class Terms:
    """What was agreed when the upload began."""

    key: str
    content_type: str
    size_bytes: int | None
    part_size: int


@dataclass(frozen=True)
class Line:
    """One line of the journal. Size and CRC32 are None until the attempt's bytes were verified and are on disk."""

    attempt: str
    size_bytes: int | None = None
    crc32: str | None = None


def start_upload(layout: Layout, terms: Terms) -> str:
    """Open an upload. It appears whole or not at all."""
    upload_id = secrets.token_hex(16)
    with store_errors():
        staged = layout.new_staged()
        (staged / "parts").mkdir()
        (staged / "object").mkdir()
        (staged / "object" / DATA).touch(mode=0o600)
        (staged / "lock").touch()
        write_file(staged / "upload.json", json.dumps(asdict(terms)).encode())
        publish(staged, layout.upload(upload_id))
    return upload_id


class LocalUpload:
    """One open upload. Every method raises UploadMissing where it is not open, or belongs to another key."""

    def __init__(self, layout: Layout, key: str, upload_id: str) -> None:
        self.upload_id, self._layout = upload_id, layout
        self._directory = layout.upload(upload_id)
        with self._errors():
            self.terms = Terms(**json.loads((self._directory / "upload.json").read_bytes()))
        if self.terms.key != key:
            raise UploadMissing(upload_id)

    @property
    def data(self) -> Path:
        return self._directory / "object" / DATA

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Alone with this upload, among all threads and processes."""
        with self._errors(), (self._directory / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._directory.stat()  # whoever held the lock before may have ended the upload
            yield

    def note(self, part_number: int, line: Line, *, sync: bool) -> None:
        write_file(self._line_path(part_number), json.dumps(asdict(line)).encode(), sync=sync)

    def line(self, part_number: int) -> Line:
        return Line(**json.loads(self._line_path(part_number).read_bytes()))

    def parts(self) -> list[Part]:
        """The verified parts, by number."""
        with self.locked():
            return self._sealed_or_open_parts()

    def complete(self, parts: Sequence[Part]) -> StoredObject:
        with self.locked():
            if self._layout.object(self.terms.key).exists():
                raise ObjectExists(self.terms.key)
            stored = self._sealed_or_open_parts()
            refuse_mismatch(parts, stored, self.terms)
            self._seal()
            published = self._publish(stored)
            shutil.rmtree(self._directory, ignore_errors=True)
        return published

    def abort(self) -> None:
        with self.locked():
            aside = self._layout.aside()
            self._directory.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)

    def _publish(self, parts: Sequence[Part]) -> StoredObject:
        size_bytes = sum(part.size_bytes for part in parts)
        crc32 = combine((part.crc32 or "", part.size_bytes) for part in parts)
        with self.data.open("r+b") as data:
            data.truncate(size_bytes)  # an attempt at a part that the object does not have may lie beyond
            os.fsync(data.fileno())
        write_about(self.data.parent, About(self.terms.content_type, size_bytes, crc32, new_etag(crc32)))
        target = self._layout.object(self.terms.key)
        try:
            publish(self.data.parent, target)
        except FileExistsError:
            raise ObjectExists(self.terms.key) from None
        published = describe(target, self.terms.key)
        assert published is not None, "an object vanished while it was being published"
        return published

    def _seal(self) -> None:
        """From here on no part is accepted; a completion cut short by a crash can be asked for again."""
        if (self._directory / "parts").exists():
            (self._directory / "parts").rename(self._directory / "sealed")

    def _sealed_or_open_parts(self) -> list[Part]:
        sealed = self._directory / "sealed"
        return self._verified_parts(sealed if sealed.exists() else self._directory / "parts")

    def _verified_parts(self, journal: Path) -> list[Part]:
        lines = {int(path.stem): Line(**json.loads(path.read_bytes())) for path in journal.glob("*.json")}
        return [
            Part(number, _etag(line), line.size_bytes, line.crc32)
            for number, line in sorted(lines.items())
            if line.size_bytes is not None
        ]

    def _line_path(self, part_number: int) -> Path:
        return self._directory / "parts" / f"{part_number}.json"

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with store_errors():
            try:
                yield
            except FileNotFoundError:
                raise UploadMissing(self.upload_id) from None


class PartWriter:
    """Takes the bytes of one part, as its newest attempt. End with `finish` or `discard`.

    A finished part outlives a power cut, unless `sync` is off, as for the service's own parts: whoever makes an archive
    begins again then, and completing syncs the whole.
    """

    def __init__(
        self, upload: LocalUpload, part_number: int, *, size_bytes: int, crc32: str | None, sync: bool = True
    ) -> None:
        refuse_part(part_number, size_bytes, upload.terms)
        self._upload, self._part_number = upload, part_number
        self._offset = (part_number - 1) * upload.terms.part_size
        self._tally = Tally(size_bytes=size_bytes, crc32=crc32)
        self._attempt = Line(secrets.token_hex(8))
        self._sync = sync
        with upload.locked():
            upload.note(part_number, self._attempt, sync=sync)
            self._descriptor = os.open(upload.data, os.O_WRONLY)

    def write(self, data: bytes | bytearray) -> None:
        offset = self._offset + self._tally.counted
        self._tally.add(data)
        with self._upload.locked():
            self._refuse_superseded()
            write_at(self._descriptor, data, offset)

    def finish(self) -> Part:
        crc32 = self._tally.settle()
        if self._sync:
            with store_errors():
                os.fsync(self._descriptor)
        line = Line(self._attempt.attempt, self._tally.counted, crc32)
        with self._upload.locked():
            self._refuse_superseded()
            self._upload.note(self._part_number, line, sync=self._sync)
        return Part(self._part_number, _etag(line), self._tally.counted, crc32)

    def discard(self) -> None:
        """Close. An unfinished attempt leaves its part missing."""
        os.close(self._descriptor)

    def _refuse_superseded(self) -> None:
        if self._upload.line(self._part_number).attempt != self._attempt.attempt:
            message = f"Part {self._part_number} is being sent again by another request."
            raise PartsRefused(message, part_number=self._part_number)


def refuse_part(part_number: int, size_bytes: int, terms: Terms) -> None:
    """Raises PartsRefused for a part that has no place in the upload."""
    if not 1 <= part_number <= MAX_PARTS:
        raise PartsRefused(f"Parts are numbered 1 to {MAX_PARTS}.", part_number=part_number)
    if not 0 < size_bytes <= terms.part_size:
        raise PartsRefused(
            f"Part {part_number} has {size_bytes} bytes; this upload's parts have {terms.part_size}.",
            part_number=part_number,
            part_size=terms.part_size,
        )


def refuse_mismatch(claimed: Sequence[Part], stored: Sequence[Part], terms: Terms) -> None:
    """Raises PartsRefused unless the claimed parts are the stored ones, without a gap, and of the announced size."""
    by_number = {part.part_number: part for part in stored}
    if not claimed:
        raise PartsRefused("An object has at least one part.", part_count=0)
    for position, part in enumerate(claimed, start=1):
        found = by_number.get(position)
        if part.part_number != position or found is None:
            raise PartsRefused(f"Part {position} is missing.", part_number=position)
        if part.etag != found.etag or part.crc32 not in (None, found.crc32):
            raise PartsRefused(f"Part {position} is not the one that is stored.", part_number=position)
        if position < len(claimed) and found.size_bytes != terms.part_size:
            raise PartsRefused(f"Part {position} is too small.", part_number=position, part_size=terms.part_size)
    if len(stored) != len(claimed):
        raise PartsRefused(f"{len(stored)} parts are stored, {len(claimed)} were named.", part_count=len(stored))
    size_bytes = sum(part.size_bytes for part in stored)
    if terms.size_bytes not in (None, size_bytes):
        raise PartsRefused(
            f"The parts have {size_bytes} bytes together, not {terms.size_bytes}.",
            size_bytes=terms.size_bytes,
            received=size_bytes,
        )


def _etag(line: Line) -> str:
    return f"{line.crc32}-{line.attempt}"
