import json
import struct
from datetime import timedelta
from unittest.mock import Mock

import pytest

from accounts.callers import caller_for_user
from archives import jobs
from archives.building import build_job
from archives.jobs import BUILDS, request_archive
from archives.models import ArchiveJob
from files.models import File
from files.storage import object_store
from files.storage.interface import StoreUnavailable
from files.storage.local import LocalStore
from jobs.leases import due_jobs, lease_job
from tests.factories import make_file, make_run, make_stored_file, make_user
from wire.clock import now
from wire.errors import Conflict


def ask(run, **fields) -> ArchiveJob:
    values = {"file_ids": None, "by": caller_for_user(make_user()), "at": now()} | fields
    return request_archive(instrument=run.instrument_id, run_id=run.run_id, **values)


def test_an_archive_holds_every_stored_byte_in_the_order_of_paths(db, built):
    run = make_run()
    make_stored_file("b.csv", b"two", run=run)
    make_stored_file("a.csv", b"", run=run, relative_path="folder/a.csv")
    make_file("waits.csv", run=run)

    archive = built(ask(run))

    assert archive.namelist() == ["b.csv", "folder/a.csv", "manifest.json"]
    assert (archive.read("b.csv"), archive.read("folder/a.csv")) == (b"two", b"")
    assert archive.testzip() is None


def test_the_manifest_tells_what_is_inside(db, built):
    run = make_run()
    file = make_stored_file("a.csv", b"abc", run=run)

    manifest = json.loads(built(ask(run)).read("manifest.json"))

    assert manifest["format"] == "ids-archive/1"
    assert (manifest["instrument_id"], manifest["run_id"]) == (run.instrument_id, run.run_id)
    assert manifest["files"] == [
        {"file_id": file.pk, "path": "a.csv", "size_bytes": 3, "sha256": file.sha256, "crc32": "352441c2"}
    ]


def test_processed_files_stand_in_a_folder_of_their_own(db, built):
    run = make_run()
    make_stored_file("a.csv", b"raw", run=run)
    make_stored_file("curve.json", b"{}", run=run, category="processed", relative_path="a.csv/curve.json")

    assert built(ask(run)).namelist() == ["a.csv", "processed/a.csv/curve.json", "manifest.json"]


def test_entries_carry_their_checksum_before_the_bytes(db, built):
    run = make_run()
    make_stored_file("a.csv", b"abc", run=run)
    archive = built(ask(run))

    header = struct.unpack("<4s5H3L", archive.fp.getvalue()[:26])

    assert header[2] & 0x08 == 0
    assert header[6:] == (0x352441C2, 3, 3)


def test_a_file_without_a_checksum_is_packed_and_summed(db, built):
    run = make_run()
    make_stored_file("a.csv", b"abc", run=run, crc32=None, sha256=None)

    archive = built(ask(run))

    assert archive.read("a.csv") == b"abc"
    assert json.loads(archive.read("manifest.json"))["files"][0]["crc32"] == "352441c2"


def test_a_vanished_source_fails_the_job_and_names_the_file(db):
    run = make_run()
    file = make_stored_file("a.csv", b"abc", run=run)
    job = ask(run)
    object_store().delete(file.storage_key)

    build_job(job.pk, clock=now)

    job.refresh_from_db()
    assert (job.status, job.error_message) == ("failed", "a.csv: its bytes are no longer in the store.")
    assert object_store().head(job.storage_key) is None


@pytest.mark.parametrize("change", [{"size_bytes": 4}, {"crc32": "00000000"}, {"sha256": "0" * 64}])
def test_a_source_that_is_not_what_was_recorded_fails_the_job(db, change):
    run = make_run()
    make_stored_file("a.csv", b"abc", run=run, **change)
    job = ask(run)

    build_job(job.pk, clock=now)

    job.refresh_from_db()
    assert job.status == "failed"
    assert job.error_message.startswith("a.csv: ")


def test_a_file_removed_after_the_request_fails_the_job(db):
    run = make_run()
    file = make_stored_file("a.csv", b"abc", run=run, category="processed")
    make_stored_file("b.csv", b"abc", run=run)
    job = ask(run)
    File.objects.filter(pk=file.pk).delete()

    build_job(job.pk, clock=now)

    job.refresh_from_db()
    assert f"file {file.pk}" in job.error_message


