"""POST a run, and change it."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from accounts.callers import caller_for_token
from files.intake.reporting import report_run
from files.models import File
from runs.lifecycle import RunReport
from runs.models import Run
from tests.factories import make_instrument, make_run, make_token, make_user, make_watcher
from wire.clock import now

RUNS = "/api/v1/instruments/reader/runs"


@pytest.fixture
def reader(db):
    return make_instrument(id="reader", display_name="Plate reader", instrument_type="generic")


@pytest.mark.usefixtures("reader")
def test_a_new_run_has_every_field(as_token):
    answer = as_token("runs:create").post(
        RUNS, {"run_id": "2026-01-31 run 7", "acquired_at": "2026-01-31T10:00:00+01:00", "metadata": {"plate": "P-1"}}
    )

    assert answer.status_code == 201
    run = Run.objects.get()
    shown = answer.json()
    assert run.id.version == 7
    assert shown.pop("created_at") == shown.pop("updated_at")
    assert shown == {
        "id": str(run.id),
        "instrument_id": "reader",
        "instrument_display_name": "Plate reader",
        "instrument_type": "generic",
        "run_id": "2026-01-31 run 7",
        "source": "script",
        "watcher_id": None,
        "metadata": {"plate": "P-1"},
        "tags": [],
        "project_id": None,
        "acquired_at": "2026-01-31T09:00:00.000Z",
        "deleted_at": None,
        "purged_at": None,
        "deleted_by": None,
        "deleted_by_token": None,
        "attributions": [],
        "status": "empty",
        "file_count": 0,
        "total_size_bytes": 0,
        "comment_count": 0,
    }


@pytest.mark.usefixtures("reader")
def test_a_run_comes_with_its_detected_files(as_token):
    files = [
        {"filename": "a.csv", "relative_path": "day 1/a.csv", "size_bytes": 5},
        {"filename": "b.csv", "relative_path": "b.csv"},
    ]

    answer = as_token().post(RUNS, {"run_id": "7", "detected_files": files})

    assert answer.json()["file_count"] == 2
    assert answer.json()["total_size_bytes"] == 5
    assert answer.json()["status"] == "pending_upload"


def test_reporting_again_answers_the_run_that_is_there(as_token, reader):
    run = make_run(
        instrument=reader,
        run_id="7",
        source="worker",
        caller_metadata={"plate": "P-1"},
        acquired_at="2026-01-02T00:00Z",
    )

    answer = as_token().post(
        RUNS, {"run_id": "7", "source": "script", "metadata": {"other": 1}, "acquired_at": "2026-01-03T00:00:00Z"}
    )

    assert answer.status_code == 200
    assert answer.json()["id"] == str(run.id)
    assert answer.json()["source"] == "worker"
    assert answer.json()["metadata"] == {"plate": "P-1"}
    assert answer.json()["acquired_at"] == "2026-01-02T00:00:00.000Z"


@pytest.mark.parametrize("method", ["post", "patch"])
@pytest.mark.parametrize(
    ("known", "sent", "kept"),
    [
        (None, "2026-01-02T00:00:00Z", "2026-01-02T00:00:00.000Z"),
        ("2026-01-02T00:00Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"),
        ("2026-01-02T00:00Z", "2026-01-03T00:00:00Z", "2026-01-02T00:00:00.000Z"),
    ],
)
def test_the_time_of_acquisition_only_moves_earlier(as_token, reader, method, known, sent, kept):
    make_run(instrument=reader, run_id="7", acquired_at=known)
    path = {"post": RUNS, "patch": f"{RUNS}/7"}[method]

    answer = getattr(as_token(), method)(path, {"run_id": "7", "acquired_at": sent})

    assert answer.json()["acquired_at"] == kept


def test_reporting_a_deleted_run_is_a_conflict(as_token, reader):
    make_run(instrument=reader, run_id="7", deleted_at="2026-01-02T00:00Z", deleted_by=make_user())

    answer = as_token().post(RUNS, {"run_id": "7", "detected_files": [{"filename": "a", "relative_path": "a"}]})

    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {"deleted_at": "2026-01-02T00:00:00.000Z"}
    assert not File.objects.exists()


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "bad", ["", ".", "..", " a", "a ", "a/b", "a\\b", "a\x00", "a\n", "a\x7f", "x" * 256, None, 5, ["a"], "\ufffd"]
)
def test_a_run_id_is_a_segment_of_a_path(as_token, bad):
    answer = as_token().post(RUNS, {"run_id": bad})

    assert answer.status_code == 400
    assert not Run.objects.exists()


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("good", ["7", "x" * 255, "..7", "Größe µ ☃", "a b", "a%2Fb", "q?&#"])
def test_odd_run_ids_are_kept_as_sent(as_token, good):
    assert as_token().post(RUNS, {"run_id": good}).json()["run_id"] == good


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("source", "human"),
        ("acquired_at", "2026-01-02T00:00:00"),
        ("metadata", [1]),
        ("watcher_id", "x"),
        ("detected_files", {"a": 1}),
        ("detected_files", [{"filename": "a"}, 5]),
        ("detected_files", [{"filename": "a", "relative_path": "../a"}]),
        ("detected_files", [{"filename": f"{n}", "relative_path": f"{n}"} for n in range(1001)]),
    ],
)
def test_a_bad_field_is_named(as_token, field, bad):
    answer = as_token().post(RUNS, {"run_id": "7", field: bad})

    assert answer.status_code == 400
    assert {name.partition(".")[0] for name in answer.json()["error"]["details"]["fields"]} == {field}
    assert not Run.objects.exists()


@pytest.mark.usefixtures("reader")
def test_metadata_of_over_256_kib_is_too_large(as_token):
    assert as_token().post(RUNS, {"run_id": "7", "metadata": {"a": "x" * 2**18}}).status_code == 413


def test_the_instrument_must_be_there(as_token):
    assert as_token().post("/api/v1/instruments/nowhere/runs", {"run_id": "7"}).status_code == 404


def test_a_watcher_reports_in_its_own_name(as_token, reader):
    api = as_token()
    watcher = make_watcher(instrument=reader, token=api.token)

    answer = api.post(RUNS, {"run_id": "7", "watcher_id": str(watcher.id)})

    assert (answer.json()["source"], answer.json()["watcher_id"]) == ("watcher", str(watcher.id))


def test_another_token_may_not_speak_for_a_watcher(as_token, reader):
    watcher = make_watcher(instrument=reader)
    make_run(instrument=reader, run_id="8")
    api, named = as_token(), {"watcher_id": str(watcher.id)}

    assert api.post(RUNS, {"run_id": "7", **named}).status_code == 403
    assert api.patch(f"{RUNS}/8", {"metadata": {"a": 1}, **named}).status_code == 403
    assert Run.objects.get().caller_metadata == {}


def test_the_watcher_of_a_revoked_token_goes_to_the_next_that_calls(as_token, reader):
    watcher = make_watcher(instrument=reader, token=make_token(revoked_at=now()))
    api = as_token()

    answer = api.post(RUNS, {"run_id": "7", "watcher_id": str(watcher.id)})

    watcher.refresh_from_db()
    assert answer.status_code == 201
    assert watcher.token == api.token


@pytest.mark.parametrize("fields", [{"deleted_at": "2026-01-02T00:00Z"}, {"instrument": "other"}])
def test_the_watcher_must_be_an_active_one_of_the_instrument(as_token, reader, fields):
    api = as_token()
    home = make_instrument(id="other") if "instrument" in fields else reader
    watcher = make_watcher(token=api.token, **(fields | {"instrument": home}))

    answer = api.post(RUNS, {"run_id": "7", "watcher_id": str(watcher.id)})

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["watcher_id"]


def test_a_change_replaces_what_callers_wrote_and_keeps_what_was_extracted(as_token, reader):
    make_run(instrument=reader, run_id="7", caller_metadata={"a": 1, "b": 2}, extracted={"b": 0, "c": 3})

    answer = as_token("runs:update").patch(f"{RUNS}/7", {"metadata": {"c": 4}})

    assert answer.json()["metadata"] == {"b": 0, "c": 4}


def test_a_change_may_report_more_files(as_token, reader):
    make_run(instrument=reader, run_id="7")

    answer = as_token().patch(f"{RUNS}/7", {"detected_files": [{"filename": "a", "relative_path": "a"}]})

    assert answer.json()["file_count"] == 1


def test_a_deleted_run_is_not_changed(as_token, reader):
    make_run(instrument=reader, run_id="7", deleted_at="2026-01-02T00:00Z", deleted_by=make_user())

    answer = as_token().patch(f"{RUNS}/7", {"metadata": {"a": 1}})

    assert answer.status_code == 409
    assert Run.objects.get().caller_metadata == {}


def test_an_empty_change_is_refused(as_token, reader):
    make_run(instrument=reader, run_id="7")

    assert as_token().patch(f"{RUNS}/7", {}).status_code == 400


@pytest.mark.django_db(transaction=True)
def test_thirty_reports_of_one_run_make_one():
    make_instrument(id="reader")
    by, start = caller_for_token(make_token()), threading.Barrier(30)

    def report(number: int) -> bool:
        start.wait()
        opened = report_run(instrument="reader", report=RunReport(run_id="7"), by=by, at=now())
        connection.close()
        return opened.created

    with ThreadPoolExecutor(30) as pool:
        created = list(pool.map(report, range(30)))

    assert sorted(created) == [False] * 29 + [True]
    assert Run.objects.count() == 1
