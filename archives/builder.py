"""Building a ZIP: stored entries, ZIP64 where needed, the manifest last. Three ways to bring in the bytes."""

import zipfile
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, cast

from archives import disk_copy as filecopy
from archives import store_copy as zipcopy
from archives import streaming as streamed
from archives.crates import describe_crate
from archives.members import Member, build_manifest, estimate_archive_bytes
from archives.models import ArchiveJob, ArchiveKind
from archives.naming import MANIFEST
from archives.zip_entries import build_entry
from archives.zip_output import ProgressCallback, ZipOutput
from files.storage.interface import MIB, ObjectStore, StoredObject
from runs.models import Run

MIN_COPIED_BYTES_PER_ARCHIVE = 64 * MIB  # below this the parts of a copy cost more round trips than the bytes do


def build_archive(
    job: ArchiveJob, run: Run, members: Sequence[Member], *, store: ObjectStore, progress: ProgressCallback
) -> StoredObject:
    """Pack the members and publish the object. Raises SourceChanged, StoreUnavailable; then nothing is published."""
    write_member = choose_writer(members, store=store).write_member
    sink = store.open_sink(job.storage_key, content_type="application/zip", at_most=estimate_archive_bytes(members))
    output = ZipOutput(sink, progress=progress)
    try:
        with zipfile.ZipFile(cast(Any, output), "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            packed = [write_member(archive, output, one, store=store, moment=job.created_at) for one in members]
            for name, content in describe_contents(job, run, packed):
                archive.writestr(build_entry(name, moment=job.created_at), content)
        return sink.finish()
    finally:
        sink.discard()


def describe_contents(job: ArchiveJob, run: Run, packed: Sequence[Member]) -> Iterable[tuple[str, bytes]]:
    """The entries that follow the files."""
    if job.kind == ArchiveKind.CRATE:
        return describe_crate(job, packed)
    return [(MANIFEST, build_manifest(job, run, packed))]


def choose_writer(members: Sequence[Member], *, store: ObjectStore) -> ModuleType:
    """How members are written: by the store, by its disk, or through us."""
    if can_copy(members, store=store):
        return zipcopy
    return filecopy if store.copies_files else streamed


def can_copy(members: Sequence[Member], *, store: ObjectStore) -> bool:
    """Whether the store can put the archive together: it copies, every checksum is known, and the files are large."""
    known = all(member.crc32 for member in members)
    large = sum(member.size_bytes for member in members if member.size_bytes >= zipcopy.MIN_BYTES_PER_COPY)
    return store.copies_parts and known and large >= MIN_COPIED_BYTES_PER_ARCHIVE
