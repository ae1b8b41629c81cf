"""One table: every REST route and every kind of caller. A route that is missing from it fails.

The ids in the paths lead nowhere, so a caller who gets in meets 200, 400 or 404, and one who does not meets 401 or 403.
"""

from dataclasses import dataclass

import pytest

from accounts.access import Public
from accounts.checks import rest_routes
from tests.clients import Api
from tests.factories import make_token_with_text, make_user

NIL = "00000000-0000-4000-8000-000000000000"
IDS = {
    "<slug_id:instrument_id>": "no-such-instrument",
    "<run_id:run_id>": "no-such-run",
    "<file_id:file_id>": "999999999",
    "<file_id:release_id>": "999999999",
    "<str:kind>": "no-such-kind",
    "<id:": NIL,
}
PREFIX = "api/v1/"
ALL_SCOPES = {
    *("instruments:read", "instruments:create", "instruments:write"),
    *("runs:read", "runs:create", "runs:update", "runs:delete", "runs:upload", "runs:comment", "runs:reprocess"),
    *("files:reprocess", "files:read", "files:create", "files:update", "files:delete"),
    *("watchers:read", "watchers:report", "watchers:admin"),
    *("archive-jobs:write", "notifications:create", "read", "write"),
}
ANYONE, TOKEN, PERSON = "anyone", "token", "person"


@dataclass(frozen=True)
class Route:
    method: str
    path: str
    scope: str | None
    only: str = ANYONE
    admin: bool = False

    @property
    def key(self) -> tuple[str, str]:
        return self.method, self.path


RUN = "instruments/<slug_id:instrument_id>/runs/<run_id:run_id>"
ROUTES = [
    Route("GET", "tokens", None, PERSON),
    Route("POST", "tokens", None, PERSON, admin=True),
    Route("DELETE", "tokens/<id:token_id>", None, PERSON, admin=True),
    Route("GET", "users", None, PERSON, admin=True),
    Route("PATCH", "users/<id:user_id>", None, PERSON, admin=True),
    Route("GET", "instruments", "instruments:read"),
    Route("POST", "instruments", "instruments:create", TOKEN),
    Route("GET", "instruments/<slug_id:instrument_id>", "instruments:read"),
    Route("PATCH", "instruments/<slug_id:instrument_id>", "instruments:write", admin=True),
    Route("GET", "instruments/<slug_id:instrument_id>/filter-options", "instruments:read"),
    Route("GET", "instruments/<slug_id:instrument_id>/runs", "runs:read"),
    Route("POST", "instruments/<slug_id:instrument_id>/runs", "runs:create", TOKEN),
    Route("GET", "instrument-runs", "runs:read"),
    Route("GET", RUN, "runs:read"),
    Route("PATCH", RUN, "runs:update", TOKEN),
    Route("DELETE", RUN, "runs:delete"),
    Route("POST", f"{RUN}/restore", "runs:delete"),
    Route("PUT", f"{RUN}/attributions/me", None, PERSON),
    Route("DELETE", f"{RUN}/attributions/me", None, PERSON),
    Route("GET", f"{RUN}/comments", "runs:read"),
    Route("POST", f"{RUN}/comments", "runs:comment"),
    Route("PATCH", f"{RUN}/comments/<id:comment_id>", "runs:comment"),
    Route("DELETE", f"{RUN}/comments/<id:comment_id>", "runs:comment"),
    Route("GET", f"{RUN}/history", "runs:read"),
    Route("GET", "instruments/<slug_id:instrument_id>/history", "instruments:read"),
    Route("GET", f"{RUN}/files", "files:read"),
    Route("POST", f"{RUN}/files", "files:create"),
    Route("GET", f"{RUN}/report-items", "files:read"),
    Route("POST", f"{RUN}/request-upload", "runs:upload", TOKEN),
    Route("POST", f"{RUN}/request-upload-url", "runs:upload", TOKEN),
    Route("GET", "files/<file_id:file_id>", "files:read"),
    Route("PATCH", "files/<file_id:file_id>", "files:update", TOKEN),
    Route("DELETE", "files/<file_id:file_id>", "files:delete"),
    Route("GET", "files/<file_id:file_id>/download", "files:read"),
    Route("GET", "files/<file_id:file_id>/preview", "files:read"),
    Route("POST", "files/<file_id:file_id>/multipart-upload/part-urls", "runs:upload", TOKEN),
    Route("POST", "files/<file_id:file_id>/multipart-upload/complete", "runs:upload", TOKEN),
    Route("DELETE", "files/<file_id:file_id>/multipart-upload", "runs:upload", TOKEN),
    Route("GET", "watchers", "watchers:read"),
    Route("POST", "watchers/register", "watchers:report", TOKEN),
    Route("GET", "watchers/<id:watcher_id>", "watchers:read"),
    Route("DELETE", "watchers/<id:watcher_id>", "watchers:admin", admin=True),
    Route("POST", "watchers/<id:watcher_id>/heartbeat", "watchers:report", TOKEN),
    Route("GET", "watchers/<id:watcher_id>/heartbeats", "watchers:read"),
    Route("POST", "watchers/<id:watcher_id>/events", "watchers:report"),
    Route("GET", "watchers/<id:watcher_id>/events", "watchers:read"),
    Route("GET", "watchers/<id:watcher_id>/config", "watchers:read"),
    Route("PUT", "watchers/<id:watcher_id>/config", "watchers:report"),
    Route("GET", "watchers/<id:watcher_id>/config-checksum", "watchers:read"),
    Route("GET", "watchers/<id:watcher_id>/upload-queue", "watchers:read"),
    Route("GET", "watchers/<id:watcher_id>/update-check", "watchers:read"),
]
ROUTES += [
    Route("GET", f"{RUN}/download-archive", "files:read"),
    Route("GET", "archive-jobs/<id:job_id>", "archive-jobs:write"),
    Route("PATCH", "archive-jobs/<id:job_id>", "archive-jobs:write", TOKEN),
    Route("POST", "files/<file_id:file_id>/reprocess", "files:reprocess"),
    Route("POST", f"{RUN}/reprocess", "runs:reprocess"),
    Route("POST", "notifications/dispatch", "notifications:create", TOKEN),
    Route("GET", "notifications", None, PERSON),
    Route("POST", "notifications/read", None, PERSON),
    Route("GET", "settings/notifications", None, PERSON),
    Route("PUT", "settings/notifications", None, PERSON),
    Route("GET", "settings/integrations", None, PERSON, admin=True),
    Route("PUT", "settings/integrations", None, PERSON, admin=True),
    Route("POST", "settings/integrations/<str:kind>/test", None, PERSON, admin=True),
    Route("GET", "settings/watcher-releases", None, PERSON, admin=True),
    Route("POST", "settings/watcher-releases", None, PERSON, admin=True),
    Route("PATCH", "settings/watcher-releases/<file_id:release_id>", None, PERSON, admin=True),
    Route("GET", "feedback", None, PERSON),
    Route("POST", "feedback", None, PERSON),
    Route("GET", "feedback/<id:report_id>", None, PERSON),
    Route("GET", "search", "runs:read"),
    Route("GET", "system/status", "instruments:read"),
    Route("GET", "whoami", None),
]
ROUTED = sorted(
    {
        (method, pattern.removeprefix(PREFIX))
        for pattern, view, method, action in rest_routes()
        if not isinstance(view.access.get(action), Public)
    }
)
BUILT = [route for route in ROUTES if route.key in ROUTED]


