"""Groups hide: every route, page and tool, for members, members of another group, managers, admins and bound tokens.

Two groups have the same kinds of rows. What a caller of one is answered must be what it was before the other one had
any: no name, no count, no place in a list, and 404 for whatever is named. All routes, pages and tools are those that
the service has: a new one is asked without being named here, and a new parameter of a path has to say what it hides.

Left out are routes without a caller (tests/access_rows.py, PUBLIC), as nothing of a group is behind them, /metrics,
which is of the whole service and for its maintainers, and the admin site, which is for admins alone.
"""

import json
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest
from asgiref.sync import sync_to_async
from django.db import transaction
from mcp.shared.exceptions import MCPError
from mcp.types import PromptReference

from accounts import rate_limits as rates
from mcp_server.server import TOOL_DOMAINS
from tests.group_lab import (
    BLIND,
    NIL,
    OURS,
    PARAMETER,
    THEIRS,
    Answers,
    Lab,
    Route,
    ask_all,
    fill,
    find_leaks,
    hold_minutes,
    is_beneath,
    list_pages,
    list_routes,
    refusal,
    without_noise,
)
from tests.group_worlds import Names

pytestmark = pytest.mark.django_db
READERS = (OURS.instrument, THEIRS.instrument)
NO_LISTS = ("/settings", "/feedback")  # pages that look for nothing by what is asked
FILTERS = {  # by which lists may be asked for what a group has
    "instrument_id": THEIRS.instrument, "tag": f"{THEIRS.word}-tag", "project_id": str(THEIRS["project_id"]),
    "q": THEIRS.word, "search": THEIRS.word, "run": f"{THEIRS.instrument}/{THEIRS.run}",
    f"metadata.{THEIRS.word}_key": f"{THEIRS.word} value",
}  # fmt: skip
FILTERS_OF_PAGES = ("instrument_id", "project_id", "q", "search", "run")  # what finds is that of REST
NEEDED: dict[str, Any] = {  # arguments of tools that name nothing of a group
    "body": "mine", "message": "mine", "picture": "cG5n", "user_ids": [NIL], "patch": {"a": 1}, "group_by": "tag",
    "name": "absorbance",
}  # fmt: skip
NOT_PLANTED = {  # of our own things: 404 for their members, too
    "/inbox/<id:notification_id>",  # it is one person's
    "/watchers/connect/program/<slug:system>",
    "/files/<file_id:file_id>/tiles/<slug_id:key>/<int:start>-<int:length>",
    "/api/v1/files/<file_id:file_id>/preview",
}


@pytest.fixture(autouse=True)
def _no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "REQUESTS", replace(rates.REQUESTS, max_hits=0))


@pytest.fixture
def lab(db: None, monkeypatch: pytest.MonkeyPatch) -> Lab:
    hold_minutes(monkeypatch)
    return Lab()


def list_addresses(routes: list[Route], *, face: str, who: str) -> list[str]:
    """Every route with our ids and with theirs; the lists also with all that they may be asked for."""
    found = [fill(path, names) for _, path, _ in routes for names in (OURS, THEIRS)]
    lists = [path for _, path, _ in routes if not PARAMETER.search(path) and not path.startswith(NO_LISTS)]
    asked = [
        f"{address}{'&' if '?' in address else '?'}{urlencode([query])}"
        for address in (fill(path, OURS) for path in lists)
        for query in FILTERS.items()
        if face == "rest" or query[0] in FILTERS_OF_PAGES
    ]
    return list(dict.fromkeys(found + (asked if who in ("member", "token") else [])))


each_face = pytest.mark.parametrize("face", ["rest", "pages"])


def list_face(face: str) -> list[Route]:
    return list_routes("GET") if face == "rest" else list_pages()


@each_face
@pytest.mark.parametrize("who", BLIND)
def test_nothing_is_told_of_what_another_group_has(lab: Lab, face: str, who: str) -> None:
    api, routes = lab.api(who), [] if (face, who) == ("pages", "token") else list_face(face)  # no token opens a page
    addresses = list_addresses(routes, face=face, who=who)
    before = ask_all(api, addresses)
    lab.plant_theirs()
    after = ask_all(api, addresses)

    differences = lab.find_differences(before, after, lambda asked: ask_all(api, asked))
    told = [*find_leaks(after, THEIRS), *differences]
    for _, path, access in routes:
        status = after[fill(path, THEIRS)][0]
        if is_beneath(path) and status not in (refusal(access, lab.caller(who)), 405):
            told.append(f"{path}: {status}")
    assert not told, "\n".join(told)


