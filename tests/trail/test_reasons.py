"""Why somebody changed something, as they say: kept in the trail, told in histories, one line of 100 characters."""

import pytest

from accounts.trail.rows import find_trail_model
from runs.models import Run
from tests.factories import make_file, make_instrument, make_run, make_user

pytestmark = pytest.mark.django_db
RUN = "/api/v1/instruments/cary-60/runs/plate-7"
WHY = "Typo in the name Müller, see DEV-113"
SENT = "Typo in the name M%C3%BCller, see DEV-113"


@pytest.fixture
def run(db):
    return make_run(instrument=make_instrument(id="cary-60"), run_id="plate-7")


def reason_of(run):
    return find_trail_model(Run).objects.filter(pgh_obj=run).latest("pgh_id").pgh_context["reason"]


def test_a_script_says_why_and_the_history_tells_it(as_token, run):
    api = as_token()

    api.patch(RUN, {"metadata": {"sample": "LYS"}}, Change_Reason=SENT)
    api.delete(RUN, Change_Reason="wrong plate")

    told = [row["reason"] for row in api.get(f"{RUN}/history").json()["data"]]
    assert told == ["wrong plate", WHY, None]


@pytest.mark.parametrize("sent", ["", "   ", "%20"])
def test_who_says_nothing_has_no_reason(as_token, run, sent):
    as_token().patch(RUN, {"metadata": {"sample": "LYS"}}, Change_Reason=sent)

    assert reason_of(run) is None


@pytest.mark.parametrize("sent", ["r" * 101, "%FF", "\xff", "a%00b", "a%0Ab"])
def test_what_is_no_reason_is_refused_and_nothing_done(as_token, run, sent):
    answer = as_token().patch(RUN, {"metadata": {"sample": "LYS"}}, Change_Reason=sent)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["Change-Reason"]
    run.refresh_from_db()
    assert run.caller_metadata == {}


def test_a_hundred_characters_are_a_reason(as_token, run):
    as_token().patch(RUN, {"metadata": {"sample": "LYS"}}, Change_Reason="%C3%BC" * 100)

    assert reason_of(run) == "ü" * 100


def test_what_is_typed_into_curl_is_a_reason(as_token, run):
    as_token().patch(RUN, {"metadata": {"sample": "LYS"}}, Change_Reason=WHY.encode().decode("latin-1"))

    assert reason_of(run) == WHY


def test_who_reads_is_not_asked(as_token, run):
    assert as_token().get(RUN, Change_Reason="%FF").status_code == 200


@pytest.fixture
def pages(client):
    client.force_login(make_user())
    return client


def test_who_deletes_picked_runs_may_say_why_in_two_lines(pages, run):
    pages.post("/runs/selection", {"do": "delete", "run": ["cary-60/plate-7"], "change_reason": "wrong\r\nplate "})

    run.refresh_from_db()
    assert run.deleted_at is not None
    assert "Reason: wrong plate" in pages.get("/instruments/cary-60/runs/plate-7/history").content.decode()


def test_who_deletes_all_that_match_is_asked_why_and_each_step_keeps_it(pages, run):
    for number in range(60):
        make_run(instrument=run.instrument, run_id=f"a{number}")
    asked = {"do": "delete", "all": "1", "matching": "", "change_reason": WHY}

    question = pages.post("/runs/selection", asked).content.decode()
    step = pages.post("/runs/selection/matching", asked).content.decode()

    assert f'name="change_reason" type="text" value="{WHY}"' in " ".join(question.split())
    assert f'<input type="hidden" name="change_reason" value="{WHY}">' in step
    assert reason_of(run) == WHY


@pytest.mark.parametrize("path", ["/runs/selection", "/runs/selection/matching"])
def test_a_reason_that_is_too_long_deletes_nothing(pages, run, path):
    refused = pages.post(
        path,
        {"do": "delete", "run": ["cary-60/plate-7"], "change_reason": "r" * 101}
        | ({"all": "1", "matching": ""} if path.endswith("matching") else {}),
    )

    run.refresh_from_db()
    assert (refused.status_code, run.deleted_at) == (400, None)
    assert f'value="{"r" * 101}"' in refused.content.decode()
    assert '<input type="hidden" name="do" value="delete">' in refused.content.decode()


def test_a_reason_is_asked_for_again_at_the_address_of_a_run_whose_name_needs_quoting(pages):
    run = make_run(run_id="50 % #2?")
    path = f"/instruments/{run.instrument_id}/runs/50%20%25%20%232%3F/files/selection"

    refused = pages.post(path, {"do": "dismiss", "file": make_file(run=run).pk, "change_reason": "\x1b"})

    assert f'method="post" action="{path}"' in refused.content.decode()


def test_who_dismisses_files_may_say_why(pages, run):
    file = make_file(run=run)

    pages.post(
        "/instruments/cary-60/runs/plate-7/files/selection", {"do": "dismiss", "file": file.pk, "change_reason": WHY}
    )

    assert f"Reason: {WHY}" in pages.get("/instruments/cary-60/runs/plate-7/history").content.decode()


def test_the_form_of_metadata_takes_one(client, run):
    client.force_login(make_user())
    row = {"key": "sample", "was": "", "value": "LYS", "kind": "text"}

    refused = client.post("/instruments/cary-60/runs/plate-7/metadata", {**row, "change_reason": "r" * 101})
    client.post("/instruments/cary-60/runs/plate-7/metadata", {**row, "change_reason": WHY})

    history = client.get("/instruments/cary-60/runs/plate-7/history").content.decode()
    assert refused.status_code == 400
    assert f'value="{"r" * 101}"' in refused.content.decode()
    assert f"Reason: {WHY}" in history
