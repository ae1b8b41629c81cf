"""Reading a file again, and a reading that breaks, is taken over or comes too late."""

from datetime import datetime, timedelta
from io import BytesIO
from typing import Any

import pytest

from files.models import File
from files.storage import object_store
from files.storage.interface import StoreUnavailable
from jobs.leases import due_jobs, lease_job
from processing import reading_files
from processing.jobs import READINGS, enqueue_files
from processing.models import ProcessingJob
from processing.reading_files import process_file
from processing.requests import enqueue_arrived_files
from runs.models import Run
from tests.factories import make_stored_file
from tests.processing.arrivals import SPECTRUM, arrived, artefacts_of, broken, done, job_of
from tests.samples.instruments import csv
from wire.clock import now

pytestmark = pytest.mark.django_db


def again(file: File) -> File:
    enqueue_files([file], claim=True, at=now())
    return done(file)


def stored_keys() -> set[str]:
    return {stored.key for stored in object_store().list("runs/")}


def test_reading_again_changes_nothing_and_leaves_nothing_behind():
    file = done(arrived("sample.jdx", SPECTRUM))
    before = artefacts_of(file)
    keys, extracted = stored_keys(), Run.objects.get(pk=file.run_id).extracted

    again(file)

    after = artefacts_of(file)
    assert list(after) == list(before) == ["curves.json", "curves.parquet"]
    for name, now_there in after.items():
        was = before[name]
        assert (now_there.pk, now_there.storage_key, now_there.sha256) == (was.pk, was.storage_key, was.sha256)
    assert stored_keys() == keys
    assert Run.objects.get(pk=file.run_id).extracted == extracted


def test_reading_as_another_type_replaces_facts_and_artefacts():
    file = done(arrived("scan.csv", csv([["nm", "AU"], *[[n, n] for n in range(6)]])))
    old = artefacts_of(file)["curves.json"]
    File.objects.filter(pk=file.pk).update(filename="scan.dat", relative_path="scan.dat")
    put_under(file, SPECTRUM)

    again(file)

    new = artefacts_of(file)["curves.json"]
    assert (new.pk, new.relative_path) != (old.pk, old.relative_path)
    assert "columns" not in Run.objects.get(pk=file.run_id).extracted
    assert "format" in file.extracted


def put_under(file: File, data: bytes) -> None:
    """Other bytes for a test: the service itself never does this."""
    key = f"test/{file.pk}/other"
    object_store().put(key, BytesIO(data), size_bytes=len(data), content_type="text/plain")
    File.objects.filter(pk=file.pk).update(storage_key=key, size_bytes=len(data), sha256=None)


def test_a_failure_keeps_what_an_earlier_reading_found():
    file = done(arrived("sample.jdx", SPECTRUM))
    put_under(file, SPECTRUM[: len(SPECTRUM) // 2])

    again(file)

    assert file.status == "failed"
    assert list(artefacts_of(file)) == ["curves.json", "curves.parquet"]
    assert Run.objects.get(pk=file.run_id).extracted["technique"] == "infrared spectrum"


def test_only_one_worker_reads_a_file():
    file = arrived("sample.jdx", SPECTRUM)
    assert lease_job(READINGS, file.pk, at=now())

    assert process_file(file.pk, clock=now) is False
    assert not due_jobs(READINGS, at=now())


def test_a_reading_that_is_silent_is_taken_over_and_failed_after_three_attempts():
    file = arrived("sample.jdx", SPECTRUM)
    for attempt in range(READINGS.max_attempts):
        at = now() + attempt * timedelta(minutes=1)
        lease = lease_job(READINGS, file.pk, at=at)
        assert lease is not None
        assert due_jobs(READINGS, at=at + READINGS.lease).get().pk == file.pk

    assert process_file(file.pk, clock=lambda: now() + timedelta(hours=1))

    file.refresh_from_db()
    assert (file.status, file.error_message) == ("failed", "The worker stopped while reading this file.")


def test_a_worker_that_lost_its_lease_writes_nothing():
    file = arrived("sample.jdx", SPECTRUM)

    def taken_over_meanwhile() -> datetime:
        ProcessingJob.objects.filter(state="running").update(lease_id="00000000-0000-0000-0000-000000000000")
        return now()

    process_file(file.pk, clock=taken_over_meanwhile)

    file.refresh_from_db()
    assert artefacts_of(file) == {}
    assert file.status != "completed"


def test_a_broken_attempt_is_tried_again(monkeypatch):
    file = arrived("sample.jdx", SPECTRUM)
    monkeypatch.setattr(reading_files, "choose_type", broken)
    assert process_file(file.pk, clock=now)
    monkeypatch.undo()

    assert due_jobs(READINGS, at=now() + READINGS.pause).get().pk == file.pk
    assert "ZeroDivisionError" in job_of(file).detail


def test_a_store_out_of_reach_costs_no_attempt(monkeypatch):
    def away() -> Any:
        raise StoreUnavailable

    file = arrived("sample.jdx", SPECTRUM)
    monkeypatch.setattr(reading_files, "object_store", away)
    assert process_file(file.pk, clock=now)
    monkeypatch.undo()

    assert (job_of(file).state, job_of(file).attempts) == ("waiting", 0)
    assert not due_jobs(READINGS, at=now())
    assert due_jobs(READINGS, at=now() + reading_files.STORE_RETRY_DELAY).get().pk == file.pk


def test_an_external_worker_that_was_faster_is_left_alone():
    file = arrived("sample.jdx", SPECTRUM, status="processing")

    done(file)

    assert file.status == "processing"
    assert job_of(file).state == "not_read"


def test_asking_takes_a_file_over_from_a_worker_that_never_came_back():
    file = make_stored_file("sample.jdx", SPECTRUM, status="processing")

    again(file)

    assert file.status == "completed"


def test_a_processed_file_is_never_read():
    artefact = make_stored_file("curves.json", b"{}", category="processed", status="completed")

    enqueue_arrived_files([artefact], at=now())

    assert not ProcessingJob.objects.exists()
