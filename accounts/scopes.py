"""The catalogue of scopes and the presets that the dashboard offers."""

from enum import StrEnum


class Scope(StrEnum):
    INSTRUMENTS_READ = "instruments:read"
    INSTRUMENTS_CREATE = "instruments:create"
    INSTRUMENTS_WRITE = "instruments:write"
    RUNS_READ = "runs:read"
    RUNS_CREATE = "runs:create"
    RUNS_UPDATE = "runs:update"
    RUNS_DELETE = "runs:delete"
    RUNS_UPLOAD = "runs:upload"
    RUNS_COMMENT = "runs:comment"
    RUNS_SHARE = "runs:share"
    RUNS_REPROCESS = "runs:reprocess"
    FILES_REPROCESS = "files:reprocess"
    FILES_READ = "files:read"
    FILES_CREATE = "files:create"
    FILES_UPDATE = "files:update"
    FILES_DELETE = "files:delete"
    WATCHERS_READ = "watchers:read"
    WATCHERS_REPORT = "watchers:report"
    WATCHERS_ADMIN = "watchers:admin"
    ARCHIVE_JOBS_WRITE = "archive-jobs:write"
    NOTIFICATIONS_CREATE = "notifications:create"
    READ = "read"
    WRITE = "write"

    @classmethod
    def choices(cls) -> list[tuple[str, str]]:
        return [(scope.value, SCOPE_DESCRIPTIONS[scope]) for scope in cls]


SCOPE_DESCRIPTIONS = {
    Scope.INSTRUMENTS_READ: "See instruments, filter options and the system status",
    Scope.INSTRUMENTS_CREATE: "Add instruments",
    Scope.INSTRUMENTS_WRITE: "Confirm, rename and deactivate instruments",
    Scope.RUNS_READ: "Find and read runs, comments and the global search",
    Scope.RUNS_CREATE: "Report runs",
    Scope.RUNS_UPDATE: "Change runs",
    Scope.RUNS_DELETE: "Delete and restore runs",
    Scope.RUNS_UPLOAD: "Upload files",
    Scope.RUNS_COMMENT: "Write, edit and delete its own comments",
    Scope.RUNS_SHARE: "Make links by which outsiders read a run and download its files",
    Scope.RUNS_REPROCESS: "Process the files of a run again",
    Scope.FILES_REPROCESS: "Process a file again",
    Scope.FILES_READ: "See and download files, archives and reports",
    Scope.FILES_CREATE: "Add file records",
    Scope.FILES_UPDATE: "Change file records",
    Scope.FILES_DELETE: "Dismiss files that were not uploaded",
    Scope.WATCHERS_READ: "See watchers, their heartbeats, events and configuration",
    Scope.WATCHERS_REPORT: "Register as a watcher and report",
    Scope.WATCHERS_ADMIN: "Deregister watchers",
    Scope.ARCHIVE_JOBS_WRITE: "Build archives as an external worker",
    Scope.NOTIFICATIONS_CREATE: "Send notifications to people",
    Scope.READ: "Connect to the MCP server",
    Scope.WRITE: "Call MCP tools that change data",
}

READING = frozenset(scope for scope in Scope if scope.endswith(":read")) | {Scope.READ}
PRESETS: dict[str, frozenset[Scope]] = {
    "Read only": READING,
    "Read and send": READING
    | {Scope.RUNS_CREATE, Scope.RUNS_UPDATE, Scope.RUNS_UPLOAD, Scope.RUNS_COMMENT, Scope.FILES_UPDATE},
    "Watcher": frozenset(
        {
            Scope.INSTRUMENTS_READ,
            Scope.INSTRUMENTS_CREATE,
            Scope.WATCHERS_READ,
            Scope.WATCHERS_REPORT,
            Scope.RUNS_READ,
            Scope.RUNS_CREATE,
            Scope.RUNS_UPDATE,
            Scope.RUNS_UPLOAD,
            Scope.FILES_READ,
            Scope.FILES_UPDATE,
        }
    ),
    "Worker": frozenset(
        {
            Scope.INSTRUMENTS_READ,
            Scope.RUNS_READ,
            Scope.RUNS_CREATE,
            Scope.RUNS_UPDATE,
            Scope.RUNS_UPLOAD,
            Scope.FILES_READ,
            Scope.FILES_CREATE,
            Scope.FILES_UPDATE,
            Scope.ARCHIVE_JOBS_WRITE,
        }
    ),
}
