"""`part_size` of request-upload-url, on every kind of store."""

import pytest
import requests

from files.models import File
from files.storage.interface import MIB
from files.uploads.multipart import choose_part_size
from tests.factories import make_run
from tests.files.sending import announced, ask, complete, part_sums, path_of, put, say_uploaded, send_parts, upload

pytestmark = pytest.mark.django_db

DATA = bytes(range(256)) * (11 * MIB // 256) + b"the end"
GIB = 1024 * MIB


def ask_part_urls(api, ticket, data):
    asked = {"upload_id": ticket["upload_id"], "parts": part_sums(ticket, data)[:1]}
    return api.post(f"/api/v1/files/{ticket['file_id']}/multipart-upload/part-urls", asked)


def test_a_file_goes_up_in_parts_of_the_size_asked_for_and_comes_down_as_it_was(as_token, store):
    run, api = make_run(), as_token("runs:upload", "files:read")
    ticket = ask(api, run, DATA, part_size=5 * MIB)

    answer = complete(api, ticket, send_parts(api, ticket, DATA))

    assert (ticket["upload_type"], ticket["part_size"], ticket["part_count"]) == ("multipart", 5 * MIB, 3)
    assert (answer.status_code, answer.json()["status"]) == (200, "uploaded")
    place = api.get(f"/api/v1/files/{ticket['file_id']}/download", Accept="*/*")["Location"]
    assert requests.get(place, timeout=30).content == DATA


@pytest.mark.parametrize(
    ("size_bytes", "asked", "expected"),
    [
        (5 * MIB, 5 * MIB, None),
        (5 * MIB + 1, 5 * MIB, 5 * MIB),
        (50 * MIB, None, None),
        (100 * MIB, None, 64 * MIB),
        (100 * MIB, 200 * MIB, 200 * MIB),
        (20 * MIB, 5 * MIB + MIB // 2 - 1, 5 * MIB),
        (20 * MIB, 5 * MIB + MIB // 2, 6 * MIB),
        (50_000 * MIB + 1, 5 * MIB, 10 * MIB),
        (10_000 * 5 * GIB, 3 * GIB, 5 * GIB),
    ],
)
def test_the_size_of_parts(size_bytes, asked, expected):
    assert choose_part_size(size_bytes, asked=asked) == expected


@pytest.mark.parametrize("part_size", [5 * MIB - 1, 5 * GIB + 1, 0, -1, 6.5, "6291456", True, [], {}])
def test_a_bad_part_size_is_400(as_token, local_service, part_size):
    answer = as_token().post(f"{path_of(make_run())}/request-upload-url", announced(DATA, part_size=part_size))

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["part_size"]
    assert not File.objects.exists()


def test_parts_need_the_files_checksum(as_token, local_service):
    body = announced(DATA, part_size=5 * MIB) | {"crc32": None}

    answer = as_token().post(f"{path_of(make_run())}/request-upload-url", body)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["crc32"]
    assert not File.objects.exists()


def test_a_file_that_is_no_larger_goes_up_by_one_put(as_token, local_service):
    ticket = ask(as_token(), make_run(), DATA, part_size=12 * MIB)

    assert (ticket["upload_type"], ticket["upload_id"]) == ("single", None)


def test_parts_that_are_on_their_way_are_gone_on_with(as_token, store):
    run, api = make_run(), as_token()
    first = ask(api, run, DATA, part_size=5 * MIB)
    sent = send_parts(api, first, DATA)

    again = [ask(api, run, DATA, part_size=8 * MIB), ask(api, run, DATA)]

    assert [(ticket["upload_id"], ticket["part_size"]) for ticket in again] == [(first["upload_id"], 5 * MIB)] * 2
    assert complete(api, first, sent).status_code == 200


def test_an_upload_of_which_no_part_was_asked_for_gives_way(as_token, store):
    run, api = make_run(), as_token()
    first = ask(api, run, DATA, part_size=5 * MIB)

    second = ask(api, run, DATA, part_size=8 * MIB)

    assert (second["part_size"], second["part_count"]) == (8 * MIB, 2)
    assert ask_part_urls(api, first, DATA).status_code == 409
    assert complete(api, second, send_parts(api, second, DATA)).status_code == 200


def test_an_upload_of_which_no_part_was_asked_for_gives_way_to_one_put(as_token, store):
    run, api = make_run(), as_token()
    first = ask(api, run, DATA, part_size=5 * MIB)

    second = ask(api, run, DATA)

    assert second["upload_type"] == "single"
    assert put(second, DATA).ok
    assert say_uploaded(api, second["file_id"]).status_code == 200
    assert ask_part_urls(api, first, DATA).status_code == 409


def test_parts_may_follow_a_put_that_never_came(as_token, store):
    run, api = make_run(), as_token()
    ask(api, run, DATA)

    ticket = ask(api, run, DATA, part_size=5 * MIB)

    assert complete(api, ticket, send_parts(api, ticket, DATA)).status_code == 200


def test_what_is_stored_is_not_sent_again_in_parts(as_token, local_service):
    run, api = make_run(), as_token()
    upload(api, run, DATA)

    ticket = ask(api, run, DATA, part_size=5 * MIB)

    assert (ticket["already_uploaded"], ticket["upload_id"]) == (True, None)
