"""Many files in one round trip: each result is what the single route would have answered."""

from io import BytesIO

import pytest

from files.models import File
from files.storage import object_store
from tests.factories import make_file, make_instrument, make_run, make_stored_file

RUN = "/api/v1/instruments/reader/runs/7"


@pytest.fixture
def run(db):
    return make_run(instrument=make_instrument(id="reader"), run_id="7")


def announce(name, data=b"abc", **more):
    return {"filename": name.rpartition("/")[2], "relative_path": name, "size_bytes": len(data)} | more


def send(ticket, data):
    """As to the signed URL."""
    kind = "application/octet-stream"
    object_store().put(ticket["storage_key"], BytesIO(data), size_bytes=len(data), content_type=kind)


def test_files_are_asked_for_sent_and_confirmed_in_two_round_trips(as_token, run):
    api = as_token()
    asked = api.post(f"{RUN}/files:batch", {"files": [announce("a.bin"), announce("sub/b.bin", b"longer")]})
    tickets = [result["body"] for result in asked.json()["results"]]
    for ticket, data in zip(tickets, (b"abc", b"longer"), strict=True):
        send(ticket, data)

    confirmed = api.post(f"{RUN}/files:confirm", {"file_ids": [ticket["file_id"] for ticket in tickets]})

    results = confirmed.json()["results"]
    assert [(result["status"], result["body"]["status"]) for result in results] == [(200, "uploaded")] * 2
    assert [file.relative_path for file in File.objects.filter(uploaded_at__isnull=False).order_by("pk")] == [
        "a.bin",
        "sub/b.bin",
    ]


def test_a_result_is_what_the_single_route_answers(as_token, run):
    api = as_token()
    single = api.post(f"{RUN}/request-upload-url", announce("a.bin")).json()

    (result,) = api.post(f"{RUN}/files:batch", {"files": [announce("a.bin")]}).json()["results"]

    volatile = {"upload_url", "expires_in"}
    assert {name: value for name, value in result["body"].items() if name not in volatile} == {
        name: value for name, value in single.items() if name not in volatile
    }


def test_one_refused_file_refuses_no_other(as_token, run):
    stored = make_stored_file("stored.bin", b"first", run=run)
    bad = [announce("../evil.bin"), 5, {"filename": "nosize.bin"}, announce("stored.bin", b"other bytes")]

    answer = as_token().post(f"{RUN}/files:batch", {"files": [*bad, announce("b.bin")]})

    results = answer.json()["results"]
    assert [result["status"] for result in results] == [400, 400, 400, 409, 200]
    assert [result["body"]["error"]["code"] for result in results[:4]] == ["VALIDATION_ERROR"] * 3 + ["CONFLICT"]
    assert results[3]["body"]["error"]["details"]["file_id"] == stored.pk


@pytest.mark.parametrize(
    "files", [[], None, "x", {"a": 1}, [announce("a.bin")] * 201], ids=lambda files: str(files)[:5]
)
def test_no_list_and_too_long_a_list_are_refused(as_token, run, files):
    answer = as_token().post(f"{RUN}/files:batch", {"files": files})

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["files"]
    assert not File.objects.exists()


def test_files_of_other_runs_are_not_confirmed(as_token, run):
    mine, other = make_file(run=run), make_file()

    answer = as_token().post(f"{RUN}/files:confirm", {"file_ids": [other.pk, 999_999, mine.pk]})

    results = answer.json()["results"]
    assert [result["status"] for result in results] == [404, 404, 409]


def test_a_confirmation_that_comes_again_changes_nothing(as_token, run):
    stored = make_stored_file("a.bin", b"abc", run=run)
    File.objects.filter(pk=stored.pk).update(status="completed", processed_at=stored.uploaded_at)
    api = as_token()

    answers = [
        api.patch(f"/api/v1/files/{stored.pk}", {"status": "uploaded"}).json(),
        api.post(f"{RUN}/files:confirm", {"file_ids": [stored.pk]}).json()["results"][0]["body"],
    ]

    assert [answer["status"] for answer in answers] == ["completed", "completed"]


@pytest.mark.parametrize("route", ["files:batch", "files:confirm"])
def test_a_batch_for_a_run_that_is_not_there_or_deleted_is_refused_whole(as_token, run, route):
    api = as_token()
    body = {"files": [announce("a.bin")], "file_ids": [1]}
    missing = api.post(f"/api/v1/instruments/reader/runs/none/{route}", body)
    api.delete(RUN)

    assert (missing.status_code, api.post(f"{RUN}/{route}", body).status_code) == (404, 409)
