"""Why an assistant changed something, as it says: kept in the trail as the header of REST is."""

import pytest

from accounts.trail.rows import find_trail_model
from mcp_server.server import TOOL_DOMAINS
from runs.models import Run
from tests.factories import make_run, make_token_with_text
from tests.mcp_server.assistants import Assistant

pytestmark = pytest.mark.django_db
WHY = "Typo in the name Müller, see DEV-113"


@pytest.fixture
def assistant() -> Assistant:
    return Assistant(make_token_with_text()[1])


@pytest.fixture
def run() -> Run:
    return make_run(run_id="plate-7")


def reason_of(run):
    return find_trail_model(Run).objects.filter(pgh_obj=run).latest("pgh_id").pgh_context["reason"]


def of(run):
    return {"instrument_id": run.instrument_id, "run_id": run.run_id}


def test_a_history_tells_why_an_assistant_changed_something(assistant, run):
    assistant.answer("update_run_metadata", **of(run), patch={"sample": "LYS"}, reason=f"  {WHY} ")
    assistant.answer("delete_run", **of(run), reason="wrong plate")

    told = [row["reason"] for row in assistant.answer("get_history", **of(run))["data"]]
    assert told == ["wrong plate", WHY, None]


@pytest.mark.parametrize("said", [{}, {"reason": ""}, {"reason": "  "}, {"reason": None}])
def test_who_says_nothing_has_no_reason(assistant, run, said):
    assistant.answer("tag_run", **of(run), add=["qc"], **said)

    assert reason_of(run) is None


def test_a_reason_is_one_change_s_alone(assistant, run):
    assistant.answer("tag_run", **of(run), add=["qc"], reason=WHY)
    assistant.answer("tag_run", **of(run), remove=["qc"])

    assert reason_of(run) is None


@pytest.mark.parametrize("said", ["r" * 101, "a\nb"])
def test_what_is_no_reason_is_refused_and_nothing_done(assistant, run, said):
    refused = assistant.refusal("tag_run", **of(run), add=["qc"], reason=said)

    assert list(refused["details"]["fields"]) == ["reason"]
    run.refresh_from_db()
    assert run.tags == []


def test_every_tool_that_writes_takes_a_reason_and_no_other():
    taking = {tool.name for domain in TOOL_DOMAINS for tool in domain.tools if "reason" in tool.argument_names}

    assert taking == {tool.name for domain in TOOL_DOMAINS for tool in domain.tools if tool.policy.writes}
