"""What an assistant sees of the tools, and how they answer and refuse."""

import inspect
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from jsonschema import Draft202012Validator
from mcp.shared.exceptions import MCPError

from accounts.callers import Caller
from files.storage.disk_guard import DiskGuard
from instruments.models import Instrument
from mcp_server.results import encode_json, limit_answer
from mcp_server.server import TOOL_DOMAINS, build_server
from runs.claims import claim_run
from tests.factories import make_file, make_instrument, make_run, make_stored_file, make_token_with_text, make_user
from tests.mcp_server.assistants import Assistant, message, post, text_of
from wire.clock import now

pytestmark = pytest.mark.django_db
CONTRACT = {
    *("list_instruments", "get_instrument", "get_filter_options", "search_runs", "get_run", "get_run_report"),
    *("list_run_files", "get_run_archive", "get_file", "get_file_download_url", "reprocess_file", "reprocess_run"),
    *(
        "claim_run",
        "tag_run",
        "unclaim_run",
        "list_run_comments",
        "add_run_comment",
        "add_run_comment_picture",
        "edit_run_comment",
        "delete_run_comment",
    ),
    *(
        "delete_run",
        "restore_run",
        "restore_run_files",
        "request_upload",
        "get_system_status",
        "list_watchers",
        "get_watcher",
    ),
    *("tag_run", "list_watcher_events", "search", "dispatch_notification", "whoami"),
    *("list_people", "count_runs", "update_run_metadata", "get_history", "list_changes"),
    *("list_datasets", "get_dataset", "read_dataset", "query_datasets", "compare_datasets"),
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


def test_a_value_of_none_of_its_words_is_told_the_words(assistant):
    error = assistant.refusal("search_runs", status="broken")

    (said,) = error["details"]["fields"]["status"]
    assert "'failed'" in said
    assert "'stalled'" in said


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


@pytest.mark.parametrize("first", [{"per_page": 100}, {"page": 1, "per_page": 30}])
def test_no_row_is_cut_or_skipped_between_pages(assistant, first):
    hplc = make_instrument(id="hplc-2")
    for number in range(60):
        make_run(instrument=hplc, run_id=f"run {number}", caller_metadata={f"key{n}": "x" * 60 for n in range(20)})
    rows, more = [], first

    while more:
        result = assistant.call("search_runs", detail=True, **more)
        assert len(text_of(result).encode()) <= 20_000
        answer = result.structured_content
        assert "abridged" not in answer
        rows += answer["data"]
        cursor = answer["pagination"]["next_cursor"]
        more = {"cursor": cursor, "per_page": 100} if cursor else None

    assert [row["run_id"] for row in rows] == [f"run {number}" for number in reversed(range(60))]
    assert all(len(row["metadata"]) == 20 for row in rows)


def test_the_files_of_a_run_go_on_behind_the_last_whole_row(assistant):
    run = make_run(run_id="QC 7")
    for number in range(150):
        make_file(f"{number} " + "x" * 150 + ".csv", run=run)
    names, cursor = [], ""

    while cursor is not None:
        answer = assistant.answer(
            "list_run_files", instrument_id=run.instrument_id, run_id="QC 7", per_page=100, cursor=cursor
        )
        names += [int(row["filename"].split()[0]) for row in answer["data"]]
        cursor = answer["pagination"]["next_cursor"]

    assert names == list(range(150))


@pytest.mark.parametrize(("beyond", "is_abridged"), [(0, False), (1, True)])
def test_an_answer_of_20_000_bytes_is_whole(beyond, is_abridged):
    answer = {"notes": [{"text": ""}]}
    answer["notes"][0]["text"] = "x" * (20_000 - len(encode_json(answer)) + beyond)

    text, told = limit_answer(answer)

    assert ("abridged" in told) is is_abridged
    assert len(text.encode()) <= 20_000


@pytest.mark.parametrize(
    "metadata",
    [
        {f"key {number}": number for number in range(2_000)},
        {f"{number}" * 100: "v" * 300 for number in range(90)},
        {"k" * 30_000: "v", "n": 10**4_000},
        {"n": [10**4_000] * 9},
    ],
)
def test_no_metadata_makes_an_answer_longer(metadata):
    text, told = limit_answer({"id": "x", "metadata": metadata, "own_metadata": metadata, "files": [{"id": 1}]})

    assert len(text.encode()) <= 20_000
    assert (told["id"], told["files"], bool(told["metadata"])) == ("x", [{"id": 1}], True)
    assert "Too long" in told["abridged"]


def test_a_row_that_alone_is_too_long_comes_alone_and_says_so(assistant):
    for number in range(2):
        make_run(run_id=f"run {number}", caller_metadata={f"key{n}": "x" * 400 for n in range(80)})

    answer = assistant.answer("search_runs", detail=True)

    assert len(answer["data"]) == 1
    assert answer["pagination"]["next_cursor"]
    assert "Too long" in answer["abridged"]


def test_rows_of_runs_are_short_and_lead_to_their_pages(assistant):
    run = make_run(run_id="QC 7", caller_metadata={"analyst": "Jenny"})
    claim_run(instrument=run.instrument_id, run_id="QC 7", by=Caller(user=make_user(display_name="Ines")), at=now())
    url = f"http://127.0.0.1:8000/instruments/{run.instrument_id}/runs/QC%207"

    (short,) = assistant.answer("search_runs")["data"]
    (whole,) = assistant.answer("search_runs", detail=True)["data"]

    assert (short["attributions"], short["url"]) == (["Ines"], url)
    assert set(short) == {"id", "run_id", "instrument_id", "status", "acquired_at", "attributions", "url"}
    assert (whole["metadata"], whole["url"]) == ({"analyst": "Jenny"}, url)
    assert assistant.answer("get_run", instrument_id=run.instrument_id, run_id="QC 7")["url"] == url


@pytest.mark.parametrize(
    ("tool", "known"), [("search_runs", "metadata"), ("get_run", "instrument_id, run_id"), ("whoami", "no arguments")]
)
def test_an_unknown_argument_is_refused_and_the_known_ones_named(assistant, tool, known):
    error = assistant.refusal(tool, instrument_id="hplc-2", run_id="x", sample="LYS")

    assert error["code"] == "VALIDATION_ERROR"
    assert known in error["details"]["fields"]["sample"][0]
    assert listed(assistant)[tool].input_schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("group_by", "counts"),
    [
        ("instrument", {"hplc-2": (2, 7), "reader-1": (1, 0)}),
        ("status", {"empty": (2, 0), "completed": (1, 7)}),
        ("person", {"Ines": (1, 0), "Tom": (1, 0), None: (2, 7)}),
        ("day", {"2026-01-02": (2, 7), "2026-01-03": (1, 0)}),
        ("tag", {"qc": (2, 0), "odd": (1, 0), None: (1, 7)}),
        ("metadata.method", {"A10": (2, 7), None: (1, 0)}),
        ("metadata.no such", {None: (3, 7)}),
    ],
)
def test_runs_are_counted_by_what_they_have_in_common(assistant, group_by, counts):
    hplc, reader = make_instrument(id="hplc-2"), make_instrument(id="reader-1")
    early, late = datetime(2026, 1, 2, 12, tzinfo=UTC), datetime(2026, 1, 3, 12, tzinfo=UTC)
    stored = make_run(instrument=hplc, acquired_at=early, caller_metadata={"method": "A10"})
    make_file(run=stored, status="completed", size_bytes=7)
    claimed = make_run(instrument=hplc, run_id="b", acquired_at=early, tags=["odd", "qc"])
    make_run(instrument=reader, acquired_at=late, tags=["qc"], caller_metadata={"method": "A10"})
    for name in ("Ines", "Tom"):
        by = Caller(user=make_user(display_name=name))
        claim_run(instrument="hplc-2", run_id=claimed.run_id, by=by, at=now())

    answer = assistant.answer("count_runs", group_by=group_by)

    found = {row["key"]: (row["run_count"], row["total_size_bytes"]) for row in answer["data"]}
    assert (found, answer["total"]) == (counts, 3)


