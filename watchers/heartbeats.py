"""Heartbeats: heard in one statement, kept by day. Only the server's clock decides who is alive."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, connection
from django.db.models import QuerySet
from psycopg.errors import CheckViolation

from accounts.callers import Caller
from watchers.fleet import find_watcher
from watchers.models import Heartbeat
from watchers.ownership import OwnWatcher, find_own_watcher
from watchers.partitions import heal_gap
from watchers.releases import refuse_too_old
from watchers.vocabulary import UploadMode, WatcherStatus

# A heartbeat that was overtaken (an earlier `at` than what is known) adds to the history and changes nothing else.
# The files that wait are counted here by the names of their tables: files and runs stand above watchers.
HEAR = """
WITH watcher AS (
    UPDATE watchers_watcher AS known SET
        last_heartbeat_at = GREATEST(known.last_heartbeat_at, %(at)s),
        status = CASE WHEN known.last_heartbeat_at > %(at)s THEN known.status ELSE %(status)s END,
        agent_version = CASE WHEN known.last_heartbeat_at > %(at)s THEN known.agent_version
                             ELSE COALESCE(%(agent_version)s, known.agent_version) END,
        upload_mode = CASE WHEN known.last_heartbeat_at > %(at)s THEN known.upload_mode
                           ELSE COALESCE(%(upload_mode)s, known.upload_mode) END,
        watch_directory = CASE WHEN known.last_heartbeat_at > %(at)s THEN known.watch_directory
                               ELSE COALESCE(%(watch_directory)s, known.watch_directory) END,
        updated_at = GREATEST(known.updated_at, %(at)s)
    WHERE known.id = %(watcher)s AND known.token_id = %(token)s AND known.deleted_at IS NULL
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
           AND run.instrument_id = watcher.instrument_id AND run.deleted_at IS NULL)
  FROM watcher
"""


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


@dataclass(frozen=True)
class Heard:
    """What the agent learns from its heartbeat."""

    server_time: datetime
    config_checksum: str | None
    upload_requests: int


def hear(watcher_id: UUID, *, report: HeartbeatReport, by: Caller, at: datetime) -> Heard:
    """Take a heartbeat. Raises as find_own_watcher does, or AgentTooOld; then nothing is recorded."""
    watcher = find_own_watcher(watcher_id, by=by)
    refuse_too_old(
        report.agent_version or watcher.agent_version,
        minimum=watcher.min_supported_version,
        latest=watcher.latest_version,
    )
    try:
        row = _write(watcher, report=report, at=at)
    except IntegrityError as error:
        if not is_missing_day(error):
            raise
        heal_gap(at=at)
        row = _write(watcher, report=report, at=at)
    if row is None:  # it left or changed hands meanwhile: look again, and say so
        return hear(watcher_id, report=report, by=by, at=at)
    return Heard(server_time=at, config_checksum=row[0], upload_requests=row[1])


def is_missing_day(error: IntegrityError) -> bool:
    """Whether the table had no partition for the row: the one violated check that has no name."""
    cause = error.__cause__
    return isinstance(cause, CheckViolation) and cause.diag.constraint_name is None


def list_heartbeats(watcher_id: UUID, *, by: Caller) -> QuerySet[Heartbeat]:
    """Newest first. Raises WatcherMissing."""
    watcher = find_watcher(watcher_id, by=by)
    return Heartbeat.objects.filter(watcher=watcher).order_by("-received_at", "-id")


def _write(watcher: OwnWatcher, *, report: HeartbeatReport, at: datetime) -> tuple[str | None, int] | None:
    with connection.cursor() as cursor:
        cursor.execute(HEAR, vars(report) | {"watcher": watcher.id, "token": watcher.token_id, "at": at})
        return cursor.fetchone()
