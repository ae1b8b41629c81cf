"""Manual mode: POST …/request-upload and GET /watchers/{id}/upload-queue."""

from datetime import timedelta

import pytest

from tests.factories import make_file, make_run, make_watcher
from tests.files.sending import path_of
from wire.clock import now

pytestmark = pytest.mark.django_db


def test_files_wait_for_their_watcher(as_token):
    run = make_run()
    files = [make_file(name, run=run) for name in ("b.csv", "a.csv")]
    ids = [file.pk for file in files]

    answer = as_token("runs:upload").post(f"{path_of(run)}/request-upload", {"file_ids": ids})

    assert answer.status_code == 200
    shown = answer.json()
    assert (shown["files_queued"], shown["watcher_online"]) == (2, False)
    assert [(file["id"], file["filename"]) for file in shown["files"]] == [(ids[0], "b.csv"), (ids[1], "a.csv")]
    assert all(file["upload_requested_at"] for file in shown["files"])
    files[0].refresh_from_db()
    assert files[0].status == "upload_requested"


def test_asking_again_keeps_the_place_in_the_queue(as_token):
    asked_at = now() - timedelta(hours=1)
    file = make_file(status="upload_requested", upload_requested_at=asked_at)

    answer = as_token().post(f"{path_of(file.run)}/request-upload", {"file_ids": [file.pk, file.pk]})

    assert answer.status_code == 200
    assert answer.json()["files_queued"] == 1
    file.refresh_from_db()
    assert file.upload_requested_at == asked_at


@pytest.mark.parametrize(
    ("status", "minutes_ago", "fields", "online"),
    [
        ("watching", 0, {}, True),
        ("watching", 6, {}, False),
        ("stopped", 0, {}, False),
        ("watching", 0, {"deleted_at": now()}, False),
    ],
    ids=["heard", "silent", "stopped", "deregistered"],
)
def test_the_answer_says_whether_the_watcher_is_there(as_token, status, minutes_ago, fields, online):
    file, heard_at = make_file(), now() - timedelta(minutes=minutes_ago)
    make_watcher(instrument=file.run.instrument, status=status, last_heartbeat_at=heard_at, **fields)

    answer = as_token().post(f"{path_of(file.run)}/request-upload", {"file_ids": [file.pk]})

    assert answer.json()["watcher_online"] is online


@pytest.mark.parametrize("wrong", ["unknown", "of another run", "dismissed", "uploaded"])
def test_one_file_that_cannot_be_queued_is_400_and_none_is_queued(as_token, wrong):
    run = make_run()
    file = make_file(run=run)
    wrong_id = {
        "unknown": lambda: 999_999_999,
        "of another run": lambda: make_file().pk,
        "dismissed": lambda: make_file(run=run, deleted_at=now()).pk,
        "uploaded": lambda: make_file(run=run, status="uploaded").pk,
    }[wrong]()

    answer = as_token().post(f"{path_of(run)}/request-upload", {"file_ids": [file.pk, wrong_id]})

    assert answer.status_code == 400
    assert str(wrong_id) in answer.json()["error"]["details"]["fields"]["file_ids"][0]
    file.refresh_from_db()
    assert file.status == "detected"


@pytest.mark.parametrize("ids", [None, [], "1", ["1"], [0], [True], list(range(1, 102)), [2**63]])
def test_bad_input_is_400(as_token, ids):
    answer = as_token().post(f"{path_of(make_run())}/request-upload", {"file_ids": ids})

    assert answer.status_code == 400
    assert next(iter(answer.json()["error"]["details"]["fields"])).startswith("file_ids")


def test_a_deleted_run_is_409(as_token):
    api, file = as_token(), make_file()
    api.delete(path_of(file.run))

    answer = api.post(f"{path_of(file.run)}/request-upload", {"file_ids": [file.pk]})

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["deleted_at"]


def test_a_session_may_not_queue_over_rest(as_admin):
    assert as_admin().post(f"{path_of(make_run())}/request-upload", {"file_ids": [1]}).status_code == 401


def queue_of(watcher) -> str:
    return f"/api/v1/watchers/{watcher.pk}/upload-queue"


def wait(watcher, name: str, **fields):
    run = make_run(instrument=watcher.instrument)
    return make_file(name, run=run, relative_path=f"x/{name}", status="upload_requested", size_bytes=4, **fields)


def test_a_watcher_finds_what_it_is_asked_for_the_oldest_request_first(as_token):
    api = as_token("watchers:read")
    watcher = make_watcher(token=api.token)
    wait(watcher, "late.raw", upload_requested_at=now())
    early = wait(watcher, "early.raw", upload_requested_at=now() - timedelta(days=1))

    answer = api.get(queue_of(watcher))

    assert answer.status_code == 200
    assert [file["filename"] for file in answer.json()["data"]] == ["early.raw", "late.raw"]
    assert answer.json()["data"][0] == {
        "id": early.pk,
        "instrument_id": watcher.instrument_id,
        "run_id": early.run.run_id,
        "filename": "early.raw",
        "relative_path": "x/early.raw",
        "size_bytes": 4,
    }
    assert answer.json()["pagination"] == {"page": 1, "per_page": 100, "total": 2, "total_pages": 1}


def test_a_session_may_look_at_the_queue(as_person):
    watcher = make_watcher()
    wait(watcher, "a.raw")

    assert as_person().get(queue_of(watcher)).json()["pagination"]["total"] == 1


def test_only_what_waits_at_its_instrument_is_in_the_queue(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    wait(make_watcher(), "elsewhere.raw")
    wait(watcher, "dismissed.raw", deleted_at=now())
    api.delete(path_of(wait(watcher, "deleted run.raw").run))
    make_file(run=make_run(instrument=watcher.instrument))
    make_file(run=make_run(instrument=watcher.instrument), status="uploaded", upload_requested_at=now())

    assert api.get(queue_of(watcher)).json()["data"] == []


def test_another_token_is_403(as_token):
    assert as_token().get(queue_of(make_watcher())).status_code == 403


def test_a_deregistered_watcher_has_no_queue(as_token, as_person):
    api = as_token()
    watcher = make_watcher(token=api.token, deleted_at=now())

    answers = [api.get(queue_of(watcher)), as_person().get(queue_of(watcher))]

    assert [answer.status_code for answer in answers] == [409, 409]
    assert all(answer.json()["error"]["details"]["deleted_at"] for answer in answers)


def test_an_unknown_watcher_is_404(as_token):
    answer = as_token().get("/api/v1/watchers/00000000-0000-4000-8000-000000000000/upload-queue")

    assert answer.status_code == 404


def test_queries_do_not_grow_with_the_queue(as_token, django_assert_num_queries):
    api = as_token(last_used_at=now())
    watcher = make_watcher(token=api.token)
    for number in range(20):
        wait(watcher, f"{number}.raw")

    with django_assert_num_queries(4):  # token, watcher, count, page
        api.get(queue_of(watcher))
