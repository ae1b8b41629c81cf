"""What an assistant sees of the tools, and how they answer and refuse."""

import inspect
import json
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from jsonschema import Draft202012Validator
from mcp.shared.exceptions import MCPError

from files.storage.disk_guard import DiskGuard
from mcp_server.server import TOOL_DOMAINS, build_server
from tests.factories import make_file, make_instrument, make_run, make_stored_file, make_token_with_text
from tests.mcp_server.assistants import Assistant, text_of

pytestmark = pytest.mark.django_db
CONTRACT = {
    *("list_instruments", "get_instrument", "get_filter_options", "search_runs", "get_run", "get_run_report"),
    *("list_run_files", "get_run_archive", "get_file", "get_file_download_url", "reprocess_file", "reprocess_run"),
    *("claim_run", "unclaim_run", "list_run_comments", "add_run_comment", "edit_run_comment", "delete_run_comment"),
    *("delete_run", "restore_run", "request_upload", "get_system_status", "list_watchers", "get_watcher"),
    *("list_watcher_events", "search", "dispatch_notification", "whoami"),
    "list_people",
}
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63f8cfc0f01f0005000"
    "1ff56c72f0d0000000049454e44ae426082"
)
CURVE = {
    "format": "ids-curve/1",
    "title": "Indene",
    "x": {"label": "Wavenumber", "unit": "1/cm"},
    "y": {"label": "Absorbance", "unit": "AU"},
    "series": [{"label": "A1", "x": [400.0, 401.0, 402.0], "y": [0.3, None, 0.7], "points": 3601}],
    "downsampled": False,
}
TABLE = {
    "format": "ids-table/1",
    "columns": [{"name": "Sample", "unit": None}, {"name": "Viability", "unit": "%"}],
    "rows": [[f"CLB{number:03}", 96.9] for number in range(9)],
    "total_rows": 900,
}
PLATE = {
    "format": "ids-plate/1",
    "rows": 8,
    "columns": 12,
    "quantity": "absorbance",
    "unit": "AU",
    "wells": {"A1": {"value": 0.01}, "A2": {"value": 0.5}, "B1": {"value": None, "note": "OVRFLW"}},
}


@pytest.fixture
def assistant() -> Assistant:
    return Assistant(make_token_with_text()[1])


def listed(assistant: Assistant) -> dict[str, Any]:
    return {tool.name: tool for tool in assistant.ask(lambda client: client.list_tools()).tools}


def make_artefact(name: str, document: object, *, run, source, kind: str):
    return make_stored_file(
        name,
        json.dumps(document).encode(),
        run=run,
        category="processed",
        status="completed",
        content_type="application/json",
        source_file=source,
        caller_metadata={"kind": kind, "title": name},
        relative_path=f"{source.filename}/{name}",
    )


def test_every_tool_of_the_contract_is_there():
    assert {tool.name for domain in TOOL_DOMAINS for tool in domain.tools} == CONTRACT


def test_no_tool_runs_on_the_event_loop_or_as_a_plain_function():
    tools = build_server()._tool_manager.list_tools()

    assert [tool.name for tool in tools if not inspect.iscoroutinefunction(tool.fn)] == []


def test_every_tool_and_argument_is_described(assistant):
    for tool in listed(assistant).values():
        assert len(tool.description) > 20, tool.name
        assert tool.title, tool.name
        for name, schema in tool.input_schema["properties"].items():
            assert len(schema.get("description", "")) > 10, (tool.name, name)


def test_every_schema_of_answers_is_one(assistant):
    for tool in listed(assistant).values():
        Draft202012Validator.check_schema(tool.output_schema)
        assert tool.output_schema["type"] == "object"