@pytest.mark.parametrize("group_by", ["", "colour", "metadata.", "metadata.%s'\\"])
def test_counting_by_what_is_no_grouping_is_refused_or_finds_nothing(assistant, group_by):
    found = assistant.call("count_runs", group_by=group_by)

    assert "INTERNAL_ERROR" not in text_of(found)


def test_counts_keep_to_the_filters_and_to_what_a_caller_sees():
    for instrument in ("hplc-2", "reader-1"):
        make_run(instrument=make_instrument(id=instrument), run_id="QC")
        make_run(instrument_id=instrument, instrument=Instrument.objects.get(pk=instrument), run_id="Blank")
    bound = Assistant(make_token_with_text(instrument_ids=["reader-1"])[1])

    answer = bound.answer("count_runs", group_by="instrument", search="qc")

    assert (answer["data"], answer["total"]) == ([{"key": "reader-1", "run_count": 1, "total_size_bytes": 0}], 1)


def test_one_key_of_the_metadata_changes_and_the_history_tells(assistant):
    run = make_run(run_id="QC 7", caller_metadata={"analyst": "Jenny", "draft": True})
    named = {"instrument_id": run.instrument_id, "run_id": "QC 7"}

    answer = assistant.answer("update_run_metadata", **named, patch={"draft": None, "plate": "P7"})
    told = assistant.answer("get_history", **named)["data"]

    assert answer["metadata"] == {"analyst": "Jenny", "plate": "P7"}
    assert told[0]["changes"]["metadata.plate"] == [None, "P7"]
    assert told[0]["action"] == "changed"


