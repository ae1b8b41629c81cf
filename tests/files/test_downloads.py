"""GET /files/{id}/download."""

from urllib.parse import parse_qs, urlsplit

import pytest
import requests

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
    assert (stored.content, stored.headers["Content-Type"]) == (DATA, "text/csv")


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


@pytest.mark.parametrize("name", ["Größe µm.csv", 'a"b.csv', "a;b.csv", "‮vsc.exe"])
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