def test_annotations_say_what_a_tool_may_do(assistant):
    tools = listed(assistant)

    assert tools["search_runs"].annotations.read_only_hint is True
    assert tools["delete_run"].annotations.destructive_hint is True
    assert tools["delete_run_comment"].annotations.destructive_hint is True
    assert tools["add_run_comment"].annotations.read_only_hint is False
    assert tools["restore_run"].annotations.idempotent_hint is True


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_every_revision_of_the_protocol_is_spoken(mode):
    make_instrument(id="hplc-2")

    found = Assistant(make_token_with_text()[1], mode=mode).answer("list_instruments")

    assert [row["id"] for row in found["data"]] == ["hplc-2"]


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("search_runs", {"status": "broken"}, "status"),
        ("search_runs", {"per_page": 101}, "per_page"),
        ("search_runs", {"page": "x"}, "page"),
        ("search_runs", {"date_from": "yesterday"}, "date_from"),
        ("get_run", {"instrument_id": "hplc-2"}, "run_id"),
        ("search", {}, "q"),
        ("search", {"q": ["a"]}, "q"),
    ],
)
def test_wrong_arguments_are_named(assistant, tool, arguments, field):
    error = assistant.refusal(tool, **arguments)

    assert error["code"] == "VALIDATION_ERROR"
    assert any(name.startswith(field) for name in error["details"]["fields"]), error


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_file", {"file_id": "abc"}),
        ("get_file", {"file_id": -1}),
        ("get_file", {"file_id": 10**30}),
        ("get_file", {"file_id": True}),
        ("get_instrument", {"instrument_id": "../admin"}),
        ("get_instrument", {"instrument_id": "HPLC"}),
        ("get_run", {"instrument_id": "hplc-2", "run_id": "a/b"}),
        ("get_run", {"instrument_id": "hplc-2", "run_id": "\ufffd"}),
        ("get_run", {"instrument_id": "hplc-2", "run_id": ""}),
        ("get_watcher", {"watcher_id": "1"}),
        ("get_run_report", {"instrument_id": "hplc-2", "run_id": "x' OR 1=1"}),
    ],
)
def test_what_rest_would_not_find_is_not_found(assistant, tool, arguments):
    error = assistant.refusal(tool, **arguments)

    assert error["code"] == "NOT_FOUND"
    assert "search" in error["advice"]


def test_a_refusal_names_the_scope_and_what_to_do():
    error = Assistant(make_token_with_text("read")[1]).refusal("search_runs")

    assert error["details"] == {"scope": "runs:read"}
    assert "runs:read" in error["message"]
    assert error["advice"]


def test_a_token_that_claims_is_told_that_only_people_can():
    run = make_run()

    error = Assistant(make_token_with_text()[1]).refusal(
        "claim_run", instrument_id=run.instrument_id, run_id=run.run_id
    )

    assert (error["code"], "OAuth" in error["advice"]) == ("UNAUTHORIZED", True)


def test_an_unknown_tool_is_an_error_of_the_protocol(assistant):
    with pytest.raises(MCPError, match="Unknown tool"):
        assistant.call("drop_table")


def test_read_only_leaves_out_what_changes_data(settings):
    settings.MCP_READ_ONLY = True

    assert all(not tool.policy.writes for tool in build_server().declared.values())


def test_allowed_tools_leave_out_all_others(settings):
    settings.MCP_ALLOWED_TOOLS = ["search_runs", "whoami"]

    assert set(build_server().declared) == {"search_runs", "whoami"}


def test_a_misspelt_tool_stops_the_start(settings):
    settings.MCP_ALLOWED_TOOLS = ["serach_runs"]

    with pytest.raises(ImproperlyConfigured, match="serach_runs"):
        build_server()


def test_long_answers_are_abridged_and_say_so(assistant):
    hplc = make_instrument(id="hplc-2")
    for number in range(60):
        make_run(instrument=hplc, run_id=f"run {number}", caller_metadata={f"key{n}": "x" * 400 for n in range(40)})

    result = assistant.call("search_runs", per_page=100)

    answer = result.structured_content
    assert len(text_of(result).encode()) <= 20_000
    assert answer["pagination"]["total"] == 60
    assert f"data shows the first {len(answer['data'])} of 60" in answer["abridged"]
    assert len(answer["data"]) > 1


