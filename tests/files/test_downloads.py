"""GET /files/{id}/download."""

from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from files.storage import object_store
from tests.factories import make_file, make_run
from tests.files.sending import path_of, upload

pytestmark = pytest.mark.django_db

DATA = b"what the instrument wrote\n"


def disposition(url: str) -> str:
    return requests.get(url, timeout=30).headers["Content-Disposition"]


def test_json_in_accept_gives_the_url_as_json(as_token, local_service):
    api = as_token()
    file_id = upload(api, make_run(), DATA, "x/a.csv", content_type="text/csv")

    answer = api.get(f"/api/v1/files/{file_id}/download", Accept="text/html, application/json;q=0.5")

    assert answer.status_code == 200
    shown = answer.json()
    assert (shown["expires_in"], shown["size_bytes"], shown["filename"]) == (900, len(DATA), "a.csv")
    stored = requests.get(shown["download_url"], timeout=30)
    assert (stored.content, stored.headers["Content-Type"]) == (DATA, "application/octet-stream")


@pytest.mark.parametrize(
    ("name", "claimed"),
    [("a.html", "text/html"), ("a.svg", "image/svg+xml"), ("a.xml", "application/xhtml+xml"),
     ("a.js", "text/javascript"), ("a.png", "text/html"), ("a", "multipart/related")],
)  # fmt: skip
def test_no_stored_file_is_a_page_or_a_script_however_it_is_called(as_token, local_service, name, claimed):
    api = as_token()
    file_id = upload(api, make_run(), b"<script>alert(1)</script>", name, content_type=claimed)

    answer = api.get(f"/api/v1/files/{file_id}/download?disposition=inline", Accept="*/*")

    stored = requests.get(answer["Location"], timeout=30).headers
    assert (stored["Content-Type"], stored["X-Content-Type-Options"]) == ("application/octet-stream", "nosniff")
    assert stored["Content-Disposition"].startswith("attachment")
    assert stored["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def test_an_image_that_is_downloaded_keeps_its_type(as_token, local_service):
    api = as_token()
    file_id = upload(api, make_run(), DATA, "a.png", content_type="image/png")

    stored = requests.get(api.get(f"/api/v1/files/{file_id}/download", Accept="*/*")["Location"], timeout=30).headers

    assert (stored["Content-Type"], stored["Content-Disposition"][:10]) == ("image/png", "attachment")


def test_objects_may_have_a_host_of_their_own(as_token, settings):
    settings.OBJECTS_URL = "https://objects.lab.example"
    object_store.cache_clear()
    api, run = as_token(), make_run()
    path = f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}/request-upload-url"

    try:
        asked = api.post(path, {"filename": "a.csv", "size_bytes": 5}).json()
        read = api.get(f"/api/v1/files/{make_file(run=run, status='uploaded').pk}/download", Accept="*/*")["Location"]
    finally:
        object_store.cache_clear()

    assert asked["upload_url"].startswith("https://objects.lab.example/objects/runs/")
    assert read.startswith("https://objects.lab.example/objects/")


@pytest.mark.parametrize("accept", ["*/*", "image/png", "text/html", "application/zip", "nonsense"])
def test_anything_else_in_accept_gives_a_redirect(as_token, accept):
    file = make_file(status="uploaded")

    answer = as_token().get(f"/api/v1/files/{file.pk}/download", Accept=accept)

    assert answer.status_code == 302
    assert answer["Location"].startswith("http")
    assert answer["Cache-Control"] == "no-store"


def test_errors_are_json_whatever_accept_says(as_token):
    answer = as_token().get("/api/v1/files/999999999/download", Accept="image/png")

    assert answer.status_code == 404
    assert answer["Content-Type"].startswith("application/json")


@pytest.mark.parametrize("status", ["detected", "upload_requested"])
def test_what_is_not_stored_is_409(as_token, status):
    file = make_file(status=status)

    answer = as_token().get(f"/api/v1/files/{file.pk}/download")

    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {"file_id": file.pk, "status": status}


@pytest.mark.parametrize(
    ("name", "content_type", "kind"),
    [
        ("a.png", "image/png", "inline"),
        ("a.pdf", None, "inline"),
        ("a.svg", "image/svg+xml", "attachment"),
        ("a.html", "text/html", "attachment"),
    ],
)
def test_raster_images_and_pdf_may_be_shown_inline(as_token, local_service, name, content_type, kind):
    api = as_token()
    file_id = upload(api, make_run(), DATA, name, content_type=content_type)

    answer = api.get(f"/api/v1/files/{file_id}/download?disposition=inline", Accept="*/*")

    assert disposition(answer["Location"]).startswith(kind)


def test_an_image_is_an_attachment_unless_asked_for_inline(as_token, local_service):
    api = as_token()
    file_id = upload(api, make_run(), DATA, "a.png", content_type="image/png")

    answer = api.get(f"/api/v1/files/{file_id}/download", Accept="*/*")

    assert disposition(answer["Location"]).startswith("attachment")


@pytest.mark.parametrize("name", ["Größe µm.csv", 'a"b.csv', "a;b.csv", "עברית.csv"])
def test_any_name_arrives_in_a_well_formed_header(as_token, local_service, name):
    api = as_token()
    file_id = upload(api, make_run(), DATA, name)

    answer = api.get(f"/api/v1/files/{file_id}/download", Accept="*/*")

    header = disposition(answer["Location"])
    assert header.startswith("attachment; filename")
    assert header.isascii()


@pytest.mark.parametrize("value", ["", "Inline", "shown"])
def test_another_disposition_is_400(as_token, value):
    file = make_file(status="uploaded")

    answer = as_token().get(f"/api/v1/files/{file.pk}/download?disposition={value}")

    assert answer.status_code == 400


def test_a_file_of_a_deleted_run_can_still_be_downloaded(as_token):
    api, file = as_token(), make_file(status="uploaded")
    api.delete(path_of(file.run))

    assert api.get(f"/api/v1/files/{file.pk}/download").status_code == 302


def test_a_person_downloads_with_a_session(as_person):
    file = make_file(status="uploaded")

    assert as_person().get(f"/api/v1/files/{file.pk}/download").status_code == 302


def test_urls_are_built_from_the_public_url(as_token, settings):
    file = make_file(status="uploaded")
    api = as_token()

    places = [
        api.get(f"/api/v1/files/{file.pk}/download", **headers)["Location"]
        for headers in ({}, {"Host": "localhost:1234"})
    ]

    assert {urlsplit(place).netloc for place in places} == {urlsplit(settings.PUBLIC_URL).netloc}
    assert all("signature" in parse_qs(urlsplit(place).query) for place in places)
