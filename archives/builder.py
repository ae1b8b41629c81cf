"""Building a ZIP: stored entries, ZIP64 where needed, the manifest last. Three ways to bring in the bytes."""

import zipfile
from collections.abc import Sequence
from types import ModuleType
from typing import Any, cast

from archives import filecopy, streamed, zipcopy
from archives.entries import entry_of
from archives.members import Member, largest_size, manifest
from archives.models import ArchiveJob
from archives.naming import MANIFEST
from archives.output import Output, Progress
from files.storage.port import MIB, ObjectStore, StoredObject
from runs.models import Run

COPY_FROM = 64 * MIB  # below this the parts of a copy cost more round trips than the bytes do


def build_archive(
    job: ArchiveJob, run: Run, members: Sequence[Member], *, store: ObjectStore, progress: Progress
) -> StoredObject:
    """Pack the members and publish the object. Raises SourceChanged, StoreUnavailable; then nothing is published."""
    write_member = way_of(members, store=store).write_member
    sink = store.open_sink(job.storage_key, content_type="application/zip", at_most=largest_size(members))
    output = Output(sink, progress=progress)
    try:
        with zipfile.ZipFile(cast(Any, output), "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            packed = [write_member(archive, output, one, store=store, moment=job.created_at) for one in members]
            archive.writestr(entry_of(MANIFEST, moment=job.created_at), manifest(job, run, packed))
        return sink.finish()
    finally:
        sink.discard()


def way_of(members: Sequence[Member], *, store: ObjectStore) -> ModuleType:
    """How members are written: by the store, by its disk, or through us."""
    if can_copy(members, store=store):
        return zipcopy
    return filecopy if store.copies_files else streamed


def can_copy(members: Sequence[Member], *, store: ObjectStore) -> bool:
    """Whether the store can put the archive together: it copies, every checksum is known, and the files are large."""
    known = all(member.crc32 for member in members)
    large = sum(member.size_bytes for member in members if member.size_bytes >= zipcopy.WORTH_COPYING)
    return store.copies_parts and known and large >= COPY_FROM
