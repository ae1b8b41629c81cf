"""The rows of the access matrix: every REST route, every page, every public route."""

from dataclasses import dataclass

NIL = "00000000-0000-4000-8000-000000000000"
IDS = {
    "<slug_id:instrument_id>": "no-such-instrument",
    "<run_id:run_id>": "no-such-run",
    "<file_id:file_id>": "999999999",
    "<file_id:release_id>": "999999999",
    "<slug:system>": "tar",
    "<str:kind>": "no-such-kind",
    "<str:": "nothing",
    "<path:": "no/such/thing",
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
    Route("POST", "enrolment-codes", None, PERSON, admin=True),
    Route("GET", "people", None),
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
    Route("POST", "watchers/<id:watcher_id>/instance", None, PERSON, admin=True),
    Route("POST", "watchers/<id:watcher_id>/heartbeat", "watchers:report", TOKEN),
    Route("GET", "watchers/<id:watcher_id>/heartbeats", "watchers:read"),
    Route("POST", "watchers/<id:watcher_id>/events", "watchers:report"),
    Route("GET", "watchers/<id:watcher_id>/events", "watchers:read"),
    Route("GET", "watchers/<id:watcher_id>/config", "watchers:read"),
    Route("PUT", "watchers/<id:watcher_id>/config", "watchers:report"),
    Route("GET", "watchers/<id:watcher_id>/config-checksum", "watchers:read"),
    Route("GET", "watchers/<id:watcher_id>/wanted-config", "watchers:read"),
    Route("PUT", "watchers/<id:watcher_id>/wanted-config", "watchers:admin", admin=True),
    Route("DELETE", "watchers/<id:watcher_id>/wanted-config", "watchers:admin", admin=True),
    Route("GET", "watchers/<id:watcher_id>/upload-queue", "watchers:read"),
    Route("GET", "watchers/<id:watcher_id>/update-check", "watchers:read"),
]
ROUTES += [
    Route("POST", f"{RUN}/files:batch", "runs:upload", TOKEN),
    Route("POST", f"{RUN}/files:confirm", "files:update", TOKEN),
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

ADMINS = True


@dataclass(frozen=True)
class Page:
    path: str
    admin: bool = False


PAGES = [
    Page(""),
    Page("search"),
    Page("settings"),
    Page("settings/profile"),
    Page("settings/password"),
    Page("settings/security"),
    Page("settings/security/sessions"),
    Page("settings/security/app"),
    Page("settings/security/passkey"),
    Page("settings/security/remove"),
    Page("settings/security/recovery-codes"),
    Page("settings/security/recovery-codes/new"),
    Page("settings/ai-clients"),
    Page("settings/tokens", ADMINS),
    Page("settings/tokens/new", ADMINS),
    Page("settings/tokens/revoke", ADMINS),
    Page("settings/members", ADMINS),
    Page("settings/notifications"),
    Page("settings/feedback", ADMINS),
    Page("settings/integrations", ADMINS),
    Page("settings/integrations/<str:kind>", ADMINS),
    Page("settings/watcher-releases", ADMINS),
    Page("settings/readers", ADMINS),
    Page("settings/readers/read-again", ADMINS),
    Page("inbox"),
    Page("inbox/read"),
    Page("inbox/mute"),
    Page("inbox/<id:notification_id>"),
    Page("feedback"),
    Page("feedback/<id:report_id>/forget"),
    Page("instruments"),
    Page("instruments/selection"),
    Page("instruments/<slug_id:instrument_id>"),
    Page("instruments/<slug_id:instrument_id>/edit", ADMINS),
    Page("instruments/<slug_id:instrument_id>/change", ADMINS),
    Page("instruments/<slug_id:instrument_id>/history"),
    Page("runs"),
    Page("runs/options"),
    Page("runs/selection"),
    Page(RUN),
    Page(f"{RUN}/history"),
    Page(f"{RUN}/comments"),
    Page(f"{RUN}/comments/<id:comment_id>"),
    Page(f"{RUN}/report"),
    Page(f"{RUN}/files"),
    Page(f"{RUN}/files/selection"),
    Page(f"{RUN}/archive"),
    Page("downloads"),
    Page("watchers"),
    Page("watchers/connect"),
    Page("watchers/connect/code", ADMINS),
    Page("watchers/connect/program/<slug:system>"),
    Page("watchers/deregister", ADMINS),
    Page("watchers/<id:watcher_id>"),
    Page("watchers/<id:watcher_id>/configuration", ADMINS),
    Page("watchers/<id:watcher_id>/configuration/withdraw", ADMINS),
    Page("watchers/<id:watcher_id>/instance", ADMINS),
]
PUBLIC = {  # what a stranger's GET of it is answered; the ids lead nowhere
    "livez": 200,
    "readyz": 200,
    "metrics": 200,  # the tests ask from this machine
    "openapi.json": 200,
    "api/v1/openapi.json": 200,
    "api/docs": 200,
    "api/v1/enrol": 405,
    "accounts/login/": 200,
    "accounts/second-factor/": 302,
    "accounts/logout/": 302,
    "accounts/inactive/": 200,
    "accounts/oidc/login/": 404,  # no identity provider is set
    "accounts/oidc/login/callback/": 404,
    "accounts/first/<str:secret>/": 404,
    "accounts/password/<id:user_id>/<str:secret>/": 404,
    "admin": 302,
    "admin/login/": 302,
    ".well-known/oauth-authorization-server": 200,
    ".well-known/oauth-protected-resource/<path:resource_path>": 404,
    "oauth/authorize": 302,
    "oauth/token": 405,
    "oauth/revoke": 405,
    "oauth/register": 405,
    "oauth/register/<str:client_id>": 401,
}
