"""POST …/request-upload-url and what follows it, on every kind of store."""

import pytest
import requests

from files.models import File
from files.signals import files_uploaded
from tests.factories import make_file, make_run
from tests.files.sending import announced, ask, path_of, put, say_uploaded, upload
from wire.clock import format_timestamp

pytestmark = pytest.mark.django_db

NOWHERE = "http://127.0.0.1:9"
KEYS = {"region": "us-east-1", "access_key_id": "a", "secret_access_key": "b"}
DATA = b"what the instrument wrote\n" * 100


def test_bytes_go_up_and_come_down_as_they_were(as_token, store):
    run, api = make_run(), as_token("runs:upload", "files:update", "files:read")

    file_id = upload(api, run, DATA, "day 1/Größe µm.raw")

    answer = api.get(f"/api/v1/files/{file_id}/download", Accept="*/*")
    assert answer.status_code == 302
    assert requests.get(answer["Location"], timeout=30).content == DATA


def test_a_ticket_says_everything_that_must_be_sent(as_token, local_service):
    run = make_run()

    ticket = ask(as_token(), run, DATA, content_type="text/csv", file_created_at="2026-01-02T03:04:05Z")

    file = File.objects.get()
    assert ticket["file_id"] == file.pk
    assert (ticket["already_uploaded"], ticket["upload_type"], ticket["method"]) == (False, "single", "PUT")
    assert {name.lower() for name in ticket["headers"]} == {
        "content-length",
        "content-type",
        "if-none-match",
        "x-amz-checksum-crc32",
    }
    assert ticket["expires_in"] == 900
    assert ticket["upload_url"].startswith(local_service.signer._base_url)
    assert (ticket["storage_bucket"], ticket["storage_key"]) == (file.storage_bucket, file.storage_key)
    assert ticket["upload_id"] is ticket["part_size"] is ticket["part_count"] is None
    assert ticket["storage_key"] == f"runs/{run.pk}/{file.pk}/{file.key_nonce}/scan.raw"
    assert (file.status, file.content_type) == ("detected", "text/csv")
    assert format_timestamp(file.file_created_at) == "2026-01-02T03:04:05.000Z"


def test_the_service_learns_the_checksum_that_the_store_verified(as_token, local_service):
    run, api = make_run(), as_token()

    file_id = upload(api, run, DATA, crc32=None, sha256=None)

    assert File.objects.get(pk=file_id).crc32 == announced(DATA)["crc32"]


def test_an_empty_file_is_a_file(as_token, store):
    run, api = make_run(), as_token()

    file_id = upload(api, run, b"", "empty.csv")

    assert File.objects.get(pk=file_id).size_bytes == 0


def test_uploading_is_announced_once_within_the_transaction(as_token, local_service):
    heard = []

    def hear(sender, files, at, **kwargs):
        heard.extend((file.pk, file.status, at == file.uploaded_at) for file in files)

    files_uploaded.connect(hear)
    api = as_token()
    file_id = upload(api, make_run(), DATA)
    say_uploaded(api, file_id)
    files_uploaded.disconnect(hear)

    assert heard == [(file_id, "uploaded", True)]


def test_repeating_a_request_keeps_the_place_where_bytes_go(as_token, store):
    run, api = make_run(), as_token()

    first, second = ask(api, run, DATA), ask(api, run, DATA)

    assert second["storage_key"] == first["storage_key"]
    assert File.objects.count() == 1


@pytest.mark.parametrize("other", [b"something else" * 100, DATA[:-1] + b"!"], ids=["other size", "other checksum"])
def test_bytes_that_changed_before_they_were_sent_get_another_key(as_token, local_service, other):
    run, api = make_run(), as_token()
    first = ask(api, run, DATA)

    second = ask(api, run, other)

    assert second["file_id"] == first["file_id"]
    assert second["storage_key"] != first["storage_key"]
    file = File.objects.get()
    assert (file.size_bytes, file.sha256, file.crc32) == tuple(
        announced(other)[name] for name in ("size_bytes", "sha256", "crc32")
    )


def test_an_old_url_cannot_reach_the_new_key(as_token, local_service):
    run, api = make_run(), as_token()
    old = ask(api, run, DATA)
    new = ask(api, run, DATA + b"more")
    put(old, DATA)

    answer = say_uploaded(api, new["file_id"])

    assert answer.status_code == 409
    assert File.objects.get().status == "detected"


def test_a_detected_file_takes_over_what_is_announced(as_token, local_service):
    file = make_file("scan.raw", size_bytes=5)

    ticket = ask(as_token(), file.run, DATA)

    assert ticket["file_id"] == file.pk
    assert File.objects.get().size_bytes == len(DATA)


def test_a_crash_between_put_and_patch_heals_itself(as_token, store):
    run, api = make_run(), as_token()
    put(ask(api, run, DATA), DATA)

    ticket = ask(api, run, DATA)

    assert ticket["already_uploaded"] is True
    assert ticket["upload_url"] is None
    assert File.objects.get().status == "uploaded"


def test_stored_bytes_are_not_asked_for_again(as_token, store):
    run, api = make_run(), as_token()
    file_id = upload(api, run, DATA)

    ticket = ask(api, run, DATA)

    assert (ticket["file_id"], ticket["already_uploaded"], ticket["upload_url"]) == (file_id, True, None)


@pytest.mark.parametrize("status", ["processing", "completed", "failed"])
def test_processed_bytes_are_not_asked_for_again(as_token, local_service, status):
    file = make_file("scan.raw", status=status, size_bytes=len(DATA))

    assert ask(as_token(), file.run, DATA)["already_uploaded"] is True


@pytest.mark.parametrize(
    "known",
    [
        {"size_bytes": len(DATA) + 1},
        {"size_bytes": len(DATA), "sha256": "0" * 64},
        {"size_bytes": len(DATA), "crc32": "0" * 8},
    ],
    ids=["size", "sha256", "crc32"],
)
def test_other_bytes_for_a_stored_path_are_409(as_token, local_service, known):
    file = make_file("scan.raw", status="uploaded", **known)

    answer = as_token().post(f"{path_of(file.run)}/request-upload-url", announced(DATA))

    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {
        "file_id": file.pk,
        "size_bytes": file.size_bytes,
        "sha256": file.sha256,
    }
