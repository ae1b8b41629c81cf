"""What the rows of archive jobs say lies in the store, in byte order of the keys."""

import re
from collections.abc import Collection, Iterator
from uuid import UUID

from archives.models import ArchiveJob, ArchiveStatus
from files.inventory import CHUNK, NamedObject

KEY = re.compile(r"archives/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.zip")


def named_archives(*, after: str = "") -> Iterator[NamedObject]:
    """All of them whose key follows `after`, by one server-side query. UUIDs sort as their text does."""
    named = (_named(job) for job in ArchiveJob.objects.order_by("pk").iterator(chunk_size=CHUNK))
    return (one for one in named if one.key > after)


def archives_naming(keys: Collection[str]) -> dict[str, NamedObject]:
    """Which of these keys are named now."""
    ids = [job_id for key in keys if (job_id := job_id_of(key)) is not None]
    return {job.storage_key: _named(job) for job in ArchiveJob.objects.filter(pk__in=ids)}


def job_id_of(key: str) -> UUID | None:
    """The job a key was made for; None where the key is not of that form."""
    found = KEY.fullmatch(key)
    return UUID(found[1]) if found else None


def _named(job: ArchiveJob) -> NamedObject:
    """Only a finished archive must be there."""
    return NamedObject(job.storage_key, f"archive {job.pk}", job.status == ArchiveStatus.READY, job.size_bytes)
