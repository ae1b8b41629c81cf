"""The table of moves, through PATCH /files/{id}. Uploading is in test_uploads.py."""

from datetime import timedelta

import pytest

from files.choices import FileStatus
from files.models import File
from tests.factories import make_file
from wire.clock import now

pytestmark = pytest.mark.django_db

ALLOWED = {
    "detected": ["upload_requested", "uploaded"],
    "upload_requested": ["uploaded", "detected"],
    "uploaded": ["processing"],
    "processing": ["processing", "completed", "failed"],
    "completed": ["processing"],
    "failed": ["processing"],
}
EVERY_PAIR = [(was, to) for was in FileStatus.values for to in FileStatus.values]
CONFIRMED_AGAIN = [(was, "uploaded") for was in ("processing", "completed", "failed")]  # its bytes are stored
FORBIDDEN = [(was, to) for was, to in EVERY_PAIR if was != to and to not in ALLOWED[was]]
FORBIDDEN = [pair for pair in FORBIDDEN if pair not in CONFIRMED_AGAIN]
WITHOUT_THE_STORE = [(was, to) for was, to in EVERY_PAIR if to in ALLOWED[was] and to != "uploaded"]


@pytest.mark.parametrize(("was", "to"), FORBIDDEN)
def test_a_move_that_is_not_in_the_table_is_409(as_token, was, to):
    file = make_file(status=was)

    answer = as_token().patch(f"/api/v1/files/{file.pk}", {"status": to})

    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {"status": was, "allowed": ALLOWED[was]}
    file.refresh_from_db()
    assert file.status == was


@pytest.mark.parametrize(("was", "to"), CONFIRMED_AGAIN)
def test_a_confirmation_of_stored_bytes_changes_nothing_later(as_token, was, to):
    file = make_file(status=was)

    answer = as_token().patch(f"/api/v1/files/{file.pk}", {"status": to})

    assert (answer.status_code, answer.json()["status"]) == (200, was)


@pytest.mark.parametrize(("was", "to"), WITHOUT_THE_STORE)
def test_a_move_of_the_table_is_made(as_token, was, to):
    file = make_file(status=was)

    answer = as_token().patch(f"/api/v1/files/{file.pk}", {"status": to})

    assert answer.status_code == 200
    assert answer.json()["status"] == to


@pytest.mark.parametrize("status", ["detected", "upload_requested", "uploaded", "completed", "failed"])
def test_repeating_a_move_changes_nothing(as_token, status):
    file = make_file(status=status)
    before = File.objects.filter(pk=file.pk).values().get()

    answer = as_token().patch(f"/api/v1/files/{file.pk}", {"status": status})

    assert answer.status_code == 200
    assert File.objects.filter(pk=file.pk).values().get() == before


def test_asking_for_an_upload_has_a_time(as_token):
    file = make_file()

    answer = as_token().patch(f"/api/v1/files/{file.pk}", {"status": "upload_requested"})

    assert answer.json()["upload_requested_at"] is not None


def test_giving_up_takes_the_file_from_the_queue(as_token):
    file = make_file(status="upload_requested")

    answer = as_token().patch(f"/api/v1/files/{file.pk}", {"status": "detected"})

    assert answer.json()["upload_requested_at"] is None


def test_a_heartbeat_of_processing_is_a_sign_of_life(as_token):
    long_ago = now() - timedelta(hours=1)
    file = make_file(status="processing", processing_since=long_ago)

    as_token().patch(f"/api/v1/files/{file.pk}", {"status": "processing"})

    assert File.objects.filter(pk=file.pk, processing_since__gt=long_ago).exists()


def test_completing_has_a_time_and_ends_processing(as_token):
    file = make_file(status="processing")

    answer = as_token().patch(f"/api/v1/files/{file.pk}", {"status": "completed", "metadata": {"wells": 96}})

    assert answer.json()["processed_at"] is not None
    assert answer.json()["metadata"] == {"wells": 96}
    file.refresh_from_db()
    assert file.processing_since is None


def test_failing_says_why(as_token):
    file = make_file(status="processing")

    answer = as_token().patch(f"/api/v1/files/{file.pk}", {"status": "failed", "error_message": "No plate."})

    assert (answer.json()["status"], answer.json()["error_message"]) == ("failed", "No plate.")


def test_a_new_attempt_forgets_the_old_reason(as_token):
    file = make_file(status="failed", error_message="No plate.")

    answer = as_token().patch(f"/api/v1/files/{file.pk}", {"status": "processing"})

    assert answer.json()["error_message"] is None


def test_a_processed_raw_file_is_no_spectrum_by_its_name_any_more(as_token):
    file = make_file("a.csv", status="processing")

    as_token().patch(f"/api/v1/files/{file.pk}", {"status": "completed"})

    file.refresh_from_db()
    assert file.report_kind == ""


def test_a_refused_move_changes_nothing_else_either(as_token):
    file = make_file()

    as_token().patch(f"/api/v1/files/{file.pk}", {"status": "completed", "metadata": {"a": 1}})

    file.refresh_from_db()
    assert file.caller_metadata == {}


@pytest.mark.parametrize("status", ["failed", "uploaded", "processing", "completed"])
def test_the_run_shows_where_its_file_stands(as_token, status):
    file = make_file(status=status)

    file.run.refresh_from_db()

    assert file.run.status == status
