"""Heartbeats: recorded in one statement, stored by day. Only the server's clock decides who is online."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from psycopg.errors import CheckViolation

from accounts.callers import Caller
from watchers.choices import UploadMode, WatcherStatus
from watchers.fleet import find_watcher
from watchers.folders import FolderReport, to_folder_columns
from watchers.instances import refuse_another_instance
from watchers.models import Heartbeat
from watchers.ownership import due_release_sql, find_own_watcher, list_bound
from watchers.partitions import restore_missing_partition
from watchers.update_checks import refuse_outdated_agent
from wire.audit_context import SAY_WHO_ACTS
from wire.queries.prepared import ActingCursor, prepared_cursor

COLUMN_TYPES = {
    **dict.fromkeys(
        ("at", "timestamp", "folder_away_since", "folder_last_scan_at", "folder_last_file_at"), "timestamptz"
    ),
    **dict.fromkeys(("status", "agent_version", "upload_mode", "watch_directory", "folder_state"), "text"),
    **dict.fromkeys(("files_uploaded", "runs_reported", "errors", "uptime_seconds", "queue_depth"), "bigint"),
    **dict.fromkeys(("folder_files_waiting", "folder_bytes_waiting"), "bigint"),
    "instance_id": "uuid",
}
REPORT_COLUMNS = ", ".join(f"%({name})s::{kind} AS {name}" for name, kind in COLUMN_TYPES.items())
# What the agent said last counts: a heartbeat that was overtaken (an earlier `at` than what is known) adds to the
# history and changes nothing else.
LATEST_WORDS = {
    "status": "report.status",
    "agent_version": "COALESCE(report.agent_version, known.agent_version)",
    "upload_mode": "COALESCE(report.upload_mode, known.upload_mode)",
    "watch_directory": "COALESCE(report.watch_directory, known.watch_directory)",
    "folder_state": "COALESCE(report.folder_state, known.folder_state)",
    "folder_away_since": """CASE WHEN report.folder_state IS NULL THEN known.folder_away_since
                              WHEN report.folder_away_since IS NULL THEN NULL
                              ELSE COALESCE(known.folder_away_since, report.folder_away_since) END""",
    "folder_last_scan_at": "COALESCE(report.folder_last_scan_at, known.folder_last_scan_at)",
    "folder_last_file_at": "COALESCE(report.folder_last_file_at, known.folder_last_file_at)",
    "folder_files_waiting": "COALESCE(report.folder_files_waiting, known.folder_files_waiting)",
    "folder_bytes_waiting": "COALESCE(report.folder_bytes_waiting, known.folder_bytes_waiting)",
}
ASSIGNMENTS = ",\n        ".join(
    f"{column} = CASE WHEN known.last_heartbeat_at > report.at THEN known.{column} ELSE {word} END"
    for column, word in LATEST_WORDS.items()
)
# What nothing speaks against is recorded at once. Where nothing was, the rules that follow say why not, or that it is
# to be: whether an agent that is not the one due is supported still, versions being compared here alone.
# The files that wait are counted here by the names of their tables: files and runs stand above watchers.
RECORD_HEARTBEAT_SQL = f"""
WITH report AS MATERIALIZED (
    SELECT {SAY_WHO_ACTS}, {REPORT_COLUMNS}
), watcher AS (
    UPDATE watchers_watcher AS known SET
        last_heartbeat_at = GREATEST(known.last_heartbeat_at, report.at),
        instance_id = COALESCE(known.instance_id, report.instance_id),
        {ASSIGNMENTS},
        updated_at = GREATEST(known.updated_at, report.at)
    FROM report
    WHERE known.id = %(watcher)s AND known.token_id = %(token)s AND known.deleted_at IS NULL
      AND (%(bound)s::text[] IS NULL OR known.instrument_id = ANY(%(bound)s))
      AND COALESCE(known.instance_id = report.instance_id, true)
      AND (%(is_supported)s OR NOT EXISTS (
          SELECT FROM ({due_release_sql("known")}) AS due
           WHERE due.min_supported_version IS NOT NULL
             AND due.version IS DISTINCT FROM COALESCE(report.agent_version, known.agent_version)))
    RETURNING known.id, known.instrument_id, known.config_checksum
), history AS (
    INSERT INTO watchers_heartbeat (received_at, sent_at, watcher_id, files_uploaded, runs_reported, errors,
                                    uptime_seconds, queue_depth, status, upload_mode, agent_version)
    SELECT report.at, report.timestamp, id, report.files_uploaded, report.runs_reported, report.errors,
           report.uptime_seconds, report.queue_depth, report.status, report.upload_mode, report.agent_version
      FROM watcher CROSS JOIN report
)
SELECT config_checksum,
       (SELECT count(*) FROM files_file AS file JOIN runs_run AS run ON run.id = file.run_id
         WHERE file.status = 'upload_requested' AND file.upload_requested_at IS NOT NULL
           AND file.uploaded_at IS NULL AND file.deleted_at IS NULL
           AND run.instrument_id = watcher.instrument_id AND run.deleted_at IS NULL),
       (SELECT config_checksum FROM watchers_wantedconfig WHERE watcher_id = watcher.id AND state = 'waiting')
  FROM watcher
