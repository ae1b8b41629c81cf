"""How a multipart upload ends: completed, aborted, crashed, refused."""

import pytest

from files.models import File
from files.storage.interface import MIB
from files.storage.local_uploads import LocalUpload
from tests.factories import make_file, make_run
from tests.files.sending import abort, ask, complete, part_urls, path_of, say_uploaded, send_parts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_parts")]

DATA = bytes(range(256)) * (11 * MIB // 256) + b"the end"


def test_completing_twice_changes_nothing(as_token, store):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    sent = send_parts(api, ticket, DATA)
    first = complete(api, ticket, sent).json()

    answer = complete(api, ticket, sent)

    assert answer.status_code == 200
    assert answer.json() == first


def test_a_crash_after_the_store_has_put_the_parts_together_heals_itself(as_token, store):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    sent = send_parts(api, ticket, DATA)
    parts = store.list_parts(ticket["storage_key"], upload_id=ticket["upload_id"])
    store.complete_multipart(ticket["storage_key"], upload_id=ticket["upload_id"], parts=parts)

    answer = complete(api, ticket, sent)

    assert answer.status_code == 200
    assert answer.json()["status"] == "uploaded"


def test_a_crash_while_the_store_puts_the_parts_together_heals_itself(as_token, local_service):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    sent = send_parts(api, ticket, DATA)
    LocalUpload(local_service.layout, ticket["storage_key"], ticket["upload_id"])._seal()

    assert complete(api, ticket, sent).status_code == 200


def test_the_same_crash_is_found_when_the_upload_is_asked_for_again(as_token, store):
    run, api = make_run(), as_token()
    ticket = ask(api, run, DATA)
    send_parts(api, ticket, DATA)
    parts = store.list_parts(ticket["storage_key"], upload_id=ticket["upload_id"])
    store.complete_multipart(ticket["storage_key"], upload_id=ticket["upload_id"], parts=parts)

    assert ask(api, run, DATA)["already_uploaded"] is True


def test_saying_uploaded_does_not_replace_completing(as_token, store):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    send_parts(api, ticket, DATA)

    assert say_uploaded(api, ticket["file_id"]).status_code == 409


@pytest.mark.parametrize(
    "call",
    [
        lambda api, ticket: part_urls(api, ticket, [{"part_number": 1, "crc32": "0" * 8}]),
        lambda api, ticket: complete(api, ticket, [{"part_number": 1, "etag": "x"}]),
        abort,
    ],
    ids=["part-urls", "complete", "abort"],
)
def test_an_upload_id_that_is_not_the_current_one_is_409(as_token, local_service, call):
    api = as_token()
    ticket = ask(api, make_run(), DATA)

    answer = call(api, ticket | {"upload_id": "another"})

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["upload_id"] == ticket["upload_id"]


def test_aborting_drops_the_parts(as_token, store):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    send_parts(api, ticket, DATA)

    answer = abort(api, ticket)

    assert answer.json() == {"file_id": ticket["file_id"], "aborted": True}
    assert complete(api, ticket, [{"part_number": 1, "etag": "x"}]).status_code == 409
    assert File.objects.get().storage_key is None


def test_aborting_twice_is_200(as_token, local_service):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    abort(api, ticket)

    answer = abort(api, ticket)

    assert answer.status_code == 200
    assert answer.json()["aborted"] is False


def test_a_finished_upload_is_not_aborted(as_token, local_service):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    complete(api, ticket, send_parts(api, ticket, DATA))

    answer = abort(api, ticket)

    assert answer.status_code == 409
    assert File.objects.get().status == "uploaded"


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ([], "parts"),
        ([{"part_number": number, "crc32": "0" * 8} for number in range(1, 18)], "parts"),
        ([{"part_number": 0, "crc32": "0" * 8}], "parts.0.part_number"),
        ([{"part_number": 1, "crc32": "xyz"}], "parts.0.crc32"),
        ([{"part_number": 4, "crc32": "0" * 8}], "parts"),
        ([{"part_number": 1, "crc32": "0" * 8}] * 2, "parts"),
        ({}, "parts"),
        (["a"], "parts.0"),
    ],
)
def test_parts_that_make_no_sense_are_400(as_token, local_service, parts, field):
    api = as_token()
    ticket = ask(api, make_run(), DATA)

    answer = part_urls(api, ticket, parts)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == [field]


def test_a_stored_file_has_no_part_urls(as_token, local_service):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    complete(api, ticket, send_parts(api, ticket, DATA))

    answer = part_urls(api, ticket, [{"part_number": 1, "crc32": "0" * 8}])

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["status"] == "uploaded"


def test_a_file_without_an_upload_has_no_part_urls(as_token, local_service):
    ticket = {"file_id": make_file().pk, "upload_id": "a"}

    assert part_urls(as_token(), ticket, [{"part_number": 1, "crc32": "0" * 8}]).status_code == 409


def test_a_dismissed_file_takes_no_parts(as_token, local_service):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    api.delete(f"/api/v1/files/{ticket['file_id']}")

    answer = part_urls(api, ticket, [{"part_number": 1, "crc32": "0" * 8}])

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["deleted_at"]


def test_a_deleted_run_takes_no_parts(as_token, local_service):
    api, run = as_token(), make_run()
    ticket = ask(api, run, DATA)
    api.delete(path_of(run))

    answers = [
        part_urls(api, ticket, [{"part_number": 1, "crc32": "0" * 8}]),
        complete(api, ticket, [{"part_number": 1, "etag": "x"}]),
        abort(api, ticket),
    ]

    assert [answer.status_code for answer in answers] == [409] * 3
    assert all(answer.json()["error"]["details"]["deleted_at"] for answer in answers)