def test_a_leased_job_is_not_built_twice(db):
    run = make_run()
    make_stored_file("a.csv", run=run)
    job = ask(run)
    lease_job(BUILDS, job.pk, at=now())

    assert build_job(job.pk, clock=now) is False


def test_a_silent_build_is_taken_over(db, built):
    run = make_run()
    make_stored_file("a.csv", run=run)
    job = ask(run, at=now())
    lease_job(BUILDS, job.pk, at=now() - timedelta(seconds=31))

    built(job)

    job.refresh_from_db()
    assert (job.status, job.attempts) == ("ready", 2)


def test_the_third_silence_fails_the_job(db):
    run = make_run()
    make_stored_file("a.csv", run=run)
    job = ask(run)
    for minutes in (30, 20, 10):
        lease_job(BUILDS, job.pk, at=now() - timedelta(minutes=minutes))

    assert build_job(job.pk, clock=now) is False

    job.refresh_from_db()
    assert (job.status, job.error_message) == ("failed", "Building stopped without a word, 3 times.")


def test_a_poison_job_fails_with_its_reason_after_three_attempts(db, monkeypatch):
    run = make_run()
    make_stored_file("a.csv", run=run)
    job = ask(run)
    monkeypatch.setattr("archives.building.build_archive", lambda *args, **named: 1 / 0)

    for minute in range(4):
        build_job(job.pk, clock=lambda minute=minute: now() + timedelta(minutes=minute))

    job.refresh_from_db()
    assert (job.status, job.attempts, job.error_message) == ("failed", 3, "Building broke: division by zero")


def test_a_store_out_of_reach_costs_no_attempt(db, monkeypatch):
    run = make_run()
    make_stored_file("a.csv", run=run)
    job = ask(run)

    def away(*args, **named):
        raise StoreUnavailable

    monkeypatch.setattr("archives.building.build_archive", away)
    build_job(job.pk, clock=now)

    job.refresh_from_db()
    assert (job.status, job.attempts, job.lease_id) == ("building", 0, None)
    assert not due_jobs(BUILDS, at=now())
    assert due_jobs(BUILDS, at=now() + timedelta(seconds=31)).get() == job


def test_a_builder_that_died_after_publishing_is_believed(db, built):
    run = make_run()
    make_stored_file("a.csv", run=run)
    job = ask(run)
    built(job)
    ArchiveJob.objects.filter(pk=job.pk).update(status="building", completed_at=None, size_bytes=None)

    build_job(job.pk, clock=now)

    job.refresh_from_db()
    assert job.status == "ready"
    assert job.size_bytes == object_store().head(job.storage_key).size_bytes


def test_expired_archives_leave_with_their_object(db, built):
    run = make_run()
    make_stored_file("a.csv", run=run)
    job = ask(run)
    built(job)

    forgotten = jobs.forget_expired(at=now() + timedelta(days=8))

    assert forgotten == 1
    assert not ArchiveJob.objects.exists()
    assert object_store().head(job.storage_key) is None


def test_an_expired_archive_whose_removal_was_cut_off_leaves_no_object(db, built, monkeypatch):
    run = make_run()
    make_stored_file("a.csv", run=run)
    job = ask(run)
    built(job)
    with monkeypatch.context() as away:
        away.setattr(LocalStore, "delete", Mock(side_effect=StoreUnavailable))
        with pytest.raises(StoreUnavailable):
            jobs.forget_expired(at=now() + timedelta(days=8))
    assert not ArchiveJob.objects.exists()

    jobs.forget_expired(at=now() + timedelta(days=8))

    assert object_store().head(job.storage_key) is None


def test_a_failure_stands_for_ten_minutes(db):
    run = make_run()
    make_stored_file("a.csv", run=run)
    job = ask(run)
    jobs.fail_job(job.pk, reason="no", at=now())

    with pytest.raises(Conflict) as refused:
        ask(run)

    assert refused.value.details["job_id"] == str(job.pk)
    assert refused.value.details["error_message"] == "no"
    assert ask(run, at=now() + timedelta(minutes=11)).pk != job.pk
