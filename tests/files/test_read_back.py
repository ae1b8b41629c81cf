"""On a store that compares no checksums (moto is one), bytes count as stored once they were read back."""

from datetime import timedelta

import pytest

from files.models import File, ReadBack
from files.storage.interface import MIB, StoreUnavailable
from files.storage.s3 import S3Store
from files.tasks import read_back, remove_unused
from files.uploads.read_back import read_back_next
from tests.factories import make_run
from tests.files.sending import ask, complete, part_of, part_sums, part_urls, put, say_uploaded, send_parts, upload
from tests.moto_servers import running_moto
from tests.stores import s3_store_at, use_s3
from wire.clock import now

pytestmark = pytest.mark.django_db

DATA = b"what the instrument wrote\n"
OTHER = b"what nobody ever wrote...\n"
LARGE = bytes(range(256)) * (6 * MIB // 256) + b"the end"


@pytest.fixture
def read_by_builders(monkeypatch):
    monkeypatch.setattr("files.uploads.read_back.MAX_BYTES_IN_REQUEST", 0)


def serve_from(monkeypatch, settings, url):
    store = s3_store_at(url, bucket="lab")
    use_s3(settings, monkeypatch, store)


def test_other_bytes_of_the_right_length_are_not_believed(as_token, unchecking_service):
    run, api = make_run(), as_token()
    ticket = ask(api, run, DATA)
    assert put(ticket, OTHER).ok  # the store took them, with the sender's checksum

    answer = say_uploaded(api, ticket["file_id"])

    assert answer.status_code == 409
    assert answer.json()["error"]["message"] == "The store has other bytes than this file was announced with."
    assert File.objects.get(pk=ticket["file_id"]).uploaded_at is None


def test_the_right_bytes_get_a_key_of_their_own_after_other_ones(as_token, unchecking_service):
    run, api = make_run(), as_token()
    wrong = ask(api, run, DATA)
    put(wrong, OTHER)

    again = ask(api, run, DATA)

    assert (again["file_id"], again["already_uploaded"]) == (wrong["file_id"], False)
    assert again["storage_key"] != wrong["storage_key"]
    assert put(again, DATA).ok
    assert say_uploaded(api, again["file_id"]).status_code == 200


def test_other_bytes_in_a_part_are_not_believed(as_token, unchecking_service, small_parts):
    run, api = make_run(), as_token()
    ticket = ask(api, run, LARGE)
    urls = part_urls(api, ticket, part_sums(ticket, LARGE)).json()["parts"]
    stored = [put(urls[0], part_of(ticket, LARGE, 1)), put(urls[1], part_of(ticket, LARGE[::-1], 2)[::-1])]
    sent = [{"part_number": number, "etag": part.headers["ETag"]} for number, part in enumerate(stored, start=1)]

    answer = complete(api, ticket, sent)

    assert answer.status_code == 409
    assert File.objects.get(pk=ticket["file_id"]).uploaded_at is None


def test_a_large_object_is_read_back_by_a_builder(as_token, unchecking_service, read_by_builders):
    run, api = make_run(), as_token()
    ticket = ask(api, run, DATA)
    put(ticket, DATA)

    first = say_uploaded(api, ticket["file_id"])
    before = File.objects.get(pk=ticket["file_id"]).uploaded_at
    read_back()
    second = say_uploaded(api, ticket["file_id"])

    assert (first.status_code, first["Retry-After"]) == (503, "5")
    assert "being read back" in first.json()["error"]["message"]
    assert before is None
    assert (second.status_code, second.json()["status"]) == (200, "uploaded")


@pytest.mark.usefixtures("small_parts", "read_by_builders")
def test_a_large_object_in_parts_is_completed_once_it_was_read(as_token, unchecking_service):
    run, api = make_run(), as_token()
    ticket = ask(api, run, LARGE)
    sent = send_parts(api, ticket, LARGE)

    first = complete(api, ticket, sent)
    read_back()
    second = complete(api, ticket, sent)

    assert (first.status_code, second.status_code) == (503, 200)
    assert second.json()["status"] == "uploaded"


def test_a_large_object_of_other_bytes_is_not_believed(as_token, s3_service, read_by_builders):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    put(ticket, OTHER)
    say_uploaded(api, ticket["file_id"])

    read_back()

    assert say_uploaded(api, ticket["file_id"]).status_code == 409


def test_whoever_asks_again_wakes_a_builder_whose_task_was_lost(as_token, s3_service, read_by_builders, monkeypatch):
    api, woken = as_token(), []
    ticket = ask(api, make_run(), DATA)
    put(ticket, DATA)
    say_uploaded(api, ticket["file_id"])
    at = ReadBack.objects.get().requested_at
    monkeypatch.setattr("files.uploads.read_back.enqueue", woken.append)

    monkeypatch.setattr("files.uploads.read_back.now", lambda: at)
    say_uploaded(api, ticket["file_id"])
    assert woken == []
    monkeypatch.setattr("files.uploads.read_back.now", lambda: at + timedelta(minutes=1))
    say_uploaded(api, ticket["file_id"])

    assert woken == ["files.read_back"]


def test_a_store_that_is_away_costs_no_attempt(as_token, s3_service, read_by_builders, monkeypatch):
    def away(*arguments, **bounds):
        raise StoreUnavailable

    api = as_token()
    ticket = ask(api, make_run(), DATA)
    put(ticket, DATA)
    say_uploaded(api, ticket["file_id"])
    with monkeypatch.context() as patch:
        patch.setattr(s3_service, "open_range", away)
        read_back()

    assert ReadBack.objects.get().attempts == 0
    assert read_back_next(clock=lambda: now() + timedelta(minutes=1))
    assert say_uploaded(api, ticket["file_id"]).status_code == 200


def test_an_object_that_could_never_be_read_is_asked_for_anew(as_token, s3_service, read_by_builders):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    put(ticket, DATA)
    say_uploaded(api, ticket["file_id"])
    ReadBack.objects.update(attempts=3)

    read_back()
    assert not ReadBack.objects.exists()
    say_uploaded(api, ticket["file_id"])
    read_back()

    assert say_uploaded(api, ticket["file_id"]).status_code == 200


def test_what_was_read_long_ago_is_forgotten(as_token, s3_service, read_by_builders):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    put(ticket, DATA)
    say_uploaded(api, ticket["file_id"])
    ReadBack.objects.update(requested_at=now() - timedelta(days=8))

    remove_unused()

    assert not ReadBack.objects.exists()


def test_a_store_that_compares_checksums_is_not_read(as_token, s3_service, settings, monkeypatch):
    with running_moto(verifies_checksums=True) as url:
        serve_from(monkeypatch, settings, url)
        monkeypatch.setattr(S3Store, "open_range", None)
        run, api = make_run(), as_token()

        refused = put(ask(api, run, DATA), OTHER)
        upload(api, run, DATA)

    assert refused.status_code == 400


def test_nothing_counts_as_stored_where_stored_bytes_could_be_replaced(as_token, s3_service, settings, monkeypatch):
    with running_moto(without=("If-None-Match",)) as url:
        serve_from(monkeypatch, settings, url)
        api = as_token()
        ticket = ask(api, make_run(), DATA)
        put(ticket, DATA)

        answer = say_uploaded(api, ticket["file_id"])

    assert answer.status_code == 503
    assert "If-None-Match" in answer.json()["error"]["message"]


def test_readyz_says_that_uploads_are_read_back(client, s3_service):
    assert client.get("/readyz").json()["storage_checksums"] == "read_back"
