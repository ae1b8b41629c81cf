"""Each MCP tool and its REST route refuse alike and answer the same facts, for every kind of caller.

Both are asked in a transaction that is rolled back, so that the second meets what the first met.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction

from mcp_server.server import TOOL_DOMAINS
from tests.clients import Api
from tests.factories import (
    make_comment,
    make_event,
    make_file,
    make_instrument,
    make_run,
    make_stored_file,
    make_token_with_text,
    make_user,
    make_watcher,
)
from tests.mcp_server.assistants import Assistant
from tests.mcp_server.oauth_flow import access_token
from wire.clock import now

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
RUN = "/instruments/hplc-2/runs/QC%207"
OF_RUN = {"instrument_id": "hplc-2", "run_id": "QC 7"}
NIL = "00000000-0000-4000-8000-000000000000"


@dataclass(frozen=True)
class Pair:
    """A tool and its route. `volatile` members differ from call to call; `extra` ones only the tool answers."""

    tool: str
    route: str  # method and path
    scope: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    volatile: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.tool} {self.route}"


INSTRUMENT, RUNS = "/instruments/hplc-2", "/instrument-runs"
NO_RUN, NONE = f"{INSTRUMENT}/runs/none", OF_RUN | {"run_id": "none"}
GONE_RUN, GONE = f"{INSTRUMENT}/runs/gone", OF_RUN | {"run_id": "gone"}
SORTED = {"search": "qc", "sort": "run_id", "order": "asc"}
RAW, ERRORS = {"category": "raw", "search": "A1"}, {"event_type": "error"}
WATCHER = {"watcher_id": "{watcher}"}
ODD, LONG = {"body": "Looks odd. "}, {"body": "x" * 10_001}
SEEN, STORED = {"file_ids": ["{detected}"]}, {"file_ids": ["{stored}"]}
URL, REQUESTED = ("download_url",), ("upload_requested_at",)
COMMENT = {"comment_id": "{comment}"}
MESSAGE = {"user_ids": ["{person}", NIL], "message": "Done", "run": OF_RUN}
NO_PICTURE = {"picture": "bm9uZQ=="}
MADE = ("id", "created_at", "etag")  # of a comment
WHOLE_ROWS = {"search_runs": {"detail": True}}
# REST tells pages by their number here, and counts them all; signatures and holds have routes of their own there.
TOOLS_ONLY = ("url", "next_cursor", "total_is_exact", "failure", "signatures", "hold")
PATCH = {"draft": None, "plate": "P7"}
PATCHED = ("updated_at", "etag")
PAIRS = [
    Pair("list_instruments", "GET /instruments", "instruments:read"),
    Pair("list_instruments", "GET /instruments?per_page=1&page=2", "instruments:read", {"per_page": 1, "page": 2}),
    Pair("list_instruments", "GET /instruments?status=pending", "instruments:read", {"status": "pending"}),
    Pair("list_instruments", "GET /instruments?page=0", "instruments:read", {"page": 0}),
    Pair("get_instrument", f"GET {INSTRUMENT}", "instruments:read", {"instrument_id": "hplc-2"}),
    Pair("get_instrument", "GET /instruments/nowhere", "instruments:read", {"instrument_id": "nowhere"}),
    Pair("get_filter_options", f"GET {INSTRUMENT}/filter-options", "instruments:read", {"instrument_id": "hplc-2"}),
    Pair("search_runs", f"GET {RUNS}", "runs:read"),
    Pair("search_runs", f"GET {RUNS}?metadata.analyst=Jenny", "runs:read", {"metadata": {"analyst": "Jenny"}}),
    Pair("search_runs", f"GET {RUNS}?metadata[wells][gt]=1", "runs:read", {"metadata": {"wells": {"gt": 1}}}),
    Pair("search_runs", f"GET {RUNS}?metadata[wells][between]=1", "runs:read", {"metadata": {"wells": {"between": 1}}}),
    Pair("search_runs", f"GET {RUNS}?q=jenny%20a10", "runs:read", {"q": "jenny a10"}),
    Pair("search_runs", f"GET {RUNS}?search=qc&sort=run_id&order=asc", "runs:read", SORTED),
    Pair(
        "search_runs",
        f"GET {RUNS}?instrument_id=hplc-2&instrument_id=x",
        "runs:read",
        {"instrument_id": ["hplc-2", "x"]},
    ),
    Pair("search_runs", f"GET {RUNS}?status=failed&status=uploaded", "runs:read", {"status": ["failed", "uploaded"]}),
    Pair("search_runs", f"GET {RUNS}?ranBy=me", "runs:read", {"ran_by": "me"}),
    Pair("search_runs", f"GET {RUNS}?date_from=2026-02-30", "runs:read", {"date_from": "2026-02-30"}),
    Pair("search_runs", f"GET {RUNS}?metadata.a%3Db=x", "runs:read", {"metadata": {"a=b": "x"}}),
    Pair("search_runs", f"GET {RUNS}?include_deleted=true", "runs:read", {"include_deleted": True}),
    Pair("get_run", f"GET {RUN}", "runs:read", OF_RUN),
    Pair("get_run", f"GET {NO_RUN}", "runs:read", NONE),
    Pair("count_runs", f"GET {RUNS}?date_from=2026-02-30", "runs:read", {"date_from": "2026-02-30", "group_by": "day"}),
    Pair(
        "update_run_metadata",
        f"PATCH {RUN}",
        "runs:update",
        OF_RUN | {"patch": PATCH},
        {"metadata_patch": PATCH},
        PATCHED,
    ),
    Pair("update_run_metadata", f"PATCH {NO_RUN}", "runs:update", NONE | {"patch": PATCH}, {"metadata_patch": PATCH}),
    Pair("list_changes", "GET /changes?types=run.created&limit=2", "runs:read", {"types": "run.created", "limit": 2}),
    Pair("list_changes", "GET /changes?limit=0", "runs:read", {"limit": 0}),
    Pair("list_changes", "GET /changes?after=99999999", "runs:read", {"after": 99_999_999}),
    Pair("get_history", f"GET {RUN}/history", "runs:read", OF_RUN),
    Pair("get_history", f"GET {NO_RUN}/history", "runs:read", NONE),
    Pair("list_run_files", f"GET {RUN}/files", "files:read", OF_RUN),
    Pair("list_run_files", f"GET {RUN}/files?category=raw&search=A1", "files:read", OF_RUN | RAW),
    Pair("list_run_files", f"GET {RUN}/files?versions=collapse", "files:read", OF_RUN | {"versions": "collapse"}),
    Pair("list_run_files", f"GET {RUN}/files?versions=newest", "files:read", OF_RUN | {"versions": "newest"}),
    Pair("list_datasets", "GET /datasets", "files:read"),
    Pair("list_datasets", "GET /datasets?metadata.a%3Db=x", "files:read", {"metadata": {"a=b": "x"}}),
    Pair("get_dataset", f"GET /datasets/{NIL}", "files:read", {"dataset_id": NIL}),
    Pair("compare_datasets", f"GET /datasets/{NIL}", "files:read", {"dataset_ids": [NIL, NIL.replace("4", "5")]}),
    Pair("read_dataset", f"GET /datasets/{NIL}/rows", "files:read", {"dataset_id": NIL}),
    Pair("read_dataset", f"GET /datasets/{NIL}/rows?max_points=1", "files:read", {"dataset_id": NIL, "max_points": 1}),
    Pair("query_datasets", "GET /dataset-rows?name=x&columns=nope", "files:read", {"name": "x", "columns": ["nope"]}),
    Pair("query_datasets", "GET /dataset-rows?name=x&date_from=y", "files:read", {"name": "x", "date_from": "y"}),
    Pair("get_file", "GET /files/{stored}", "files:read", {"file_id": "{stored}"}),
    Pair("get_file", "GET /files/999999", "files:read", {"file_id": 999_999}),
    Pair("get_file_download_url", "GET /files/{stored}/download", "files:read", {"file_id": "{stored}"}, volatile=URL),
    Pair("get_file_download_url", "GET /files/{detected}/download", "files:read", {"file_id": "{detected}"}),
    Pair("get_run_archive", f"GET {RUN}/download-archive", "files:read", OF_RUN, volatile=("job_id",)),
    Pair("get_run_archive", f"GET {RUN}/download-archive?file_ids=9", "files:read", OF_RUN | {"file_ids": [9]}),
    Pair("claim_run", f"PUT {RUN}/attributions/me", "runs:read", OF_RUN, volatile=("claimed_at",)),
    Pair("tag_run", f"PUT {RUN}/tags/qc", "runs:update", OF_RUN | {"add": ["qc"]}),
    Pair("tag_run", f"DELETE {NO_RUN}/tags/qc", "runs:update", NONE | {"remove": ["qc"]}),
    Pair("search_runs", f"GET {RUNS}?tag=qc&tag=x", "runs:read", {"tag": ["qc", "x"]}),
    Pair("search_runs", f"GET {RUNS}?project_id={NIL}", "runs:read", {"project_id": NIL}),
    Pair("search_runs", f"GET {RUNS}?project_id=x", "runs:read", {"project_id": "x"}),
    Pair("unclaim_run", f"DELETE {RUN}/attributions/me", "runs:read", OF_RUN),
    Pair("list_run_comments", f"GET {RUN}/comments", "runs:read", OF_RUN),
    Pair("add_run_comment", f"POST {RUN}/comments", "runs:comment", OF_RUN | ODD, ODD, volatile=MADE),
    Pair("add_run_comment", f"POST {RUN}/comments ", "runs:comment", OF_RUN | LONG, LONG),
    Pair("add_run_comment_picture", f"POST {RUN}/comment-pictures", "runs:comment", OF_RUN | NO_PICTURE, {}),
    Pair("add_run_comment_picture", f"POST {NO_RUN}/comment-pictures", "runs:comment", NONE | NO_PICTURE, {}),
    Pair("edit_run_comment", f"PATCH {RUN}/comments/{{comment}}", "runs:comment", OF_RUN | COMMENT | ODD, ODD),
    Pair("delete_run_comment", f"DELETE {RUN}/comments/{{comment}}", "runs:comment", OF_RUN | COMMENT),
    Pair("delete_run_comment", f"DELETE {RUN}/comments/{NIL}", "runs:comment", OF_RUN | {"comment_id": NIL}),
    Pair("delete_run", f"DELETE {RUN}", "runs:delete", OF_RUN, volatile=("deleted_at",)),
    Pair("restore_run", f"POST {RUN}/restore", "runs:delete", OF_RUN),
    Pair("restore_run", f"POST {GONE_RUN}/restore", "runs:delete", GONE),
    Pair("restore_run_files", f"POST {RUN}/files:restore", "files:read", OF_RUN),
    Pair("restore_run_files", f"POST {NO_RUN}/files:restore", "files:read", NONE),
    Pair("restore_run_files", f"POST {GONE_RUN}/files:restore", "files:read", GONE),
    Pair("add_run_comment", f"POST {GONE_RUN}/comments", "runs:comment", GONE | ODD, ODD),
    Pair("request_upload", f"POST {RUN}/request-upload", "runs:upload", OF_RUN | SEEN, SEEN, volatile=REQUESTED),
    Pair("request_upload", f"POST {RUN}/request-upload ", "runs:upload", OF_RUN | STORED, STORED),
    Pair("reprocess_file", "POST /files/{stored}/reprocess", "files:reprocess", {"file_id": "{stored}"}),
    Pair("reprocess_file", "POST /files/{detected}/reprocess", "files:reprocess", {"file_id": "{detected}"}),
    Pair("reprocess_file", "POST /files/999999/reprocess", "files:reprocess", {"file_id": 999_999}),
    Pair("reprocess_run", f"POST {RUN}/reprocess", "runs:reprocess", OF_RUN),
    Pair("reprocess_run", f"POST {GONE_RUN}/reprocess", "runs:reprocess", GONE),
    Pair("get_system_status", "GET /system/status", "instruments:read", volatile=("time", "oldest_seconds")),
    Pair("list_watchers", "GET /watchers", "watchers:read"),
    Pair("list_watchers", "GET /watchers?instrument_id=nowhere", "watchers:read", {"instrument_id": "nowhere"}),
    Pair("get_watcher", "GET /watchers/{watcher}", "watchers:read", WATCHER),
    Pair("get_watcher", f"GET /watchers/{NIL}", "watchers:read", {"watcher_id": NIL}),
    Pair("list_watcher_events", "GET /watchers/{watcher}/events?event_type=error", "watchers:read", WATCHER | ERRORS),
    Pair("list_people", "GET /people?per_page=100", "runs:read"),
    Pair("list_people", "GET /people?search=nobody&per_page=100", "runs:read", {"search": "nobody"}),
    Pair("search", "GET /search?q=qc", "runs:read", {"q": "qc"}),
    Pair("search", "GET /search?q=a", "runs:read", {"q": "a"}),
    Pair("search", "GET /search?q=qc&scope=runs", "runs:read", {"q": "qc", "scope": "runs"}),
    Pair("dispatch_notification", "POST /notifications/dispatch", "notifications:create", MESSAGE, MESSAGE),
    Pair("whoami", "GET /whoami", "runs:read", extra=("client",)),
    Pair("get_run_report", f"GET {NO_RUN}/report-items?kind=image", "files:read", NONE),
]


@dataclass(frozen=True)
class World:
    """What there is, by the names that PAIRS use."""

    ids: dict[str, Any]

    def fill(self, value: Any) -> Any:
        """`value` with {names} replaced by ids; a text that is nothing but a name becomes the id itself."""
        if isinstance(value, Mapping):
            return {name: self.fill(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if isinstance(value, str) and (whole := re.fullmatch(r"\{(\w+)\}", value)):
            return self.ids[whole[1]]
        return re.sub(r"\{(\w+)\}", lambda one: str(self.ids[one[1]]), value) if isinstance(value, str) else value


@pytest.fixture
def world(db: None) -> World:
    hplc = make_instrument(id="hplc-2", display_name="HPLC 2")
    make_instrument(id="reader-1", display_name="Reader")
    run = make_run(instrument=hplc, run_id="QC 7", caller_metadata={"analyst": "Jenny", "wells": [1, 2]})
    make_run(instrument=hplc, run_id="gone", deleted_at=now(), deleted_by=make_user())
    watcher = make_watcher(instrument=hplc)
    make_event(watcher=watcher, message="disk full")
    stored = make_stored_file("A1.csv", b"1,2\n", run=run)
    make_file("A2.csv", run=run, status="failed", error_message="No plate data found in file.")
    ids = {
        "stored": stored.pk,
        "detected": make_file("A10.csv", run=run).pk,
        "comment": str(make_comment(run=run).pk),
        "watcher": str(watcher.pk),
        "person": str(make_user().pk),
    }
    return World(ids)


Callers = Callable[[Pair], tuple[Api, Assistant]]


def token_with(*more: str, bound: list[str] | None = None) -> Callers:
    def build(pair: Pair) -> tuple[Api, Assistant]:
        scopes = ["read", "write", *(pair.scope if one == "its" else one for one in more)]
        if pair.tool == "get_run_report" and "its" in more:
            scopes.append("runs:read")
        token, text = make_token_with_text(*scopes, instrument_ids=bound)
        return Api(token=token, text=text), Assistant(text)

    return build


def full_token(pair: Pair) -> tuple[Api, Assistant]:
    token, text = make_token_with_text()
    return Api(token=token, text=text), Assistant(text)


def bound_elsewhere(pair: Pair) -> tuple[Api, Assistant]:
    token, text = make_token_with_text(instrument_ids=["reader-1"])
    return Api(token=token, text=text), Assistant(text)


def person(pair: Pair) -> tuple[Api, Assistant]:
    user = make_user(display_name="Ines Okafor")
    return Api(user=user), Assistant(access_token(user))


def admin(pair: Pair) -> tuple[Api, Assistant]:
    user = make_user(is_admin=True)
    return Api(user=user), Assistant(access_token(user))


CALLERS: dict[str, Callers] = {
    "a token without the scope": token_with(),
    "a token with the scope": token_with("its"),
    "a token with all scopes": full_token,
    "a token bound elsewhere": bound_elsewhere,
    "a person": person,
    "an admin": admin,
}


@contextmanager
def undone() -> Iterator[None]:
    cache.clear()
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_a_tool_and_its_route_agree(world, pair, caller):
    api, assistant = CALLERS[caller](pair)

    with undone():
        method, _, path = world.fill(pair.route).strip().partition(" ")
        route = api.send(method, f"/api/v1{path}", world.fill(pair.body), Accept="application/json")
    with undone():
        result = assistant.call(pair.tool, **world.fill(pair.arguments | WHOLE_ROWS.get(pair.tool, {})))

    assert result.is_error == (route.status_code >= 400), (route.status_code, route.content, result)
    told, said = result.structured_content, route.json()
    assert plain(told, hidden=(*pair.volatile, *pair.extra, *TOOLS_ONLY)) == plain(said, hidden=pair.volatile)


def plain(value: Any, *, hidden: tuple[str, ...]) -> Any:
    if isinstance(value, dict):
        return {name: plain(item, hidden=hidden) for name, item in value.items() if name not in hidden}
    return [plain(item, hidden=hidden) for item in value] if isinstance(value, list) else value


def test_every_tool_is_compared_with_its_route():
    tools = {tool.name for domain in TOOL_DOMAINS for tool in domain.tools}

    assert tools - {pair.tool for pair in PAIRS} == set()
