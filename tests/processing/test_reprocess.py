"""Asking for files to be read again, and what is refused."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from files.models import File
from files.signals import files_uploaded
from jobs.leases import lease_job, renew_lease
from processing.jobs import READINGS, enqueue_files
from processing.models import ProcessingJob
from tests.factories import make_file, make_run, make_stored_file, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db


def states() -> dict[int, str]:
    return dict(ProcessingJob.objects.values_list("file_id", "state"))


def test_a_file_that_arrives_is_to_be_read():
    file = make_stored_file("scan.csv")

    files_uploaded.send(sender=File, files=[file], at=now())

    assert states() == {file.pk: "waiting"}


def test_a_file_is_read_again_when_asked(as_token):
    file = make_stored_file("scan.csv", status="completed")

    response = as_token("files:reprocess").post(f"/api/v1/files/{file.pk}/reprocess")

    assert response.status_code == 202
    assert (response.json()["id"], response.json()["status"]) == (file.pk, "completed")
    assert states() == {file.pk: "waiting"}


def test_asking_while_a_worker_reads_makes_that_reading_void(as_token):
    file = make_stored_file("scan.csv")
    enqueue_files([file], claim=False, at=now())
    lease = lease_job(READINGS, file.pk, at=now())

    as_token("files:reprocess").post(f"/api/v1/files/{file.pk}/reprocess")

    assert renew_lease(lease, at=now()) is False
    assert lease_job(READINGS, file.pk, at=now()) is not None


@pytest.mark.parametrize("status", ["detected", "upload_requested"])
def test_a_file_without_bytes_is_409(status, as_token):
    file = make_file("scan.csv", status=status)

    response = as_token("files:reprocess").post(f"/api/v1/files/{file.pk}/reprocess")

    assert response.status_code == 409
    assert response.json()["error"]["details"] == {"file_id": file.pk, "status": status}


def test_an_artefact_is_409(as_token):
    source = make_stored_file("scan.csv", status="completed")
    artefact = make_stored_file("curves.json", category="processed", status="completed", source_file=source)

    response = as_token("files:reprocess").post(f"/api/v1/files/{artefact.pk}/reprocess")

    assert (response.status_code, response.json()["error"]["details"]) == (409, {"file_id": source.pk})


def test_a_file_of_a_deleted_run_is_409(as_token):
    file = make_stored_file("scan.csv", run=make_run(deleted_at=now(), deleted_by=make_user()))
    api = as_token()

    response = api.post(f"/api/v1/files/{file.pk}/reprocess")

    assert response.status_code == 409
    assert response.json()["error"]["details"]["deleted_at"]


def test_an_unknown_file_is_404(as_token):
    assert as_token("files:reprocess").post("/api/v1/files/999999/reprocess").status_code == 404


def test_a_run_is_read_again_but_for_what_is_not_stored(as_person):
    run = make_run()
    stored = [make_stored_file(f"{n}.csv", run=run, status="failed") for n in range(3)]
    make_file("waiting.csv", run=run)
    make_stored_file("curves.json", run=run, category="processed", status="completed", source_file=stored[0])
    make_file("dismissed.csv", run=run, deleted_at=now())

    response = as_person().post(f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}/reprocess")

    assert (response.status_code, response.json()) == (200, {"files_queued": 3, "files_skipped": 1})
    assert states() == {file.pk: "waiting" for file in stored}


def test_a_deleted_run_is_409(as_token):
    run = make_run(deleted_at=now(), deleted_by=make_user())

    response = as_token("runs:reprocess").post(f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}/reprocess")

    assert response.status_code == 409


def test_a_run_of_a_thousand_files_is_asked_for_in_few_statements(as_token):
    run = make_run()
    File.objects.bulk_create(
        File(
            run=run, filename=f"{n}.csv", relative_path=f"{n}.csv", natural_key=str(n), status="uploaded",
            uploaded_at=now(), storage_bucket="local", storage_key=f"k{n}", size_bytes=1,
        )
        for n in range(1000)
    )  # fmt: skip
    api = as_token("runs:reprocess")

    with CaptureQueriesContext(
        connection,
    ) as queries:
        response = api.post(f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}/reprocess")

    assert response.json()["files_queued"] == 1000
    assert len(queries) <= 10


@pytest.mark.parametrize(
    ("constraint", "fields"),
    [
        ("processing_state_is_known", {"state": "sleeping", "ended_at": now()}),
        ("processing_attempts_are_counted", {"attempts": -1}),
        ("processing_facts_are_an_object", {"run_facts": []}),
        ("processing_ends_at_a_time", {"state": "completed"}),
    ],
)
def test_the_database_refuses_a_job_that_cannot_be(constraint, fields, refused_by):
    file = make_stored_file("scan.csv")

    refused_by(constraint, lambda: ProcessingJob.objects.create(file=file, **fields))


def test_a_placeholder_of_the_demonstration_is_not_read(as_token):
    file = make_stored_file("scan.jdx", status="completed")
    File.objects.filter(pk=file.pk).update(storage_key="demo/placeholder/1")

    response = as_token("files:reprocess").post(f"/api/v1/files/{file.pk}/reprocess")

    assert response.status_code == 409
    assert response.json()["error"]["details"] == {"file_id": file.pk}
    assert states() == {}


def test_placeholders_of_a_run_are_skipped(as_token):
    run = make_run()
    measured, stands_for_one = make_stored_file("a.csv", run=run), make_stored_file("b.csv", run=run)
    File.objects.filter(pk=stands_for_one.pk).update(storage_key="demo/placeholder/1")

    response = as_token("runs:reprocess").post(f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}/reprocess")

    assert response.status_code == 200
    assert response.json() == {"files_queued": 1, "files_skipped": 1}
    assert states() == {measured.pk: "waiting"}
