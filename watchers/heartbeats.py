"""Heartbeats: recorded in one statement, stored by day. Only the server's clock decides who is online."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
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
from watchers.ownership import OwnWatcher, find_own_watcher
from watchers.partitions import restore_missing_partition
from watchers.update_checks import refuse_outdated_agent

# What the agent said last counts: a heartbeat that was overtaken (an earlier `at` than what is known) adds to the
# history and changes nothing else.
LATEST_WORDS = {
    "status": "%(status)s",
    "agent_version": "COALESCE(%(agent_version)s, known.agent_version)",
    "upload_mode": "COALESCE(%(upload_mode)s, known.upload_mode)",
    "watch_directory": "COALESCE(%(watch_directory)s, known.watch_directory)",
    "folder_state": "COALESCE(%(folder_state)s, known.folder_state)",
    "folder_away_since": """CASE WHEN %(folder_state)s IS NULL THEN known.folder_away_since
                              WHEN %(folder_away_since)s IS NULL THEN NULL
                              ELSE COALESCE(known.folder_away_since, %(folder_away_since)s) END""",
    "folder_last_scan_at": "COALESCE(%(folder_last_scan_at)s, known.folder_last_scan_at)",
    "folder_last_file_at": "COALESCE(%(folder_last_file_at)s, known.folder_last_file_at)",
    "folder_files_waiting": "COALESCE(%(folder_files_waiting)s, known.folder_files_waiting)",
    "folder_bytes_waiting": "COALESCE(%(folder_bytes_waiting)s, known.folder_bytes_waiting)",
}
ASSIGNMENTS = ",\n        ".join(
    f"{column} = CASE WHEN known.last_heartbeat_at > %(at)s THEN known.{column} ELSE {word} END"
    for column, word in LATEST_WORDS.items()
)
# The files that wait are counted here by the names of their tables: files and runs stand above watchers.
RECORD_HEARTBEAT_SQL = f"""
WITH watcher AS (
    UPDATE watchers_watcher AS known SET
        last_heartbeat_at = GREATEST(known.last_heartbeat_at, %(at)s),
        instance_id = COALESCE(known.instance_id, %(instance_id)s),
        {ASSIGNMENTS},
        updated_at = GREATEST(known.updated_at, %(at)s)
    WHERE known.id = %(watcher)s AND known.token_id = %(token)s AND known.deleted_at IS NULL
      AND COALESCE(known.instance_id = %(instance_id)s, true)
    RETURNING known.id, known.instrument_id, known.config_checksum
), history AS (
    INSERT INTO watchers_heartbeat (received_at, sent_at, watcher_id, files_uploaded, runs_reported, errors,
                                    uptime_seconds, queue_depth, status, upload_mode, agent_version)
    SELECT %(at)s, %(timestamp)s, id, %(files_uploaded)s, %(runs_reported)s, %(errors)s,
           %(uptime_seconds)s, %(queue_depth)s, %(status)s, %(upload_mode)s, %(agent_version)s
      FROM watcher
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
    watcher = find_own_watcher(watcher_id, by=by)
    refuse_outdated_agent(
        report.agent_version or watcher.agent_version,
        minimum=watcher.min_supported_version,
        latest=watcher.latest_version,
    )
    refuse_another_instance(watcher, report.instance_id, at=at)
    try:
        with _savepoint_inside_a_transaction():
            row = _write_heartbeat(watcher, report=report, at=at)
    except IntegrityError as error:
        if not is_missing_partition(error):
            raise
        restore_missing_partition(at=at)
        row = _write_heartbeat(watcher, report=report, at=at)
    if row is None:  # it left or changed hands meanwhile: look again, and say so
        return record_heartbeat(watcher_id, report=report, by=by, at=at)
    return HeartbeatReceipt(at, *row)


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


def _write_heartbeat(
    watcher: OwnWatcher, *, report: HeartbeatReport, at: datetime
) -> tuple[str | None, int, str | None] | None:
    names = {"watcher": watcher.id, "token": watcher.token_id, "at": at}
    with connection.cursor() as cursor:
        cursor.execute(RECORD_HEARTBEAT_SQL, vars(report) | vars(to_folder_columns(report.folder, at=at)) | names)
        return cursor.fetchone()
