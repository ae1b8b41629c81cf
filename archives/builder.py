"""Building a ZIP: stored entries, ZIP64 where needed, the manifest last. Two ways to bring in the bytes."""

import zipfile
from collections.abc import Sequence
from typing import Any, cast

from archives import streamed, zipcopy
from archives.entries import entry_of
from archives.members import Member, manifest
from archives.models import ArchiveJob
from archives.naming import MANIFEST
from archives.sink import PartSink, Progress, part_size_for
from files.storage.port import MIB, ObjectStore, StoredObject
from runs.models import Run

COPY_FROM = 64 * MIB  # below this the parts of a copy cost more round trips than the bytes do


def build_archive(
    job: ArchiveJob, run: Run, members: Sequence[Member], *, store: ObjectStore, progress: Progress
) -> StoredObject:
    """Pack the members and publish the object. Raises SourceChanged, StoreUnavailable; then nothing is published."""
    total = sum(member.size_bytes for member in members)
    write_member = zipcopy.write_member if can_copy(members, store=store) else streamed.write_member
    sink = PartSink(store, job.storage_key, part_size=part_size_for(total), progress=progress)
    try:
        with zipfile.ZipFile(cast(Any, sink), "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            packed = [write_member(archive, sink, one, store=store, moment=job.created_at) for one in members]
            archive.writestr(entry_of(MANIFEST, moment=job.created_at), manifest(job, run, packed))
        return sink.publish()
    except BaseException:
        sink.drop()
        raise


def can_copy(members: Sequence[Member], *, store: ObjectStore) -> bool:
    """Whether the store can put the archive together: it copies, every checksum is known, and the files are large."""
    known = all(member.crc32 for member in members)
    large = sum(member.size_bytes for member in members if member.size_bytes >= zipcopy.WORTH_COPYING)
    return store.copies_parts and known and large >= COPY_FROM
