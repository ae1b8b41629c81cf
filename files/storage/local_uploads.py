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

from files.storage.checksums import combine_crc32s
from files.storage.disk import publish_directory, translate_disk_errors, write_file
from files.storage.interface import MAX_PARTS_PER_UPLOAD, ObjectExists, Part, PartsRefused, StoredObject, UploadMissing
from files.storage.layout import DATA_FILE, Layout, ObjectDescription, new_etag, read_object, write_description
from files.storage.local_writer import ByteVerifier, write_at


@dataclass(frozen=True)
class UploadTerms:
    """What was agreed when the upload began."""

    key: str
    content_type: str
    size_bytes: int | None
    part_size: int


@dataclass(frozen=True)
class PartRecord:
    """One line of the journal. Size and CRC32 are None until the attempt's bytes were verified and are on disk."""

    attempt: str
    size_bytes: int | None = None
    crc32: str | None = None


def start_upload(layout: Layout, terms: UploadTerms) -> str:
    """Open an upload. It appears whole or not at all."""
    upload_id = secrets.token_hex(16)
    with translate_disk_errors():
        staged = layout.make_staging_directory()
        (staged / "parts").mkdir()
        (staged / "object").mkdir()
        (staged / "object" / DATA_FILE).touch(mode=0o600)
        (staged / "lock").touch()
        write_file(staged / "upload.json", json.dumps(asdict(terms)).encode())
        publish_directory(staged, layout.upload(upload_id), root=layout.root)
    return upload_id


class LocalUpload:
    """One open upload. Every method raises UploadMissing where it is not open, or belongs to another key."""

    def __init__(self, layout: Layout, key: str, upload_id: str) -> None:
        self.upload_id, self._layout = upload_id, layout
        self._directory = layout.upload(upload_id)
        with self._translate_errors():
            self.terms = UploadTerms(**json.loads((self._directory / "upload.json").read_bytes()))
        if self.terms.key != key:
            raise UploadMissing(upload_id)

    @property
    def data(self) -> Path:
        return self._directory / "object" / DATA_FILE

    @contextmanager
    def hold_lock(self) -> Iterator[None]:
        """Alone with this upload, among all threads and processes."""
        with self._translate_errors(), (self._directory / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._directory.stat()  # whoever held the lock before may have ended the upload
            yield

    def write_part_record(self, part_number: int, line: PartRecord, *, sync: bool) -> None:
        write_file(self._part_record_path(part_number), json.dumps(asdict(line)).encode(), sync=sync)

    def read_part_record(self, part_number: int) -> PartRecord:
        return PartRecord(**json.loads(self._part_record_path(part_number).read_bytes()))

    def parts(self) -> list[Part]:
        """The verified parts, by number."""
        with self.hold_lock():
            return self._sealed_or_open_parts()

    def complete(self, parts: Sequence[Part]) -> StoredObject:
        with self.hold_lock():
            if self._layout.object_directory(self.terms.key).exists():
                raise ObjectExists(self.terms.key)
            stored = self._sealed_or_open_parts()
            refuse_mismatched_parts(parts, stored, self.terms)
            self._seal()
            published = self._publish(stored)
            shutil.rmtree(self._directory, ignore_errors=True)
        return published

    def abort(self) -> None:
        with self.hold_lock():
            aside = self._layout.new_staging_path()
            self._directory.rename(aside)
        shutil.rmtree(aside, ignore_errors=True)

    def _publish(self, parts: Sequence[Part]) -> StoredObject:
        size_bytes = sum(part.size_bytes for part in parts)
        crc32 = combine_crc32s((part.crc32 or "", part.size_bytes) for part in parts)
        self._layout.open_to_group(self.data.parent)
        with self.data.open("r+b") as data:
            data.truncate(size_bytes)  # an attempt at a part that the object does not have may lie beyond
            os.fsync(data.fileno())
        write_description(
            self.data.parent, ObjectDescription(self.terms.content_type, size_bytes, crc32, new_etag(crc32))
        )
        target = self._layout.object_directory(self.terms.key)
        try:
            publish_directory(self.data.parent, target, root=self._layout.root, mode=self._layout.directory_mode)
        except FileExistsError:
            raise ObjectExists(self.terms.key) from None
        published = read_object(target, self.terms.key)
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
        lines = {int(path.stem): PartRecord(**json.loads(path.read_bytes())) for path in journal.glob("*.json")}
        return [
            Part(number, _part_etag(line), line.size_bytes, line.crc32)
            for number, line in sorted(lines.items())
            if line.size_bytes is not None
        ]

    def _part_record_path(self, part_number: int) -> Path:
        return self._directory / "parts" / f"{part_number}.json"

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        with translate_disk_errors():
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
        self._tally = ByteVerifier(size_bytes=size_bytes, crc32=crc32)
        self._attempt = PartRecord(secrets.token_hex(8))
        self._sync = sync
        with upload.hold_lock():
            upload.write_part_record(part_number, self._attempt, sync=sync)
            self._descriptor = os.open(upload.data, os.O_WRONLY)

    def write(self, data: bytes | bytearray) -> None:
        offset = self._offset + self._tally.received_bytes
        self._tally.add(data)
        with self._upload.hold_lock():
            self._refuse_superseded()
            write_at(self._descriptor, data, offset)

    def finish(self) -> Part:
        crc32 = self._tally.verify()
        if self._sync:
            with translate_disk_errors():
                os.fsync(self._descriptor)
        line = PartRecord(self._attempt.attempt, self._tally.received_bytes, crc32)
        with self._upload.hold_lock():
            self._refuse_superseded()
            self._upload.write_part_record(self._part_number, line, sync=self._sync)
        return Part(self._part_number, _part_etag(line), self._tally.received_bytes, crc32)

    def discard(self) -> None:
        """Close. An unfinished attempt leaves its part missing."""
        os.close(self._descriptor)

    def _refuse_superseded(self) -> None:
        if self._upload.read_part_record(self._part_number).attempt != self._attempt.attempt:
            message = f"Part {self._part_number} is being sent again by another request."
            raise PartsRefused(message, part_number=self._part_number)


def refuse_part(part_number: int, size_bytes: int, terms: UploadTerms) -> None:
    """Raises PartsRefused for a part that has no place in the upload."""
    if not 1 <= part_number <= MAX_PARTS_PER_UPLOAD:
        raise PartsRefused(f"Parts are numbered 1 to {MAX_PARTS_PER_UPLOAD}.", part_number=part_number)
    if not 0 < size_bytes <= terms.part_size:
        raise PartsRefused(
            f"Part {part_number} has {size_bytes} bytes; this upload's parts have {terms.part_size}.",
            part_number=part_number,
            part_size=terms.part_size,
        )


def refuse_mismatched_parts(claimed: Sequence[Part], stored: Sequence[Part], terms: UploadTerms) -> None:
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


def _part_etag(line: PartRecord) -> str:
    return f"{line.crc32}-{line.attempt}"
