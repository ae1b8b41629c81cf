"""Handing out a finished archive."""

from dataclasses import dataclass
from uuid import UUID

from archives.models import ArchiveJob, ArchiveKind
from archives.naming import safe_segment
from files.downloads import FilePurged
from files.models import File
from files.storage import object_store
from files.storage.interface import SIGNED_URL_SECONDS


@dataclass(frozen=True)
class ArchiveDownload:
    """A pre-signed URL of a ZIP and how long it lives, in seconds."""

    status: str
    job_id: UUID
    download_url: str
    size_bytes: int
    expires_in: int


def sign_archive_download(job: ArchiveJob) -> ArchiveDownload:
    """Raises FilePurged where it holds bytes that were purged since."""
    if gone := File.objects.filter(pk__in=job.file_ids, purged_at__isnull=False).order_by("pk").first():
        raise FilePurged(gone)
    name = safe_segment(f"{job.run.instrument_id}-{job.run.run_id}")[:200] + (
        ".crate.zip" if job.kind == ArchiveKind.CRATE else ".zip"
    )
    url = object_store().presign_get(job.storage_key, filename=name, content_type="application/zip")
    return ArchiveDownload(job.status, job.pk, url, job.size_bytes or 0, SIGNED_URL_SECONDS)
