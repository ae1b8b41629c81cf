"""Resources, prompts and completions."""

import json
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, PromptReference, ResourceTemplateReference

from tests.factories import make_instrument, make_run, make_token_with_text
from tests.mcp_server.assistants import Assistant

pytestmark = pytest.mark.django_db


def assistant(*scopes: str) -> Assistant:
    return Assistant(make_token_with_text(*scopes)[1])


def read(caller: Assistant, uri: str) -> str:
    contents: Any = caller.ask(lambda client: client.read_resource(uri)).contents[0]
    return contents.text


def test_the_instruments_are_a_resource():
    make_instrument(id="hplc-2")

    assert [row["id"] for row in json.loads(read(assistant(), "ids://instruments"))["data"]] == ["hplc-2"]


def test_an_instrument_and_its_filter_options_are_resources():
    make_run(instrument=make_instrument(id="hplc-2"), caller_metadata={"analyst": "Jenny"})

    assert json.loads(read(assistant(), "ids://instruments/hplc-2"))["run_count"] == 1
    options = json.loads(read(assistant(), "ids://instruments/hplc-2/filter-options"))
    assert options == {"data": {"analyst": [{"value": "Jenny", "run_count": 1}]}}


def test_the_glossary_explains_every_status():
    text = read(assistant(), "ids://glossary")

    assert all(f"`{status}`" in text for status in ("failed", "stalled", "pending_upload", "empty"))


@pytest.mark.parametrize(
    ("uri", "scopes", "code"),
    [
        ("ids://instruments", ("read",), "FORBIDDEN"),
        ("ids://instruments/hplc-2", ("read", "runs:read"), "FORBIDDEN"),
        ("ids://instruments/nowhere", (), "NOT_FOUND"),
        ("ids://instruments/..%2F..", (), None),
        ("ids://instruments/NOPE/filter-options", (), "NOT_FOUND"),
    ],
)
def test_a_refused_resource_says_why(uri, scopes, code):
    with pytest.raises(MCPError) as refusal:
        read(assistant(*scopes), uri)

    assert code is None or refusal.value.error.data["code"] == code


def test_templates_are_listed():
    found = assistant().ask(lambda client: client.list_resource_templates()).resource_templates

    assert [one.uri_template for one in found] == ["ids://instruments/{id}", "ids://instruments/{id}/filter-options"]


def test_prompts_name_their_arguments():
    found = assistant().ask(lambda client: client.list_prompts()).prompts

    assert {prompt.name: [(one.name, one.required) for one in prompt.arguments] for prompt in found} == {
        "daily_summary": [("date", False)],
        "troubleshoot_instrument": [("instrument_id", True)],
        "compare_runs": [("instrument_id", True), ("run_id_1", True), ("run_id_2", True)],
    }


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("daily_summary", {}, "today"),
        ("daily_summary", {"date": "2026-11-20"}, "2026-11-20"),
        ("troubleshoot_instrument", {"instrument_id": "hplc-2"}, "hplc-2"),
        ("compare_runs", {"instrument_id": "hplc-2", "run_id_1": "QC 7", "run_id_2": "QC 8"}, "QC 8"),
    ],
)
def test_prompts_name_what_they_are_about(name, arguments, said):
    prompt = assistant().ask(lambda client: client.get_prompt(name, arguments))

    assert said in prompt.messages[0].content.text


@pytest.mark.parametrize("date", ["zz", "2026-02-30", "20261120", "2026-11-20T00:00:00Z", "2026-11-2\u0660"])
def test_a_summary_is_of_a_day(date):
    with pytest.raises(MCPError, match=r"date: .*YYYY-MM-DD"):
        assistant().ask(lambda client: client.get_prompt("daily_summary", {"date": date}))


def complete(caller: Assistant, ref, name: str, value: str, **given: str) -> list[str]:
    argument = {"name": name, "value": value}
    return caller.ask(lambda client: client.complete(ref, argument, context_arguments=given or None)).completion.values


def test_ids_complete_as_they_are_typed():
    hplc = make_instrument(id="hplc-2")
    make_instrument(id="reader-1")
    make_run(instrument=hplc, run_id="QC 7")
    template = ResourceTemplateReference(type="ref/resource", uri="ids://instruments/{id}")
    prompt = PromptReference(type="ref/prompt", name="compare_runs")

    assert complete(assistant(), template, "id", "hp") == ["hplc-2"]
    assert complete(assistant(), prompt, "instrument_id", "r") == ["reader-1"]
    assert complete(assistant(), prompt, "run_id_1", "qc", instrument_id="hplc-2") == ["QC 7"]


def test_ids_do_not_complete_for_callers_who_may_not_see_them():
    make_instrument(id="hplc-2")
    template = ResourceTemplateReference(type="ref/resource", uri="ids://instruments/{id}")

    assert complete(assistant("read"), template, "id", "") == []


@pytest.mark.parametrize(
    ("name", "arguments"), [("no_such", {}), ("compare_runs", {}), ("troubleshoot_instrument", {"instrument": "x"})]
)
def test_a_prompt_that_cannot_be_is_the_askers_fault(name, arguments):
    with pytest.raises(MCPError) as refused:
        assistant().ask(lambda client: client.get_prompt(name, arguments))

    assert refused.value.error.code == INVALID_PARAMS
