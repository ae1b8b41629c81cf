"""What every test of backups does: take one, lose everything, bring it back."""

import io
from datetime import timedelta

from archives.models import ArchiveJob
from files.storage import object_store
from operations.backup.restoring import restore_backup
from operations.backup.taking import take_backup
from tests.factories import make_run
from wire.clock import now

DATA = b"what the instrument wrote\n"


def take(place, *, later=timedelta(0)):
    return take_backup(place, object_store(), at=now() + later)


def restore(place, tmp_path, **options):
    given = {"secret": tmp_path / "restored_secret", "privileges": True, "keep_objects": False} | options
    return restore_backup(place, place.find_backup(None), object_store(), **given)


def empty(store):
    for one in list(store.list()):
        store.delete(one.key)


def bytes_of(store, file):
    with store.open_range(file.storage_key) as source:
        return source.read()


def make_archive(store, **fields):
    job = ArchiveJob(run=make_run(), cache_key="a" * 64, file_ids=[1], status="ready", size_bytes=len(DATA))
    job.completed_at = fields.get("completed_at", now())
    job.save()
    store.put(job.storage_key, io.BytesIO(DATA), size_bytes=len(DATA), content_type="application/zip")
    return job
