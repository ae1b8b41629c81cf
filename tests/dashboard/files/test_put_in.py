"""What the script of the page asks that takes files by hand."""

import hashlib
from datetime import UTC, datetime

import pytest

from dashboard import store_access
from files.choices import FileStatus
from runs.models import RunSource
from tests.clients import Api
from tests.factories import make_file, make_instrument, make_run, make_user

URL = "/instruments/reader/runs/one/put-in"
A, B = (hashlib.sha256(name).hexdigest() for name in (b"a", b"b"))

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return make_run(instrument=make_instrument(id="reader"), run_id="one")


@pytest.fixture
def person():
    return Api(user=make_user())


def own(path, sha256=A):
    return {"relative_path": path, "size_bytes": 1, "sha256": sha256}


def stored(run, path, sha256=A, **more):
    return make_file(run=run, filename=path, status=FileStatus.COMPLETED, size_bytes=1, sha256=sha256, **more)


def test_what_the_run_has_is_told_by_name_and_by_bytes(run, person):
    stored(run, "same.csv")
    stored(run, "changed.csv", B)
    make_file(run=run, filename="begun.csv", status=FileStatus.DETECTED)
    make_file(run=run, filename="gone.csv", deleted_at=datetime(2026, 1, 1, tzinfo=UTC))
    names = ["same.csv", "changed.csv", "begun.csv", "gone.csv", "sub/copy.csv"]

    answer = person.post(f"{URL}/known", {"files": [*map(own, names), own("new.csv", "0" * 64)]})

    assert [(one["likeness"], one["known"]) for one in answer.json()["files"]] == [
        ("here", "same.csv"),
        ("other_bytes", "changed.csv"),
        ("waits", "begun.csv"),
        ("dismissed", "gone.csv"),
        ("other_name", "same.csv"),
        ("new", None),
    ]


def test_a_file_that_a_watcher_has_found_is_not_said_to_be_begun(run, person):
    run.source = RunSource.WATCHER
    run.save(update_fields=["source"])
    make_file(run=run, filename="found.csv", status=FileStatus.DETECTED)

    page = " ".join(person.get(URL).content.decode().split())

    assert "1 file of the run is not here yet and may be sent from here, too" in page
    assert "begun" not in page


def test_a_later_version_with_the_same_bytes_is_here(run, person):
    first = stored(run, "scan.csv", B)
    stored(run, "scan~2.csv", A, version=2, version_of=first)

    answer = person.post(f"{URL}/known", {"files": [own("scan.csv")]})

    assert answer.json() == {"files": [{"likeness": "here", "known": "scan~2.csv"}]}


def test_tickets_lead_to_the_origin_of_the_page_and_one_refusal_refuses_no_other(run, person):
    good = {"filename": "a.csv", "relative_path": "a.csv", "size_bytes": 1, "sha256": A}

    answer = person.post(f"{URL}/tickets", {"files": [good, good | {"relative_path": "../a.csv"}]})

    first, second = answer.json()["results"]
    assert first["body"]["upload_url"].startswith("/objects/")
    assert (second["status"], second["body"]["error"]["code"]) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize("route", ["known", "tickets", "confirm"])
@pytest.mark.parametrize("body", [{}, {"files": []}, {"files": 3, "file_ids": "x"}, [], None])
def test_a_bad_body_is_refused_in_the_envelope(run, person, route, body):
    answer = person.post(f"{URL}/{route}", body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


def test_files_of_another_run_are_not_confirmed(run, person):
    other = stored(make_run(instrument=run.instrument, run_id="two"), "a.csv")

    answer = person.post(f"{URL}/confirm", {"file_ids": [other.pk]})

    assert answer.json()["results"][0]["status"] == 404


def test_a_deleted_run_takes_no_files(run, person):
    run.deleted_at, run.deleted_by = datetime(2026, 1, 1, tzinfo=UTC), person.user
    run.save()

    assert person.get(URL).status_code == 409
    assert person.post(f"{URL}/tickets", {"files": [{}]}).json()["error"]["code"] == "CONFLICT"


def test_the_page_may_send_to_a_store_elsewhere(run, person, monkeypatch):
    monkeypatch.setattr(store_access, "find_store_origin", lambda: "https://bucket.example")

    policy = person.get(URL)["Content-Security-Policy"]

    assert "connect-src 'self' https://bucket.example" in policy.split("; ")
    assert "bucket.example" not in person.get("/runs")["Content-Security-Policy"]


def test_without_script_the_page_says_that_it_needs_it(run, person):
    page = person.get(URL).content.decode()

    assert "<noscript>" in page
    assert "This page needs JavaScript" in page
