"""download-archive and archive-jobs, through their URLs."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from archives.building import build_job
from archives.models import ArchiveJob
from tests.clients import Api
from tests.factories import make_file, make_run, make_stored_file, make_token_with_text
from wire.clock import now


def route(run, query: str = "") -> str:
    return f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}/download-archive{query}"


@pytest.fixture
def run(db):
    return make_run()


def test_the_first_request_begins_a_build_and_the_next_poll_it(run, as_token):
    make_stored_file("a.csv", run=run)
    api = as_token("files:read")

    first, second = api.get(route(run)), api.get(route(run))

    assert (first.status_code, first.json()["status"]) == (202, "building")
    assert second.json()["job_id"] == first.json()["job_id"]


def test_a_ready_archive_redirects(run, as_token):
    make_stored_file("a.csv", run=run)
    api = as_token("files:read")
    build_job(ArchiveJob.objects.get(pk=api.get(route(run)).json()["job_id"]).pk, clock=now)

    answer = api.get(route(run))

    assert answer.status_code == 302
    assert "/objects/archives/" in answer["Location"]


def test_a_ready_archive_is_told_as_json_when_asked(run, as_token):
    make_stored_file("a.csv", run=run)
    api = as_token("files:read")
    build_job(api.get(route(run)).json()["job_id"], clock=now)

    answer = api.get(route(run), Accept="application/json")

    assert (answer.status_code, answer.json()["status"]) == (200, "ready")
    assert answer.json()["size_bytes"] == ArchiveJob.objects.get().size_bytes


def test_a_subset_has_an_archive_of_its_own(run, as_token):
    one, _ = make_stored_file("a.csv", run=run), make_stored_file("b.csv", run=run)
    api = as_token("files:read")

    whole, part = api.get(route(run)), api.get(route(run, f"?file_ids={one.pk}"))

    assert whole.json()["job_id"] != part.json()["job_id"]
    assert ArchiveJob.objects.get(pk=part.json()["job_id"]).file_ids == [one.pk]


def test_naming_every_file_is_the_whole_run(run, as_token):
    one, two = make_stored_file("a.csv", run=run), make_stored_file("b.csv", run=run)
    api = as_token("files:read")

    whole, named = api.get(route(run)), api.get(route(run, f"?file_ids={two.pk},{one.pk},{one.pk}"))

    assert whole.json()["job_id"] == named.json()["job_id"]


@pytest.mark.parametrize("value", ["", "a", "1,,2", "1;2", "-1", "1.5", "%D9%A1", "999999999", "9" * 30])
def test_wrong_file_ids_are_named(run, as_token, value):
    make_stored_file("a.csv", run=run)

    answer = as_token("files:read").get(route(run, f"?file_ids={value}"))

    assert answer.status_code == 400
    assert "file_ids" in answer.json()["error"]["details"]["fields"]


def test_a_file_of_another_run_is_refused(run, as_token):
    make_stored_file("a.csv", run=run)
    other = make_stored_file("b.csv")

    assert as_token("files:read").get(route(run, f"?file_ids={other.pk}")).status_code == 400


def test_nothing_stored_is_not_found(run, as_token):
    make_file("a.csv", run=run)

    assert as_token("files:read").get(route(run)).status_code == 404


def test_a_failed_archive_tells_its_poller(run, as_token):
    make_stored_file("a.csv", run=run)
    api = as_token("files:read", "archive-jobs:write")
    job_id = api.get(route(run)).json()["job_id"]
    api.patch(f"/api/v1/archive-jobs/{job_id}", {"status": "failed", "error_message": "disk on fire"})

    answer = api.get(route(run))

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["error_message"] == "disk on fire"
    assert answer.json()["error"]["details"].keys() == {"job_id", "status", "error_message", "retry_at"}


def test_a_poll_costs_the_same_however_many_files(run, as_token, django_assert_num_queries):
    for number in range(30):
        make_file(f"{number}.csv", run=run, status="uploaded")
    api = as_token("files:read", last_used_at=now())
    api.get(route(run))

    with django_assert_num_queries(4):  # token, run, members, job
        api.get(route(run))


def test_the_job_names_its_members_and_where_to_put_the_zip(run, as_token):
    file = make_stored_file("a.csv", b"abc", run=run)
    api = as_token("files:read", "archive-jobs:write")
    job_id = api.get(route(run)).json()["job_id"]

    job = api.get(f"/api/v1/archive-jobs/{job_id}").json()

    assert (job["status"], job["instrument_id"], job["run_id"]) == ("building", run.instrument_id, run.run_id)
    assert job["members"][0] | {"download_url": ""} == {
        "file_id": file.pk,
        "path": "a.csv",
        "size_bytes": 3,
        "crc32": "352441c2",
        "download_url": "",
    }
    assert job["upload"]["method"] == "PUT"
    assert job["upload"]["headers"] == {"Content-Type": "application/zip", "If-None-Match": "*"}


def test_ready_is_believed_only_when_the_object_is_there(run, as_token):
    make_stored_file("a.csv", run=run)
    api = as_token("files:read", "archive-jobs:write")
    job_id = api.get(route(run)).json()["job_id"]

    answer = api.patch(f"/api/v1/archive-jobs/{job_id}", {"status": "ready", "size_bytes": 10})

    assert answer.status_code == 409
    assert ArchiveJob.objects.get().status == "building"


def test_reports_repeat_and_do_not_change_an_end(run, as_token):
    make_stored_file("a.csv", run=run)
    api = as_token("files:read", "archive-jobs:write")
    path = f"/api/v1/archive-jobs/{api.get(route(run)).json()['job_id']}"
    build_job(ArchiveJob.objects.get().pk, clock=now)

    assert api.patch(path, {"status": "ready"}).status_code == 200
    assert api.patch(path, {"status": "failed"}).status_code == 409
    assert api.patch(path, {"status": "building"}).status_code == 400
    assert api.patch(path, {"status": "ready", "size_bytes": True}).status_code == 400


def test_a_bound_token_does_not_see_the_job_of_another_instrument(run, as_token):
    make_stored_file("a.csv", run=run)
    job_id = as_token("files:read").get(route(run)).json()["job_id"]
    bound = as_token("files:read", "archive-jobs:write", instrument_ids=[make_run().instrument_id])

    assert bound.get(route(run)).status_code == 404
    assert bound.get(f"/api/v1/archive-jobs/{job_id}").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_hundred_parallel_requests_make_one_job():
    run = make_run()
    make_stored_file("a.csv", run=run)
    token, text = make_token_with_text("files:read")
    start = threading.Barrier(20)

    def ask(number: int) -> str:
        try:
            if number < 20:
                start.wait()
            return Api(token=token, text=text).get(route(run)).json()["job_id"]
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(100)))

    assert len(set(answers)) == 1
    assert ArchiveJob.objects.count() == 1
