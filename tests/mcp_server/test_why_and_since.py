"""What a laboratory asks of runs and watchers: why one failed, who signed it, what changed since, who is silent."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs.models import Run
from tests.datasets.making import make_dataset
from tests.factories import (
    make_file,
    make_hold,
    make_instrument,
    make_project,
    make_run,
    make_signature,
    make_token_with_text,
    make_user,
    make_watcher,
)
from tests.mcp_server.assistants import Assistant
from wire.clock import format_timestamp, now

pytestmark = pytest.mark.django_db


@pytest.fixture
def assistant() -> Assistant:
    return Assistant(make_token_with_text()[1])


def make_failed_run(name: str) -> Run:
    run = make_run(run_id=name)
    make_file("B10.csv", run=run, status="failed", error_message="No plate in it.")
    make_file("B2.csv", run=run, status="failed", error_message="Cut off. " * 100)
    make_file("A1.csv", run=run, status="uploaded")
    return run


@pytest.mark.parametrize("detail", [False, True])
def test_rows_of_failed_runs_say_which_file_and_why(assistant, detail):
    make_failed_run("broken")
    make_run(run_id="well")

    rows = {row["run_id"]: row for row in assistant.answer("search_runs", detail=detail)["data"]}

    assert rows["broken"]["failure"]["filename"] == "B2.csv"
    assert rows["broken"]["failure"]["error_message"] == ("Cut off. " * 100)[:300]
    assert "failure" not in rows["well"]


def test_failures_of_a_page_take_one_query(assistant):
    make_failed_run("one")
    assistant.answer("search_runs", status="failed")  # what is looked up once
    with CaptureQueriesContext(connection) as few:
        assistant.answer("search_runs", status="failed")
    for number in range(5):
        make_failed_run(f"more {number}")

    with CaptureQueriesContext(connection) as many:
        found = assistant.answer("search_runs", status="failed")

    assert len(found["data"]) == 6
    assert len(many) == len(few)


def test_a_run_says_who_signed_it_and_what_holds_it(assistant):
    held, signed, free = make_run(project=make_project()), make_run(), make_run()
    make_hold(project=held.project, reason="An audit")
    make_signature(run=signed, meaning="reviewed", printed_name="Ines Okafor")

    answers = [assistant.answer("get_run", instrument_id=run.instrument_id, run_id=run.run_id)
               for run in (held, signed, free)]  # fmt: skip

    assert [one["hold"] and (one["hold"]["on"], one["hold"]["reason"]) for one in answers] == [
        ("project", "An audit"),
        None,
        None,
    ]
    assert [[(s["meaning"], s["printed_name"], s["revoked"]) for s in one["signatures"]] for one in answers] == [
        [],
        [("reviewed", "Ines Okafor", None)],
        [],
    ]


def test_a_history_begins_where_it_is_asked_to(assistant):
    run = make_run()
    of_run = {"instrument_id": run.instrument_id, "run_id": run.run_id}

    whole = assistant.answer("get_history", **of_run)
    since_yesterday = assistant.answer("get_history", **of_run, since=format_timestamp(now() - timedelta(days=1)))
    since_tomorrow = assistant.answer("get_history", **of_run, since=format_timestamp(now() + timedelta(days=1)))
    of_instrument = assistant.answer(
        "get_history", instrument_id=run.instrument_id, since=format_timestamp(now() + timedelta(days=1))
    )

    assert since_yesterday["data"] == whole["data"] != []
    assert (since_tomorrow["data"], since_tomorrow["pagination"]["total"]) == ([], 0)
    assert of_instrument["data"] == []


def test_a_day_that_is_none_is_named(assistant):
    run = make_run()

    refused = assistant.call("get_history", instrument_id=run.instrument_id, run_id=run.run_id, since="last week")

    assert refused.is_error
    assert "since" in refused.structured_content["error"]["details"]["fields"]


def test_the_latest_runs_are_chosen_before_their_rows_are_grouped(assistant):
    for number, name in enumerate(("newest", "older", "oldest")):
        run = make_run(run_id=name, acquired_at=now() - timedelta(days=number))
        make_dataset({"value": [float(number), 10.0]}, run=run, name="plate")
    make_run(run_id="newer, without a plate")

    asked = {"name": "plate", "group_by": "run_id", "aggregate": "max:value"}
    found = assistant.answer("query_datasets", latest=2, **asked)
    refused = assistant.call("query_datasets", latest=0, **asked)

    assert found["data"] == [["newest", 10.0], ["older", 10.0]]
    assert "latest" in refused.structured_content["error"]["details"]["fields"]


def test_a_name_that_no_dataset_has_is_no_empty_table(assistant):
    make_dataset({"value": [1.0]}, run=make_run(run_id="r"), name="plate")

    refused = assistant.call("query_datasets", name="plates")
    empty = assistant.answer("query_datasets", name="plate", search="another")

    assert refused.structured_content["error"]["details"]["fields"]["name"] == [
        "No dataset is called plates; near it are plate."
    ]
    assert empty["data"] == []


def test_a_first_name_is_answered_with_the_whole_ones(assistant):
    make_user(display_name="Ines Okafor")

    refused = assistant.call("search_runs", ran_by="ines")

    assert "This is a part of: Ines Okafor." in refused.structured_content["error"]["message"]


def test_silent_watchers_are_found_alone(assistant):
    make_watcher(instrument=make_instrument(id="heard"), status="watching", last_heartbeat_at=now())
    silent = now() - timedelta(hours=3)
    make_watcher(instrument=make_instrument(id="silent"), status="watching", last_heartbeat_at=silent)

    (row,) = assistant.answer("list_watchers", offline=True)["data"]

    assert (row["instrument_id"], row["last_heartbeat_at"]) == ("silent", format_timestamp(silent))