def test_an_instruments_history_is_told_page_by_page(assistant):
    make_instrument(id="hplc-2")
    for status in ("inactive", "active", "inactive"):
        Instrument.objects.filter(pk="hplc-2").update(status=status)
    seen, cursor = [], ""

    while cursor is not None:
        answer = assistant.answer("get_history", instrument_id="hplc-2", per_page=1, cursor=cursor)
        seen += [one["id"] for one in answer["data"]]
        cursor = answer["pagination"]["next_cursor"]

    assert len(seen) == len(set(seen)) == 4


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


def test_what_happened_is_walked_from_a_day_on(assistant):
    for number in range(150):
        make_run(run_id=f"run {number} " + "x" * 200)
    connection.check_constraints()
    seen, more = [], {"since": f"{now():%Y-%m-%d}"}

    while True:
        answer = assistant.answer("list_changes", types="run.created", limit=100, **more)
        if not answer["data"]:
            break
        seen += [one["run_id"].split()[1] for one in answer["data"]]
        more = {"after": answer["next"]}

    assert seen == [str(number) for number in range(150)]
    assert assistant.refusal("list_changes", after=0, since="2026-01-01")["details"]["fields"]["since"]


def test_the_list_of_tools_is_short(assistant):
    """An assistant reads it before it asks anything: 45 kB are some 11,000 tokens."""
    headers = assistant.headers | {"MCP_Protocol_Version": "2025-11-25"}

    answer = post(message("tools/list"), **headers)

    shown = {tool["name"] for tool in json.loads(answer.content)["result"]["tools"]}
    assert shown == CONTRACT - {"claim_run", "unclaim_run"}  # which are for people
    assert len(answer.content) <= 44_000


def test_a_message_reaches_people_by_their_names(assistant):
    person = make_user(display_name="Ada Lovelace")

    sent = assistant.call("dispatch_notification", users=["ada lovelace"], message="The column is new")

    assert sent.structured_content["notified_user_ids"] == [str(person.pk)]