def concrete(path: str) -> str:
    for parameter, value in IDS.items():
        while parameter in path:
            start = path.index(parameter)
            path = path[:start] + value + path[path.index(">", start) + 1 :]
    return f"/{PREFIX}{path}"


def refusal(status: int) -> int | None:
    return status if status in (401, 403) else None


def call(api: Api, route: Route) -> int | None:
    return refusal(api.send(route.method, concrete(route.path), {} if route.method != "GET" else None).status_code)


def as_id(route: Route) -> str:
    return f"{route.method} {route.path}"


def test_every_route_is_in_the_table():
    assert [key for key in ROUTED if key not in {route.key for route in ROUTES}] == []


def test_every_row_is_a_route():
    assert [route.key for route in ROUTES if route.key not in ROUTED] == []


@pytest.mark.parametrize("route", BUILT, ids=as_id)
def test_nobody_gets_in(db, route):
    assert call(Api(), route) == 401


@pytest.mark.parametrize("route", BUILT, ids=as_id)
def test_a_person_gets_in_where_people_may(db, route):
    expected = 401 if route.only == TOKEN else 403 if route.admin else None

    assert call(Api(user=make_user()), route) == expected


@pytest.mark.parametrize("route", BUILT, ids=as_id)
def test_an_admin_gets_in_where_people_may(db, route):
    assert call(Api(user=make_user(is_admin=True)), route) == (401 if route.only == TOKEN else None)


@pytest.mark.parametrize("route", BUILT, ids=as_id)
def test_a_token_without_the_scope_is_refused(db, route):
    every_other = ALL_SCOPES - {route.scope}
    token, text = make_token_with_text(*every_other)
    expected = 401 if route.only == PERSON else 403 if route.scope else None

    assert call(Api(token=token, text=text), route) == expected


@pytest.mark.parametrize("route", [route for route in BUILT if route.scope], ids=as_id)
def test_a_missing_scope_is_named(db, route):
    if route.only == PERSON:
        pytest.skip("people hold every scope")
    _, text = make_token_with_text(*ALL_SCOPES - {route.scope})

    answer = Api(text=text).send(route.method, concrete(route.path), {} if route.method != "GET" else None)

    assert answer.json()["error"]["details"] == {"scope": route.scope}
    assert route.scope in answer.json()["error"]["message"]


@pytest.mark.parametrize("route", BUILT, ids=as_id)
def test_a_token_with_the_scope_alone_gets_in(db, route):
    token, text = make_token_with_text(route.scope or "read")

    assert call(Api(token=token, text=text), route) == (401 if route.only == PERSON else None)
