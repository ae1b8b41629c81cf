"""Uploads that are refused, repeated, or asked of a store that is away."""

from datetime import timedelta

import pytest

from files.models import File
from tests.factories import make_file, make_run
from tests.files.sending import announced, ask, path_of, put, say_uploaded, upload
from tests.stores import S3_BACKEND, use_backend
from wire.clock import format_timestamp, now

pytestmark = pytest.mark.django_db

NOWHERE = "http://127.0.0.1:9"
KEYS = {"region_name": "us-east-1", "access_key": "a", "secret_key": "b"}
DATA = b"what the instrument wrote\n" * 100


def test_a_dismissed_path_is_409(as_token, local_service):
    file = make_file("scan.raw", deleted_at=now())

    answer = as_token().post(f"{path_of(file.run)}/request-upload-url", announced(DATA))

    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {
        "file_id": file.pk,
        "deleted_at": format_timestamp(file.deleted_at),
    }


def test_a_deleted_run_is_409(as_token, local_service):
    api, run = as_token(), make_run()
    api.delete(path_of(run))

    answer = api.post(f"{path_of(run)}/request-upload-url", announced(DATA))

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["deleted_at"]
    assert not File.objects.exists()


def test_a_run_deleted_after_the_put_takes_no_upload(as_token, local_service):
    api, run = as_token(), make_run()
    ticket = ask(api, run, DATA)
    put(ticket, DATA)
    api.delete(path_of(run))

    answer = say_uploaded(api, ticket["file_id"])

    assert answer.status_code == 409
    assert File.objects.get().status == "detected"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"size_bytes": None}, "size_bytes"),
        ({"size_bytes": -1}, "size_bytes"),
        ({"size_bytes": 2**63 - 1, "crc32": "0" * 8}, "size_bytes"),
        ({"sha256": "0" * 63}, "sha256"),
        ({"sha256": "A" * 64}, "sha256"),
        ({"crc32": "0" * 9}, "crc32"),
        ({"crc32": "0000000\n"}, "crc32"),
        ({"filename": "a/b"}, "filename"),
        ({"content_type": "text"}, "content_type"),
    ],
)
def test_bad_input_is_named(as_token, local_service, wrong, field):
    run = make_run()

    answer = as_token().post(f"{path_of(run)}/request-upload-url", announced(DATA) | wrong)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == [field]


def test_saying_uploaded_before_anything_was_sent_is_409(as_token, store):
    api = as_token()
    ticket = ask(api, make_run(), DATA)

    answer = say_uploaded(api, ticket["file_id"])

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["file_id"] == ticket["file_id"]
    assert File.objects.get().uploaded_at is None


def test_saying_uploaded_without_ever_asking_is_409(as_token, local_service):
    file = make_file(size_bytes=5)

    assert say_uploaded(as_token(), file.pk).status_code == 409


def test_saying_uploaded_twice_changes_nothing(as_token, local_service):
    api = as_token()
    file_id = upload(api, make_run(), DATA)
    before = File.objects.filter(pk=file_id).values().get()

    answer = say_uploaded(api, file_id)

    assert answer.status_code == 200
    assert File.objects.filter(pk=file_id).values().get() == before


def test_a_requested_file_is_uploaded_too(as_token, local_service):
    asked_at = now() - timedelta(hours=1)
    file = make_file("scan.raw", status="upload_requested", upload_requested_at=asked_at)
    api = as_token()

    upload(api, file.run, DATA)

    file.refresh_from_db()
    assert (file.status, file.upload_requested_at) == ("uploaded", asked_at)


def test_a_store_out_of_reach_is_503_and_nothing_is_lost(as_token, local_service, settings):
    api = as_token()
    ticket = ask(api, make_run(), DATA)
    put(ticket, DATA)
    use_backend(settings, S3_BACKEND, bucket_name="lab", endpoint_url=NOWHERE, **KEYS)

    answer = say_uploaded(api, ticket["file_id"])

    assert answer.status_code == 503
    assert answer["Retry-After"]
    assert File.objects.get().status == "detected"


def test_no_other_method_reaches_the_upload_routes(as_token):
    run = make_run()

    assert as_token().get(f"{path_of(run)}/request-upload-url").status_code == 405


def test_the_way_of_a_new_file_takes_few_queries(as_token, local_service, django_assert_num_queries):
    run, api = make_run(), as_token(last_used_at=now())

    with django_assert_num_queries(8):  # token, run, look-up, signatures, id, insert; begin and end of a transaction
        ticket = ask(api, run, DATA)
    put(ticket, DATA)

    # token, look; in one transaction: lock, change, its turn, its job and its task
    with django_assert_num_queries(8):
        say_uploaded(api, ticket["file_id"])
