"""Many files in one round trip: each result is what the single route would have answered."""

from io import BytesIO

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from files.models import File
from files.storage import object_store
from files.uploads.requests import UploadTicket
from files.uploads.serializers import TicketSerializer, represent_ticket
from tests.factories import make_file, make_instrument, make_run, make_signature, make_stored_file
from wire.clock import now
from wire.outputs import represent

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


def test_entries_of_another_type_are_refused_one_by_one(as_token, run):
    bad = [None, "x", True, [], {}, 1.5]

    asked = as_token().post(f"{RUN}/files:batch", {"files": [*bad, announce("b.bin")]})

    assert [result["status"] for result in asked.json()["results"]] == [400] * 6 + [200]
    assert File.objects.get().relative_path == "b.bin"


def test_ids_of_another_type_are_refused_one_by_one(as_token, run):
    mine = make_stored_file("a.bin", run=run)
    bad, unknown = [None, "x", str(mine.pk), True, 1.0, {"id": 1}], [0, -1, 2**63, 10**40]

    asked = as_token().post(f"{RUN}/files:confirm", {"file_ids": [*bad, *unknown, mine.pk]})

    results = asked.json()["results"]
    assert [result["status"] for result in results] == [400] * 6 + [404] * 4 + [200]
    assert results[0]["body"]["error"]["details"]["fields"].keys() == {"file_id"}


@pytest.mark.parametrize("file_ids", [[], None, "x", {"a": 1}, [1] * 201], ids=lambda ids: str(ids)[:5])
def test_no_list_of_ids_and_too_long_a_one_are_refused(as_token, run, file_ids):
    answer = as_token().post(f"{RUN}/files:confirm", {"file_ids": file_ids})

    assert (answer.status_code, list(answer.json()["error"]["details"]["fields"])) == (400, ["file_ids"])


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


def test_a_batch_takes_as_many_queries_as_one_file(as_token, run):
    api = as_token(last_used_at=now())

    def count(call):
        with CaptureQueriesContext(connection) as asked:
            answer = call()
        return len(asked), [result["body"] for result in answer.json()["results"]]

    known = [make_file(f"known {number}.bin", run=run) for number in range(10)]
    names = [*(file.relative_path for file in known), *(f"new {number}.bin" for number in range(30))]
    asking, tickets = count(lambda: api.post(f"{RUN}/files:batch", {"files": [announce(name) for name in names]}))
    for ticket in tickets:
        send(ticket, b"abc")
    ids = [ticket["file_id"] for ticket in tickets]
    confirming, confirmed = count(lambda: api.post(f"{RUN}/files:confirm", {"file_ids": ids}))

    assert [file["status"] for file in confirmed] == ["uploaded"] * 40
    assert len({ticket["storage_key"] for ticket in tickets}) == 40
    # token, run; in one transaction: run, known ones, signatures, ids, insert, their keys
    assert asking == 10
    # token, run, files; in one transaction: run, files, change, jobs with their turns and their tasks
    assert confirming == 10
    run.refresh_from_db()
    assert (run.file_count, run.n_uploaded, run.total_size_bytes) == (40, 40, 120)


def test_a_path_twice_in_a_batch_is_one_file(as_token, run):
    asked = [announce("a.bin"), announce("a.bin"), announce("a.bin", b"other bytes")]

    results = as_token().post(f"{RUN}/files:batch", {"files": asked}).json()["results"]

    first, again, other = (result["body"] for result in results)
    assert first["storage_key"] == again["storage_key"] != other["storage_key"]
    assert (first["file_id"], File.objects.get().storage_key) == (other["file_id"], other["storage_key"])


def test_a_batch_beyond_a_quota_is_filled_up_to_it(as_token, run, settings):
    settings.MAX_FILES_PER_RUN = 2

    answer = as_token().post(f"{RUN}/files:batch", {"files": [announce(name) for name in ("a", "b", "c")]})

    assert [result["status"] for result in answer.json()["results"]] == [200, 200, 409]
    assert File.objects.count() == 2


def test_dismissed_stored_and_open_files_are_answered_each_for_itself(as_token, run):
    make_file("gone.bin", run=run, deleted_at=now())
    make_stored_file("stored.bin", b"abc", run=run)
    api = as_token()
    once = api.post(f"{RUN}/request-upload-url", announce("open.bin")).json()

    names = ("gone.bin", "stored.bin", "open.bin", "new.bin")
    answer = api.post(f"{RUN}/files:batch", {"files": [announce(name) for name in names]})

    gone, stored, opened, new = answer.json()["results"]
    assert [one["status"] for one in (gone, stored, opened, new)] == [409, 200, 200, 200]
    assert (stored["body"]["already_uploaded"], new["body"]["already_uploaded"]) == (True, False)
    assert opened["body"]["storage_key"] == once["storage_key"]


def test_a_file_that_is_not_in_the_store_or_has_other_bytes_keeps_none_back(as_token, run):
    api = as_token()
    asked = api.post(f"{RUN}/files:batch", {"files": [announce(name) for name in ("a", "b", "c")]})
    absent, other, sent = (result["body"] for result in asked.json()["results"])
    send(other, b"four")
    send(sent, b"abc")
    ids = [absent["file_id"], other["file_id"], sent["file_id"], sent["file_id"]]

    results = api.post(f"{RUN}/files:confirm", {"file_ids": ids}).json()["results"]

    assert [result["status"] for result in results] == [409, 409, 200, 200]
    assert [result["body"].get("status") for result in results[2:]] == ["uploaded", "uploaded"]


def test_what_is_confirmed_together_is_the_row_that_is_kept(as_token, run):
    api = as_token()
    (ticket,) = (one["body"] for one in api.post(f"{RUN}/files:batch", {"files": [announce("a")]}).json()["results"])
    send(ticket, b"abc")

    (result,) = api.post(f"{RUN}/files:confirm", {"file_ids": [ticket["file_id"]]}).json()["results"]

    assert result["body"] == api.get(f"/api/v1/files/{ticket['file_id']}").json()


def test_a_signed_run_refuses_new_files_of_a_batch_alone(as_token, run):
    known = make_file("known.bin", run=run)
    make_signature(run=run)

    answer = as_token().post(f"{RUN}/files:batch", {"files": [announce("new.bin"), announce(known.relative_path)]})

    single = as_token().post(f"{RUN}/request-upload-url", announce("new.bin"))
    first, _ = answer.json()["results"]
    assert (first["status"], first["body"]["error"]) == (single.status_code, single.json()["error"])


def test_the_ticket_is_what_its_serializer_says(db):
    ticket = UploadTicket(make_file("a.bin", storage_bucket="b", storage_key="k"), False, "single", "u", {"a": "b"}, 9)

    assert represent_ticket(ticket) == represent(TicketSerializer, ticket)
