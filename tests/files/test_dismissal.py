"""DELETE /files/{id}: a file that will not come."""

import pytest

from files.models import File
from tests.factories import make_file, make_run
from tests.files.sending import announced, ask, path_of, put

pytestmark = pytest.mark.django_db


def test_a_file_that_is_not_uploaded_is_dismissed(as_token):
    file = make_file("a.csv", size_bytes=5)

    answer = as_token("files:delete").delete(f"/api/v1/files/{file.pk}")

    assert answer.status_code == 200
    shown = answer.json()
    assert (shown["id"], shown["filename"], shown["already_applied"]) == (file.pk, "a.csv", False)
    file.refresh_from_db()
    assert file.deleted_at is not None
    file.run.refresh_from_db()
    assert (file.run.file_count, file.run.status) == (0, "empty")


def test_a_person_may_dismiss(as_person):
    assert as_person().delete(f"/api/v1/files/{make_file().pk}").status_code == 200


def test_dismissing_twice_says_so(as_token):
    api, file = as_token(), make_file()
    first = api.delete(f"/api/v1/files/{file.pk}").json()

    second = api.delete(f"/api/v1/files/{file.pk}")

    assert second.status_code == 200
    assert second.json() == first | {"already_applied": True}


@pytest.mark.parametrize("status", ["uploaded", "processing", "completed", "failed"])
def test_a_stored_file_is_not_dismissed(as_token, status):
    file = make_file(status=status)

    answer = as_token().delete(f"/api/v1/files/{file.pk}")

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["status"] == status
    file.refresh_from_db()
    assert file.deleted_at is None


def test_a_dismissed_file_is_still_read_and_says_so(as_token):
    api, file = as_token(), make_file()
    api.delete(f"/api/v1/files/{file.pk}")

    answer = api.get(f"/api/v1/files/{file.pk}")

    assert answer.status_code == 200
    assert answer.json()["deleted_at"] is not None


def test_bytes_on_their_way_to_a_dismissed_file_belong_to_nobody(as_token, local_service):
    api, run = as_token(), make_run()
    ticket = ask(api, run, b"bytes")
    api.delete(f"/api/v1/files/{ticket['file_id']}")
    put(ticket, b"bytes")

    answer = api.post(f"{path_of(run)}/request-upload-url", announced(b"bytes"))

    assert answer.status_code == 409
    assert File.objects.get().storage_key is None


def test_a_file_of_a_deleted_run_is_not_dismissed(as_token):
    api, file = as_token(), make_file()
    api.delete(path_of(file.run))

    answer = api.delete(f"/api/v1/files/{file.pk}")

    assert answer.status_code == 409
    assert answer.json()["error"]["details"]["deleted_at"]


def test_an_unknown_file_is_404(as_token):
    assert as_token().delete("/api/v1/files/999999999").status_code == 404
