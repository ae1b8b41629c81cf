"""What happened to a run, for its page, the later first: the latest of the trail, and its files in a few lines."""

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db.models import Count, Max, Min, Q

from files.choices import FileCategory, FileStatus
from overview.change_sentences import TimelineEntry, describe_change
from overview.history import Change, read_latest_changes
from runs.models import Run

MAX_FILES_WITH_TIMES = 5_000  # beyond, the times of files are not gathered: the counts of the run must do
MAX_CHANGES = 20


def build_timeline(run: Run) -> list[TimelineEntry]:
    """Of a described run. What deleted comments said is not told."""
    latest = read_latest_changes(run, limit=MAX_CHANGES)
    happened = [*_describe_files(run), *(_describe_run_change(run, change) for change in latest)]
    if len(latest) < MAX_CHANGES and not any(_is_run_creation(change) for change in latest):
        happened.append(_describe_report(run))
    return sorted(happened, key=lambda one: one.at or run.updated_at, reverse=True)


def _describe_run_change(run: Run, change: Change) -> TimelineEntry:
    told = describe_change(change, briefly=True, zone=ZoneInfo(run.instrument.time_zone))
    if not _is_run_creation(change):
        return told
    return replace(_describe_report(run), sub=told.text) if run.watcher else replace(told, icon="key")


def _is_run_creation(change: Change) -> bool:
    return (change.object.kind, change.action) == ("run", "created")


def _describe_report(run: Run) -> TimelineEntry:
    """As the run itself says: all there is where it is older than the trail."""
    who = run.watcher.hostname or "A watcher" if run.watcher else "A script"
    return TimelineEntry(run.created_at, "watcher" if run.watcher else "key", f"{who} reported it")


def _describe_files(run: Run) -> list[TimelineEntry]:
    if not run.file_count:
        return []
    arrived = run.file_count - run.n_pending
    times = _read_file_times(run) if run.file_count <= MAX_FILES_WITH_TIMES else {}
    lines = [
        TimelineEntry(
            times.get("arrived"), "upload", f"{_format_file_count(arrived)} arrived", _format_upload_duration(times)
        )
        if arrived
        else None,
        TimelineEntry(times.get("read"), "s-completed", f"{_format_file_count(run.n_completed)} read")
        if run.n_completed
        else None,
        TimelineEntry(times.get("failed"), "s-failed", f"{_format_file_count(run.n_failed)} failed", is_bad=True)
        if run.n_failed
        else None,
    ]
    return [line for line in lines if line]


def _read_file_times(run: Run) -> dict[str, datetime | None]:
    raw = run.files.filter(category=FileCategory.RAW, deleted_at__isnull=True)
    return raw.aggregate(
        began=Min("uploaded_at"),
        arrived=Max("uploaded_at"),
        read=Max("processed_at", filter=Q(status=FileStatus.COMPLETED)),
        failed=Max("uploaded_at", filter=Q(status=FileStatus.FAILED)),
        files=Count("id"),
    )


def _format_upload_duration(times: dict[str, datetime | None]) -> str:
    began, arrived = times.get("began"), times.get("arrived")
    if began is None or arrived is None or (arrived - began).total_seconds() < 60:
        return ""
    return f"over {(arrived - began).total_seconds() // 60:.0f} min"


def _format_file_count(count: int) -> str:
    return f"{count:,} file{'s' if count != 1 else ''}"
