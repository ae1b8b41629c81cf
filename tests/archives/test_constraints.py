"""Every named constraint of archive jobs, violated once."""

import pytest

from archives.models import ArchiveJob
from tests.factories import make_run
from wire.clock import now

pytestmark = pytest.mark.django_db

KEY = "0" * 64


def make_job(**fields):
    values = {"cache_key": KEY, "file_ids": [1]} | fields
    return ArchiveJob.objects.create(run=make_run(), **values)


@pytest.mark.parametrize("ready", [{}, {"status": "ready", "size_bytes": 1, "completed_at": now()}])
def test_one_archive_of_a_key_is_built_or_ready(refused_by, ready):
    make_job(**ready)

    refused_by("one_archive_in_flight_or_ready_per_key", make_job)


def test_an_archive_that_failed_makes_room(db):
    make_job(status="failed", completed_at=now())

    assert make_job()


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("archive_status_is_known", {"status": "lost", "completed_at": now()}),
        ("archive_kind_is_known", {"kind": "tar"}),
        ("archive_key_is_sha256", {"cache_key": "0" * 63}),
        ("archive_key_is_sha256", {"cache_key": "A" * 64}),
        ("archive_has_members", {"file_ids": []}),
        ("archive_ends_at_a_time", {"completed_at": now()}),
        ("archive_ends_at_a_time", {"status": "failed"}),
        ("ready_archive_has_a_size", {"status": "ready", "completed_at": now()}),
    ],
)
def test_archive_jobs(refused_by, constraint, fields):
    refused_by(constraint, lambda: make_job(**fields))
