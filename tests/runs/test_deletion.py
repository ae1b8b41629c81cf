import pytest

from runs.models import Run
from tests.factories import make_comment, make_file, make_instrument, make_run, make_token, make_user

RUN = "/api/v1/instruments/reader/runs/7"


@pytest.fixture
def run(db):
    return make_run(instrument=make_instrument(id="reader"), run_id="7")


@pytest.fixture
def deleted(db):
    reader = make_instrument(id="reader")
    return make_run(instrument=reader, run_id="7", deleted_at="2026-01-02T00:00Z", deleted_by=make_user())


def test_a_token_leaves_its_name_on_the_run_it_deletes(as_token, run):
    api = as_token("runs:delete")

    answer = api.delete(RUN)

    run.refresh_from_db()
    assert run.deleted_by_token == api.token
    assert answer.json() | {"deleted_at": ""} == {
        "id": str(run.id),
        "instrument_id": "reader",
        "run_id": "7",
        "deleted_at": "",
        "deleted_by": None,
        "deleted_by_token": {"id": str(api.token.id), "name": "script"},
        "already_applied": False,
    }


def test_a_person_leaves_theirs(as_person, run):
    api = as_person(display_name="Ada L.")

    answer = api.delete(RUN)

    assert answer.json()["deleted_by"] == {"id": str(api.user.id), "display_name": "Ada L."}
    assert answer.json()["deleted_by_token"] is None


def test_deleting_again_changes_nothing_and_says_so(as_token, deleted):
    answer = as_token().delete(RUN)

    assert answer.status_code == 200
    assert answer.json()["already_applied"] is True
    assert answer.json()["deleted_at"] == "2026-01-02T00:00:00.000Z"
    assert answer.json()["deleted_by"]["id"] == str(deleted.deleted_by_id)


def test_restoring_brings_a_run_back(as_token, deleted):
    answer = as_token("runs:delete").post(f"{RUN}/restore")

    deleted.refresh_from_db()
    assert (deleted.deleted_at, deleted.deleted_by) == (None, None)
    assert answer.json() == {
        "id": str(deleted.id),
        "instrument_id": "reader",
        "run_id": "7",
        "deleted_at": None,
        "already_applied": False,
    }


@pytest.mark.usefixtures("run")
def test_restoring_an_active_run_succeeds_and_says_so(as_token):
    answer = as_token().post(f"{RUN}/restore")

    assert (answer.status_code, answer.json()["already_applied"]) == (200, True)


def test_a_deleted_run_can_be_read_by_its_path(as_token, deleted):
    make_comment(run=deleted)

    api = as_token()

    assert api.get(RUN).json()["deleted_at"] == "2026-01-02T00:00:00.000Z"
    assert len(api.get(f"{RUN}/comments").json()["data"]) == 1


def test_lists_hide_a_deleted_run_unless_asked(as_token, deleted):
    api = as_token()

    assert api.get("/api/v1/instrument-runs").json()["data"] == []
    assert api.get("/api/v1/instruments/reader/runs").json()["pagination"]["total"] == 0
    assert [row["run_id"] for row in api.get("/api/v1/instrument-runs?include_deleted=true").json()["data"]] == ["7"]


def test_deletion_is_a_change_of_the_run(as_token, run):
    before = run.updated_at

    as_token().delete(RUN)

    assert Run.objects.get().updated_at > before


def test_an_unknown_run_is_not_there(as_token, run):
    api = as_token()

    assert api.delete(f"{RUN}-none").status_code == 404
    assert api.post(f"{RUN}-none/restore").status_code == 404
    assert api.delete("/api/v1/instruments/other/runs/7").status_code == 404


def test_a_run_outside_a_bound_token_is_not_there(as_token, run):
    bound = as_token(instrument_ids=["elsewhere"])

    assert bound.get(RUN).status_code == 404
    assert bound.delete(RUN).status_code == 404
    assert bound.get("/api/v1/instrument-runs").json()["pagination"]["total"] == 0
    assert bound.get("/api/v1/instrument-runs?status=empty").json()["data"] == []


def test_detail_shows_files_in_natural_order_and_their_counts(as_token, run):
    for name in ("file10.csv", "file2.csv", "File1.csv"):
        make_file(name, run=run)
    make_file("gone.csv", run=run, deleted_at="2026-01-02T00:00Z")
    make_file("curve.json", run=run, category="processed", status="completed")

    answer = as_token("runs:read").get(RUN).json()

    assert [file["filename"] for file in answer["files"]] == ["curve.json", "File1.csv", "file2.csv", "file10.csv"]
    assert answer["file_status_counts"] == {
        "detected": 3,
        "upload_requested": 0,
        "uploaded": 0,
        "processing": 0,
        "completed": 0,
        "failed": 0,
    }


def test_the_author_of_a_deletion_keeps_the_name_of_a_revoked_token(as_token):
    token = make_token(name="old worker", revoked_at="2026-01-03T00:00Z")
    reader = make_instrument(id="reader")
    make_run(instrument=reader, run_id="7", deleted_at="2026-01-02T00:00Z", deleted_by_token=token)

    assert as_token().get(RUN).json()["deleted_by_token"] == {"id": str(token.id), "name": "old worker"}
