"""GET /files/{id}/preview: artefacts from the service's own origin."""

import io

import pytest

from tests.factories import make_file, make_run
from tests.files.sending import path_of

pytestmark = pytest.mark.django_db

PICTURE = b"\x89PNG\r\n\x1a\n..."


def make_artefact(store, content_type: str = "image/png", **fields):
    key = "runs/made/by/processing"
    store.put(key, io.BytesIO(PICTURE), size_bytes=len(PICTURE), content_type=content_type)
    values = {"category": "processed", "status": "completed", "size_bytes": len(PICTURE), "storage_key": key} | fields
    return make_file("page-1.png", content_type=content_type, **values)


@pytest.mark.parametrize("content_type", ["image/png", "image/jpeg", "application/json"])
def test_a_processed_artefact_is_shown_harmlessly(as_token, local_service, content_type):
    file = make_artefact(local_service, content_type)

    answer = as_token("files:read").get(f"/api/v1/files/{file.pk}/preview", Accept="image/*")

    assert (answer.status_code, answer.content, answer["Content-Type"]) == (200, PICTURE, content_type)
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize("known", ["{tag}", "W/{tag}", "*", '"other", {tag}'])
def test_an_etag_saves_the_bytes(as_token, local_service, known):
    api, file = as_token(), make_artefact(local_service)
    etag = api.get(f"/api/v1/files/{file.pk}/preview")["ETag"]
    local_service.delete(file.storage_key)

    answer = api.get(f"/api/v1/files/{file.pk}/preview", If_None_Match=known.format(tag=etag))

    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", etag)
    assert answer["Cache-Control"] == "private, no-cache"


def test_another_artefact_than_the_one_asked_for_is_412(as_token, local_service):
    file = make_artefact(local_service)

    answer = as_token().get(f"/api/v1/files/{file.pk}/preview", If_Match='"other"')

    assert (answer.status_code, answer.json()["error"]["code"]) == (412, "PRECONDITION_FAILED")


def test_an_svg_of_our_own_is_shown(as_token, local_service):
    run = make_run()
    file = make_artefact(local_service, "image/svg+xml", run=run, source_file=make_file(run=run))

    assert as_token().get(f"/api/v1/files/{file.pk}/preview").status_code == 200


def test_an_svg_that_was_uploaded_is_not(as_token, local_service):
    file = make_artefact(local_service, "image/svg+xml")

    assert as_token().get(f"/api/v1/files/{file.pk}/preview").status_code == 404


@pytest.mark.parametrize("fields", [{"category": "raw"}, {"content_type": "text/html"}, {"size_bytes": 2**24 + 1}])
def test_nothing_else_is_shown(as_token, fields):
    values = {"category": "processed", "content_type": "image/png", "status": "completed"} | fields
    file = make_file("a.png", **values)

    answer = as_token().get(f"/api/v1/files/{file.pk}/preview")

    assert answer.status_code == 404
    assert "no preview" in answer.json()["error"]["message"]


def test_what_is_not_stored_is_409(as_token):
    file = make_file("a.png", category="processed", content_type="image/png")

    assert as_token().get(f"/api/v1/files/{file.pk}/preview").status_code == 409


def test_a_deleted_run_can_still_be_looked_at(as_token, local_service):
    api, file = as_token(), make_artefact(local_service)
    api.delete(path_of(file.run))

    assert api.get(f"/api/v1/files/{file.pk}/preview").status_code == 200
