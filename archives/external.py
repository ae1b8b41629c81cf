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

from archives.jobs import Lease, end_attempt, lease_job
from archives.members import Member, largest_size, list_members
from archives.models import ArchiveJob, ArchiveStatus
from files.storage import object_store
from files.storage.part_sink import part_size_for
from files.storage.port import MIB, ObjectStore
from wire.clock import stamp

log = logging.getLogger(__name__)
LEASE = timedelta(minutes=15)
TIMEOUT_SECONDS = (3, 5)  # to connect, to answer
ONE_REQUEST_UP_TO = 4 * 1024 * MIB  # S3 takes up to 5 GiB in one PUT


def is_configured() -> bool:
    return bool(settings.ARCHIVE_WORKER_URL)


def hand_over(job_id: UUID, *, at: datetime) -> bool:
    """Give the job to the worker for fifteen minutes. When it does not take it, the sweep tries again."""
    lease = lease_job(job_id, at=at, lasts=LEASE)
    if lease is None:
        return False
    body = json.dumps(order_document(lease), ensure_ascii=False).encode()
    try:
        answer = requests.post(
            settings.ARCHIVE_WORKER_URL,
            data=body,
            headers={"Content-Type": "application/json", "X-IDS-Signature": signature_of(body)},
            timeout=TIMEOUT_SECONDS,
            allow_redirects=False,
        )
        answer.raise_for_status()
    except requests.RequestException as error:
        log.warning("the archive worker did not take job %s", job_id)
        end_attempt(lease, reason=f"The archive worker did not take the job: {type(error).__name__}.", at=at)
        return False
    return True


def signature_of(body: bytes) -> str:
    secret = settings.ARCHIVE_WORKER_SECRET.encode()
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def order_document(lease: Lease) -> dict[str, Any]:
    """The job as GET /archive-jobs/{id} shows it, with the lease beside it."""
    job = ArchiveJob.objects.select_related("run").get(pk=lease.job.pk)
    return {
        "id": str(job.pk),
        "instrument_id": job.run.instrument_id,
        "run_id": job.run.run_id,
        "status": job.status,
        "created_at": stamp(job.created_at),
        "lease": {"id": str(lease.id), "until": stamp(job.lease_until)},
        "report_url": f"{settings.PUBLIC_URL}/api/v1/archive-jobs/{job.pk}",
        **order_of(job),
    }


def order_of(job: ArchiveJob) -> dict[str, Any]:
    """{members, upload}: what to pack, in which order, and where to put it. Nothing to upload once the job ended."""
    store = object_store()
    members = list_members(job)
    building = job.status == ArchiveStatus.BUILDING
    return {
        "members": [describe(member, store) for member in members],
        "upload": upload_of(job, members, store) if building else None,
    }


def describe(member: Member, store: ObjectStore) -> dict[str, Any]:
    name = member.path.rpartition("/")[2]
    return {
        "file_id": member.file_id,
        "path": member.path,
        "size_bytes": member.size_bytes,
        "crc32": member.crc32,
        "download_url": store.presign_get(member.storage_key, filename=name, content_type="application/octet-stream"),
    }


def upload_of(job: ArchiveJob, members: list[Member], store: ObjectStore) -> dict[str, Any]:
    """One request, or for large archives an upload in parts that the service completes when told `ready`."""
    at_most = largest_size(members)
    if at_most <= ONE_REQUEST_UP_TO:
        signed = store.presign_put(job.storage_key, size_bytes=None, content_type="application/zip")
        return {"method": signed.method, "url": signed.url, "headers": signed.headers}
    part_size = max(64 * MIB, part_size_for(at_most))
    upload_id = _upload_id(job, store, part_size=part_size)
    part_count = -(-at_most // part_size)
    urls = [
        store.presign_part(job.storage_key, upload_id=upload_id, part_number=number, size_bytes=None, crc32=None).url
        for number in range(1, part_count + 1)
    ]
    return {"method": "PUT", "headers": {}, "upload_id": upload_id, "part_size": part_size, "part_urls": urls}


def _upload_id(job: ArchiveJob, store: ObjectStore, *, part_size: int) -> str:
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