@each_face
def test_the_other_group_is_told_nothing_of_ours(lab: Lab, face: str) -> None:
    lab.plant_theirs()

    answers = ask_all(lab.api("other"), list_addresses(list_face(face), face=face, who="other"))

    told = find_leaks(answers, OURS)
    assert not told, "\n".join(told)
    assert find_leaks(answers, THEIRS)


@each_face
def test_admins_are_told_of_both(lab: Lab, face: str) -> None:
    lab.plant_theirs()

    answers = ask_all(lab.api("admin"), list_addresses(list_face(face), face=face, who="admin"))

    assert len(find_leaks(answers, OURS)) == len(find_leaks(answers, THEIRS)) > 10


@each_face
def test_what_is_asked_for_is_there(lab: Lab, face: str) -> None:
    """For whom it is not hidden; else that nobody finds it would say nothing."""
    routes = [path for _, path, _ in list_face(face) if path not in NOT_PLANTED]
    answers = ask_all(lab.api("admin"), [fill(path, OURS) for path in routes if is_beneath(path)])

    assert {path: status for path, (status, _) in answers.items() if status not in (200, 202, 302, 405)} == {}


def list_calls(names: Names, *, is_filtered: bool) -> list[tuple[str, dict[str, Any]]]:
    """Each tool with what it needs, and with each of the filters by which it may look for what they have."""
    own: dict[str, Any] = {name: str(value) for name, value in names.path_values.items()} | {"file_id": names.file}
    own |= {"file_ids": [names.file], "dataset_ids": [str(names["dataset_id"]), NIL], "q": names.word}
    filters: dict[str, Any] = FILTERS | {"metadata": {f"{THEIRS.word}_key": f"{THEIRS.word} value"}}
    calls = []
    for tool in (tool for domain in TOOL_DOMAINS for tool in domain.tools):
        needed = [one.name for one in tool.arguments if one.default is one.empty]
        given = {name: (own | NEEDED)[name] for name in needed}
        if tool.name == "dispatch_notification":
            given["run"] = {"instrument_id": names.instrument, "run_id": names.run}
        calls.append((tool.name, given))
        more = filters.keys() & set(tool.argument_names) - set(needed) - {"run"} if is_filtered else ()
        calls += [(tool.name, given | {name: filters[name]}) for name in sorted(more)]
    return calls


async def ask_tools(client: Any, calls: list[tuple[str, dict[str, Any]]]) -> Answers:
    """Each call undone, as `tests.group_lab.send` does it."""
    found = {}
    for tool, given in calls:
        point = await sync_to_async(transaction.savepoint)()
        answer = await client.call_tool(tool, given)
        await sync_to_async(transaction.savepoint_rollback)(point)
        told = " ".join(getattr(one, "text", "") for one in answer.content) + json.dumps(answer.structured_content)
        found[f"{tool} {json.dumps(given)}"] = (int(answer.is_error), without_noise(told))
    return found


async def ask_resources(client: Any) -> Answers:
    """Every resource, those of an instrument for ours and for theirs, and what ids are completed to."""
    templates = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
    uris = [str(one.uri) for one in (await client.list_resources()).resources]
    uris += [one.replace("{id}", names.instrument) for one in templates for names in (OURS, THEIRS)]
    found = {}
    for uri in uris:
        try:
            found[uri] = (200, without_noise((await client.read_resource(uri)).contents[0].text))
        except MCPError as refused:
            found[uri] = (404, str(refused))
    prompt = PromptReference(type="ref/prompt", name="compare_runs")
    for name, given in (("instrument_id", None), *(("run_id_1", {"instrument_id": one}) for one in READERS)):
        completed = await client.complete(prompt, {"name": name, "value": ""}, context_arguments=given)
        found[f"complete {name} {given}"] = (200, str(completed.completion))
    return found


async def ask_everything(client: Any, calls: list[tuple[str, dict[str, Any]]]) -> Answers:
    return await ask_tools(client, calls) | await ask_resources(client)


@pytest.mark.parametrize("who", [*BLIND, "other"])
def test_no_tool_tells_what_another_group_has(lab: Lab, who: str) -> None:
    assistant, is_filtered = lab.assistant(who), who in ("member", "token")
    calls = [*list_calls(OURS, is_filtered=is_filtered), *list_calls(THEIRS, is_filtered=False)]

    def ask(_: Any = None) -> Answers:
        return assistant.ask(lambda client: ask_everything(client, calls))

    before = ask() if who in BLIND else {}
    lab.plant_theirs()
    after = ask()

    theirs, ours = (THEIRS, OURS) if who in BLIND else (OURS, THEIRS)
    told = [*find_leaks(after, theirs), *lab.find_differences(before, after, ask)]
    assert not told, "\n".join(told)
    assert find_leaks(after, ours)
