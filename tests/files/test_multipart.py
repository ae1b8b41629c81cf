"""Uploads in parts, on every kind of store. Parts are of 5 MiB here (`small_parts`)."""

from dataclasses import replace

import pytest
import requests

from files.models import File, UploadPart
from files.storage.checksums import crc32_of
from files.storage.interface import MIB
from files.uploads.multipart import choose_part_size
from tests.factories import make_run
from tests.files.sending import (
    announced,
    ask,
    complete,
    part_of,
    part_sums,
    part_urls,
    path_of,
    put,
    send_parts,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_parts")]

DATA = bytes(range(256)) * (11 * MIB // 256) + b"the end"


def test_a_large_file_goes_up_in_parts_and_comes_down_as_it_was(as_token, store):
    run, api = make_run(), as_token("runs:upload", "files:read")
    ticket = ask(api, run, DATA)

    answer = complete(api, ticket, send_parts(api, ticket, DATA))

    assert answer.status_code == 200
    assert (answer.json()["status"], answer.json()["size_bytes"]) == ("uploaded", len(DATA))
    place = api.get(f"/api/v1/files/{ticket['file_id']}/download", Accept="*/*")["Location"]
    assert requests.get(place, timeout=30).content == DATA


def test_a_ticket_says_how_many_parts(as_token, local_service):
    ticket = ask(as_token(), make_run(), DATA)

    assert (ticket["upload_type"], ticket["part_size"], ticket["part_count"]) == ("multipart", 5 * MIB, 3)
    assert ticket["upload_url"] is None
    assert ticket["headers"] == {}


def test_each_part_has_its_length_and_checksum_bound(as_token, local_service):
    api = as_token()
    ticket = ask(api, make_run(), DATA)

    answer = part_urls(api, ticket, part_sums(ticket, DATA))

    lengths = [part["headers"]["Content-Length"] for part in answer.json()["parts"]]
    assert lengths == [str(5 * MIB), str(5 * MIB), str(MIB + 7)]
    assert all("x-amz-checksum-crc32" in part["headers"] for part in answer.json()["parts"])


def test_the_size_of_parts_grows_with_the_file():
    assert choose_part_size(10_000 * 5 * MIB) == 5 * MIB
    assert choose_part_size(10_000 * 5 * MIB + 1) == 10 * MIB


def test_a_large_file_needs_its_checksum(as_token, local_service):
    run = make_run()

    answer = as_token().post(f"{path_of(run)}/request-upload-url", announced(DATA) | {"crc32": None})

    assert answer.status_code == 400
    assert "crc32" in answer.json()["error"]["details"]["fields"]
    assert not File.objects.exists()


def test_asking_again_goes_on_with_the_open_upload(as_token, store):
    run, api = make_run(), as_token()

    assert ask(api, run, DATA)["upload_id"] == ask(api, run, DATA)["upload_id"]


def test_an_upload_that_the_store_has_lost_begins_again(as_token, store):
    run, api = make_run(), as_token()
    lost = ask(api, run, DATA)
    store.abort_multipart(lost["storage_key"], upload_id=lost["upload_id"])

    ticket = ask(api, run, DATA)

    assert ticket["upload_id"] != lost["upload_id"]
    assert complete(api, ticket, send_parts(api, ticket, DATA)).status_code == 200


def test_other_bytes_begin_another_upload(as_token, local_service):
    run, api = make_run(), as_token()
    first = ask(api, run, DATA)

    second = ask(api, run, DATA + b"!")

    assert second["upload_id"] != first["upload_id"]
    assert complete(api, first, [{"part_number": 1, "etag": "x"}]).status_code == 409


def test_a_part_may_be_sent_again(as_token, store):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    send_parts(api, ticket, DATA)

    assert complete(api, ticket, send_parts(api, ticket, DATA)).status_code == 200


def test_a_part_may_be_corrected(as_token, store):
    """First with the wrong bytes and their checksum, then with the right ones."""
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    wrong = b"x" * (5 * MIB)
    url = part_urls(api, ticket, [{"part_number": 1, "crc32": crc32_of(wrong)}]).json()["parts"][0]
    assert put(url, wrong).ok

    answer = complete(api, ticket, send_parts(api, ticket, DATA))

    assert answer.status_code == 200
    assert not UploadPart.objects.exists()


@pytest.fixture
def silent_store(local_service, monkeypatch):
    """A store that checks checksums but does not tell them, as some do."""
    tell_parts, tell_object = local_service.list_parts, local_service.head

    def list_parts(key, *, upload_id):
        return [replace(part, crc32=None) for part in tell_parts(key, upload_id=upload_id)]

    def head(key):
        stored = tell_object(key)
        return stored and replace(stored, crc32=None)

    monkeypatch.setattr(local_service, "list_parts", list_parts)
    monkeypatch.setattr(local_service, "head", head)
    return local_service


def test_a_store_that_tells_no_checksum_is_believed_on_those_it_was_given(as_token, silent_store):
    api = as_token()
    ticket = ask(api, make_run(), DATA)

    assert complete(api, ticket, send_parts(api, ticket, DATA)).status_code == 200


def test_a_corrected_part_is_read_back_where_the_store_does_not_tell(as_token, silent_store):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    part_urls(api, ticket, [{"part_number": 2, "crc32": "0" * 8}])

    assert complete(api, ticket, send_parts(api, ticket, DATA)).status_code == 200


def test_wrong_bytes_found_when_reading_back_are_not_kept(as_token, silent_store):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    sent = send_parts(api, ticket, DATA)
    wrong = b"x" * (5 * MIB)
    url = part_urls(api, ticket, [{"part_number": 1, "crc32": crc32_of(wrong)}]).json()["parts"][0]
    sent[0]["etag"] = put(url, wrong).headers["ETag"]

    answer = complete(api, ticket, sent)

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["crc32"] == crc32_of(DATA)
    assert silent_store.head(ticket["storage_key"]) is None
    file = File.objects.get()
    assert (file.status, file.storage_key) == ("detected", None)


def test_parts_that_do_not_make_the_announced_checksum_are_409_and_nothing_changes(as_token, store):
    api = as_token()
    ticket = ask(api, make_run(), DATA, crc32="0" * 8)
    sent = send_parts(api, ticket, DATA)

    answer = complete(api, ticket, sent)

    assert answer.status_code == 409
    details = answer.json()["error"]["details"]
    assert (details["crc32"], details["parts_crc32"]) == ("0" * 8, crc32_of(DATA))
    assert store.head(ticket["storage_key"]) is None
    assert len(store.list_parts(ticket["storage_key"], upload_id=ticket["upload_id"])) == 3
    assert File.objects.get().status == "detected"


@pytest.mark.parametrize(
    "change",
    [
        lambda sent: sent[:-1],
        lambda sent: [*sent, {"part_number": 4, "etag": "x"}],
        lambda sent: [*sent, sent[0]],
        lambda sent: [sent[0] | {"etag": '"another"'}, *sent[1:]],
    ],
    ids=["missing", "too many", "twice", "another etag"],
)
def test_parts_that_are_not_the_stored_ones_are_409(as_token, local_service, change):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    sent = send_parts(api, ticket, DATA)

    answer = complete(api, ticket, change(sent))

    assert answer.status_code == 409
    assert File.objects.get().status == "detected"
    assert complete(api, ticket, sent).status_code == 200


def test_completing_before_every_part_is_there_is_409(as_token, store):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    first = part_sums(ticket, DATA)[:1]
    url = part_urls(api, ticket, first).json()["parts"][0]
    etag = put(url, part_of(ticket, DATA, 1)).headers["ETag"]

    answer = complete(api, ticket, [{"part_number": number, "etag": etag} for number in (1, 2, 3)])

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["part_number"] == 2
