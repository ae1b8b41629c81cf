"""Handing a build to an external worker, such as a serverless function (docs/archive-worker.md).

The service POSTs the job with fresh URLs and a lease to ARCHIVE_WORKER_URL, signed with HMAC-SHA256 over the exact
body in `X-IDS-Signature: sha256=<hex>`. The worker needs nothing else but the public API to report back.
"""

import hashlib
import hmac
import json
import logging
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import requests
from django.conf import settings

from archives.jobs import EXTERNAL_BUILDS, fail_exhausted
from archives.members import Member, estimate_archive_bytes, list_members
from archives.models import ArchiveJob, ArchiveKind, ArchiveStatus
from files.storage import object_store
from files.storage.interface import MIB, ObjectStore
from files.storage.part_sink import choose_sink_part_size
from jobs.leases import Lease, end_attempt, lease_job, lease_next_job
from wire.clock import format_timestamp
from wire.outgoing.http_client import bounded_session

log = logging.getLogger(__name__)
LEASE_DURATION = timedelta(minutes=15)
MAX_BYTES_PER_PUT = 4 * 1024 * MIB  # S3 takes up to 5 GiB in one PUT


def is_configured() -> bool:
    return bool(settings.ARCHIVE_WORKER_URL)


def send_to_worker(job_id: UUID, *, at: datetime) -> bool:
    """Give the job to the worker for fifteen minutes. When it does not take it, the sweep tries again."""
    return _hand_over(lease_job(EXTERNAL_BUILDS, job_id, at=at, lasts=LEASE_DURATION), at=at)


def hand_over_next(*, at: datetime) -> bool:
    """The same of the job that has waited longest."""
    return _hand_over(lease_next_job(EXTERNAL_BUILDS, at=at, lasts=LEASE_DURATION), at=at)


def _hand_over(lease: Lease[ArchiveJob] | None, *, at: datetime) -> bool:
    if lease is None or fail_exhausted(lease, at=at):
        return False
    body = json.dumps(build_order_document(lease), ensure_ascii=False).encode()
    try:
        headers = {"Content-Type": "application/json", "X-IDS-Signature": sign_body(body)}
        with bounded_session() as session:
            session.post(settings.ARCHIVE_WORKER_URL, data=body, headers=headers).raise_for_status()
    except requests.RequestException as error:
        log.warning("the archive worker did not take job %s", lease.job.pk)
        end_attempt(lease, reason=f"The archive worker did not take the job: {type(error).__name__}.", at=at)
        return False
    return True


def sign_body(body: bytes) -> str:
    secret = settings.ARCHIVE_WORKER_SECRET.encode()
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def build_order_document(lease: Lease[ArchiveJob]) -> dict[str, Any]:
    """The job as GET /archive-jobs/{id} shows it, with the lease beside it."""
    job = ArchiveJob.objects.select_related("run").get(pk=lease.job.pk)
    return {
        "id": str(job.pk),
        "instrument_id": job.run.instrument_id,
        "run_id": job.run.run_id,
        "status": job.status,
        "created_at": format_timestamp(job.created_at),
        "lease": {"id": str(lease.id), "until": format_timestamp(job.lease_until)},
        "report_url": f"{settings.PUBLIC_URL}/api/v1/archive-jobs/{job.pk}",
        **build_order(job),
    }


def build_order(job: ArchiveJob) -> dict[str, Any]:
    """{members, upload}: what to pack, in which order, and where to put it. Nothing to upload once the job ended."""
    store = object_store()
    members = list_members(job)
    building = job.status == ArchiveStatus.BUILDING and job.kind == ArchiveKind.FILES
    return {
        "members": [describe_member(member, store) for member in members],
        "upload": build_upload(job, members, store) if building else None,
    }


def describe_member(member: Member, store: ObjectStore) -> dict[str, Any]:
    name = member.path.rpartition("/")[2]
    return {
        "file_id": member.file_id,
        "path": member.path,
        "size_bytes": member.size_bytes,
        "crc32": member.crc32,
        "download_url": store.presign_get(member.storage_key, filename=name, content_type="application/octet-stream"),
    }


def build_upload(job: ArchiveJob, members: list[Member], store: ObjectStore) -> dict[str, Any]:
    """One request, or for large archives an upload in parts that the service completes when told `ready`."""
    at_most = estimate_archive_bytes(members)
    if at_most <= MAX_BYTES_PER_PUT:
        signed = store.presign_put(job.storage_key, size_bytes=None, content_type="application/zip")
        return {"method": signed.method, "url": signed.url, "headers": signed.headers}
    part_size = max(64 * MIB, choose_sink_part_size(at_most))
    upload_id = _ensure_upload_id(job, store, part_size=part_size)
    part_count = -(-at_most // part_size)
    urls = [
        store.presign_part(job.storage_key, upload_id=upload_id, part_number=number, size_bytes=None, crc32=None).url
        for number in range(1, part_count + 1)
    ]
    return {"method": "PUT", "headers": {}, "upload_id": upload_id, "part_size": part_size, "part_urls": urls}


def _ensure_upload_id(job: ArchiveJob, store: ObjectStore, *, part_size: int) -> str:
    if job.external_upload_id:
        return job.external_upload_id
    opened = store.start_multipart(
        job.storage_key, content_type="application/zip", size_bytes=None, part_size=part_size
    )
    ArchiveJob.objects.filter(pk=job.pk, external_upload_id__isnull=True).update(external_upload_id=opened)
    kept = ArchiveJob.objects.values_list("external_upload_id", flat=True).get(pk=job.pk)
    if kept != opened:
        store.abort_multipart(job.storage_key, upload_id=opened)
    return kept or opened