def test_many_filter_options_are_abridged(assistant):
    hplc = make_instrument(id="hplc-2")
    for number in range(40):
        make_run(instrument=hplc, caller_metadata={f"key{n}": f"value {number} {n}" + "x" * 100 for n in range(40)})

    result = assistant.call("get_filter_options", instrument_id="hplc-2")

    assert not result.is_error
    assert len(text_of(result).encode()) <= 20_000
    assert "Too long" in result.structured_content["abridged"]


def test_a_report_shows_what_a_person_sees(assistant):
    run = make_run(run_id="QC 7", caller_metadata={"analyst": "Jenny"})
    raw = make_stored_file("plate.csv", run=run, status="completed")
    make_file("broken.csv", run=run, status="failed", error_message="No plate data found in file.")
    make_artefact("curve.json", CURVE, run=run, source=raw, kind="curve")
    make_artefact("table.json", TABLE, run=run, source=raw, kind="table")
    make_artefact("plate.json", PLATE, run=run, source=raw, kind="plate")
    picture = make_stored_file("gel.png", PNG, run=run, content_type="image/png")

    result = assistant.call("get_run_report", instrument_id=run.instrument_id, run_id="QC 7")

    report = result.structured_content
    assert report["run"]["metadata"] == {"analyst": "Jenny"}
    assert [one["error_message"] for one in report["failures"]] == ["No plate data found in file."]
    assert report["items"]["image"] == {"total": 1, "first": [{"id": picture.pk, "filename": "gel.png"}]}
    (curve,) = report["curves"]
    assert (curve["x"], curve["series"][0]["highest"]) == ("Wavenumber (1/cm)", {"x": 402.0, "y": 0.7})
    (table,) = report["tables"]
    assert (table["columns"], len(table["rows"]), table["total_rows"]) == (["Sample", "Viability (%)"], 5, 900)
    (plate,) = report["plates"]
    assert (plate["format"], plate["without_number"], plate["highest"]) == (96, 1, {"well": "A2", "value": 0.5})
    assert report["picture"] == {"file_id": picture.pk, "filename": "gel.png"}
    image = result.content[1]
    assert (image.type, image.mime_type) == ("image", "image/png")


def test_a_report_leaves_out_what_a_script_wrote_wrongly(assistant):
    run = make_run()
    odd = {"format": "ids-curve/1", "series": "none"}
    make_artefact("odd.json", odd, run=run, source=make_stored_file("odd.csv", run=run), kind="curve")

    report = assistant.answer("get_run_report", instrument_id=run.instrument_id, run_id=run.run_id)

    assert report["curves"] == []


def test_a_report_never_shows_a_picture_of_another_run(assistant):
    run, other = make_run(), make_stored_file("other.png", PNG, content_type="image/png")

    error = assistant.refusal("get_run_report", instrument_id=run.instrument_id, run_id=run.run_id, file_id=other.pk)

    assert error["code"] == "NOT_FOUND"


def test_a_report_of_a_run_without_files_is_one(assistant):
    run = make_run()

    report = assistant.answer("get_run_report", instrument_id=run.instrument_id, run_id=run.run_id)

    assert (report["picture"], report["curves"], report["items"]["pdf"]["total"]) == (None, [], 0)


def test_a_full_disk_ends_writing_but_not_reading(assistant, settings, monkeypatch):
    settings.KEEPS_DATA_HERE = True
    monkeypatch.setattr("files.storage.disk_guard.has_free_space", lambda place: False)
    monkeypatch.setattr("mcp_server.toolbox.disk_guard", DiskGuard())
    run = make_run()

    said = assistant.call("add_run_comment", instrument_id=run.instrument_id, run_id=run.run_id, body="hello")

    assert said.is_error
    assert "disk of the service is full" in text_of(said)
    assert assistant.answer("get_run", instrument_id=run.instrument_id, run_id=run.run_id)["comment_count"] == 0