"""  # noqa: S608  (built of constants)


@dataclass(frozen=True)
class HeartbeatReport:
    """What an agent says of itself; None leaves what is known as it is."""

    status: WatcherStatus
    timestamp: datetime | None = None
    agent_version: str | None = None
    upload_mode: UploadMode | None = None
    watch_directory: str | None = None
    files_uploaded: int | None = None
    runs_reported: int | None = None
    errors: int | None = None
    uptime_seconds: int | None = None
    queue_depth: int | None = None
    instance_id: UUID | None = None
    folder: FolderReport | None = None


@dataclass(frozen=True)
class HeartbeatReceipt:
    """What the agent learns from its heartbeat."""

    server_time: datetime
    config_checksum: str | None
    upload_requests: int
    wanted_config_checksum: str | None


def record_heartbeat(watcher_id: UUID, *, report: HeartbeatReport, by: Caller, at: datetime) -> HeartbeatReceipt:
    """Record a heartbeat.

    Raises as find_own_watcher does, AgentTooOld or AnotherInstance; then nothing is recorded of it.
    """
    if row := _record(watcher_id, report=report, by=by, at=at, is_supported=False):
        return HeartbeatReceipt(at, *row)
    watcher = find_own_watcher(watcher_id, by=by)
    refuse_outdated_agent(
        report.agent_version or watcher.agent_version,
        minimum=watcher.min_supported_version,
        latest=watcher.latest_version,
    )
    refuse_another_instance(watcher, report.instance_id, at=at)
    if row := _record(watcher_id, report=report, by=by, at=at, is_supported=True):
        return HeartbeatReceipt(at, *row)
    return record_heartbeat(watcher_id, report=report, by=by, at=at)  # it left or changed hands meanwhile: say so


def _record(
    watcher_id: UUID, *, report: HeartbeatReport, by: Caller, at: datetime, is_supported: bool
) -> tuple[str | None, int, str | None] | None:
    """What the receipt says but for the time; None where something speaks against the heartbeat."""
    values = vars(report) | vars(to_folder_columns(report.folder, at=at))
    values |= {"watcher": watcher_id, "token": by.token and by.token.pk, "bound": list_bound(by), "at": at}
    values["is_supported"] = is_supported
    try:
        with _savepoint_inside_a_transaction():
            return _write_heartbeat(values)
    except IntegrityError as error:
        if not is_missing_partition(error):
            raise
        restore_missing_partition(at=at)
        return _write_heartbeat(values)


def is_missing_partition(error: IntegrityError) -> bool:
    """Whether the table had no partition for the row: the one violated check that has no name."""
    cause = error.__cause__
    return isinstance(cause, CheckViolation) and cause.diag.constraint_name is None


def _savepoint_inside_a_transaction() -> AbstractContextManager[None]:
    """So that a missing partition leaves the transaction of an Idempotency-Key whole; alone, a statement is enough."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()


def list_heartbeats(watcher_id: UUID, *, by: Caller) -> QuerySet[Heartbeat]:
    """Newest first. Raises WatcherMissing."""
    watcher = find_watcher(watcher_id, by=by)
    return Heartbeat.objects.filter(watcher=watcher).order_by("-received_at", "-id")


def _write_heartbeat(values: dict[str, Any]) -> tuple[str | None, int, str | None] | None:
    with prepared_cursor(ActingCursor) as cursor:
        cursor.execute(RECORD_HEARTBEAT_SQL, values)
        return cursor.fetchone()
