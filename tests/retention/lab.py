"""An instrument with something for each rule, and what the store has of it."""

import hashlib
from datetime import timedelta
from io import BytesIO
from typing import Any

from django.db import connection

from archives.models import ArchiveJob
from files.models import File
from files.object_keys import build_storage_key, new_key_nonce
from files.storage import object_store
from instruments.models import Instrument
from runs.models import Run
from tests.factories import make_file, make_instrument, make_run, make_user
from wire.clock import now

OLD = timedelta(days=40)
RULES = {
    "purge_deleted_after_days": 30,
    "expire_raw_after_days": 30,
    "expire_processed_after_days": 30,
    "expire_archives_after_days": 30,
}


def make_old_run(instrument: Instrument, **fields: Any) -> Run:
    return make_run(instrument=instrument, created_at=now() - OLD, **fields)


def make_deleted_run(instrument: Instrument) -> Run:
    return make_old_run(instrument, deleted_at=now() - OLD, deleted_by=make_user())


def store_file(run: Run, data: bytes, **fields: Any) -> File:
    """A file of forty days ago whose bytes are in the store, under a key as the service makes them."""
    sums = {"size_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    values: dict[str, Any] = {"status": "completed", "uploaded_at": now() - OLD} | sums | fields
    file = make_file(run=run, **values)
    file.storage_key = build_storage_key(file, new_key_nonce())
    file.save(update_fields=["storage_key"])
    object_store().put(file.storage_key, BytesIO(data), size_bytes=len(data), content_type="text/plain")
    return file


def store_archive(run: Run, data: bytes, **fields: Any) -> ArchiveJob:
    ended: dict[str, Any] = {"status": "ready", "completed_at": now() - OLD, "size_bytes": len(data), "file_ids": [1]}
    key = hashlib.sha256(data).hexdigest()
    job = ArchiveJob.objects.create(run=run, cache_key=key, **(ended | fields))
    object_store().put(job.storage_key, BytesIO(data), size_bytes=len(data), content_type="application/zip")
    return job


def stored_bytes() -> int:
    return sum(stored.size_bytes for stored in object_store().list())


def fill(*, runs: int = 3) -> Instrument:
    """Runs with old raw and processed files, deleted ones, an archive, and young files that stay."""
    instrument = make_instrument(**RULES)
    for number in range(runs):
        run = make_old_run(instrument)
        store_file(run, b"raw" * (number + 1))
        store_file(run, b"processed" * (number + 1), category="processed")
        store_file(run, b"young", uploaded_at=now())
        store_file(make_deleted_run(instrument), b"deleted" * (number + 1))
        store_archive(run, b"archive" * (number + 1))
    return instrument


def settle() -> None:
    """The log is written at the end of a transaction, which is now."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
