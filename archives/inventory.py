"""The stored objects that archive jobs refer to, in byte order of the keys."""

import re
from collections.abc import Collection, Iterator
from uuid import UUID

from archives.models import ArchiveJob, ArchiveStatus
from files.stored.inventory import ROWS_PER_FETCH, ReferencedObject

ARCHIVE_KEY = re.compile(r"archives/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.zip")


def list_referenced_archives(*, after: str = "") -> Iterator[ReferencedObject]:
    """All of them whose key follows `after`, by one server-side query. UUIDs sort as their text does."""
    named = (_build_reference(job) for job in ArchiveJob.objects.order_by("pk").iterator(chunk_size=ROWS_PER_FETCH))
    return (one for one in named if one.key > after)


def find_referencing_archives(keys: Collection[str]) -> dict[str, ReferencedObject]:
    """Which of these keys are named now."""
    ids = [job_id for key in keys if (job_id := parse_job_id(key)) is not None]
    return {job.storage_key: _build_reference(job) for job in ArchiveJob.objects.filter(pk__in=ids)}


def parse_job_id(key: str) -> UUID | None:
    """The job a key was made for; None where the key is not of that form."""
    found = ARCHIVE_KEY.fullmatch(key)
    return UUID(found[1]) if found else None


def _build_reference(job: ArchiveJob) -> ReferencedObject:
    """Only a finished archive must be there."""
    return ReferencedObject(job.storage_key, f"archive {job.pk}", job.status == ArchiveStatus.READY, job.size_bytes)
