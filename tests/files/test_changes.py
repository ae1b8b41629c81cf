"""PATCH /files/{id}, but for its moves (test_moves.py)."""

import pytest

from runs.models import Run
from tests.factories import make_file
from tests.files.sending import path_of

pytestmark = pytest.mark.django_db


def test_a_record_is_changed(as_token):
    file = make_file("a.bin")
    said = {"content_type": "image/png", "size_bytes": 5, "metadata": {"a": 1}, "error_message": "one\r\ntwo"}

    answer = as_token("files:update").patch(f"/api/v1/files/{file.pk}", said)

    assert answer.status_code == 200
    assert {name: answer.json()[name] for name in said} == said | {"error_message": "one\ntwo"}


def test_metadata_replaces_what_callers_wrote_and_nothing_else(as_token):
    file = make_file(extracted={"wells": 96}, caller_metadata={"a": 1, "b": 2})

    answer = as_token().patch(f"/api/v1/files/{file.pk}", {"metadata": {"b": 3}})

    assert answer.json()["metadata"] == {"wells": 96, "b": 3}


@pytest.mark.parametrize("said", [None, ""])
def test_an_error_message_can_be_removed(as_token, said):
    file = make_file(error_message="bad")

    answer = as_token().patch(f"/api/v1/files/{file.pk}", {"error_message": said})

    assert answer.json()["error_message"] is None


def test_another_type_makes_another_report_item(as_token):
    file = make_file("scan", status="uploaded")

    as_token().patch(f"/api/v1/files/{file.pk}", {"content_type": "image/png"})

    file.refresh_from_db()
    assert file.report_kind == "image"


def test_an_artefact_stays_the_item_it_was_made_as(as_token):
    scan = make_file("scan.png", status="completed")
    thumbnail = make_file(
        "thumbnail.png", run=scan.run, category="processed", status="completed", source_file=scan, report_kind=""
    )

    as_token("files:update").patch(f"/api/v1/files/{thumbnail.pk}", {"metadata": {"seen": True}})

    thumbnail.refresh_from_db()
    assert (thumbnail.report_kind, thumbnail.caller_metadata) == ("", {"seen": True})


def test_another_size_forgets_where_the_bytes_were_going(as_token):
    file = make_file(size_bytes=5, crc32="0" * 8, sha256="0" * 64, storage_key="k", storage_bucket="b", key_nonce="u")

    answer = as_token().patch(f"/api/v1/files/{file.pk}", {"size_bytes": 6})

    shown = answer.json()
    assert (shown["size_bytes"], shown["crc32"], shown["sha256"], shown["storage_key"]) == (6, None, None, None)


def test_the_size_of_stored_bytes_is_a_fact(as_token):
    file = make_file(status="uploaded", size_bytes=5)

    answer = as_token().patch(f"/api/v1/files/{file.pk}", {"size_bytes": 6, "metadata": {"a": 1}})

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["size_bytes"] == 5
    file.refresh_from_db()
    assert (file.size_bytes, file.caller_metadata) == (5, {})


@pytest.mark.parametrize("said", [{}, {"colour": "red"}])
def test_a_body_that_names_no_field_is_400(as_token, said):
    file = make_file()

    assert as_token().patch(f"/api/v1/files/{file.pk}", said).status_code == 400


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"status": "done"}, "status"),
        ({"status": None}, "status"),
        ({"size_bytes": "5"}, "size_bytes"),
        ({"metadata": None}, "metadata"),
        ({"content_type": "a\nb"}, "content_type"),
        ({"error_message": 5}, "error_message"),
    ],
)
def test_bad_input_is_named(as_token, said, field):
    file = make_file()

    answer = as_token().patch(f"/api/v1/files/{file.pk}", said)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == [field]


def test_a_session_may_not_change_a_record(as_admin):
    file = make_file()

    assert as_admin().patch(f"/api/v1/files/{file.pk}", {"metadata": {}}).status_code == 401


def test_a_file_of_a_deleted_run_is_not_changed(as_token):
    api, file = as_token(), make_file()
    api.delete(path_of(file.run))

    answer = api.patch(f"/api/v1/files/{file.pk}", {"metadata": {"a": 1}})

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["deleted_at"]


def test_a_dismissed_file_is_not_changed(as_token):
    api, file = as_token(), make_file()
    api.delete(f"/api/v1/files/{file.pk}")

    answer = api.patch(f"/api/v1/files/{file.pk}", {"status": "uploaded"})

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["deleted_at"]


def test_a_change_of_nothing_leaves_the_run_untouched(as_token):
    file = make_file(caller_metadata={"a": 1})
    touched = Run.objects.get(pk=file.run_id).updated_at

    as_token().patch(f"/api/v1/files/{file.pk}", {"metadata": {"a": 1}})

    assert Run.objects.get(pk=file.run_id).updated_at == touched
