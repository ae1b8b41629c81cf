"""What happened to a run, for its page, the later first: the latest of the trail, and its files in a few lines."""

from dataclasses import replace
from datetime import datetime

from django.db.models import Count, Max, Min, Q

from files.models import FileCategory, FileStatus
from overview.history import Change, read_latest
from overview.telling import Happening, tell
from runs.models import Run

MOST_FILES = 5_000  # beyond, the times of files are not gathered: the counts of the run must do
MOST_CHANGES = 20


def tell_story(run: Run) -> list[Happening]:
    """Of a described run. What deleted comments said is not told."""
    latest = read_latest(run, limit=MOST_CHANGES)
    happened = [*_of_files(run), *(_of_run(run, change) for change in latest)]
    if len(latest) < MOST_CHANGES and not any(_is_beginning(change) for change in latest):
        happened.append(_reported(run))
    return sorted(happened, key=lambda one: one.at or run.updated_at, reverse=True)


def _of_run(run: Run, change: Change) -> Happening:
    told = tell(change, briefly=True)
    if not _is_beginning(change):
        return told
    return replace(_reported(run), sub=told.text) if run.watcher else replace(told, icon="key")


def _is_beginning(change: Change) -> bool:
    return (change.object.kind, change.action) == ("run", "created")


def _reported(run: Run) -> Happening:
    """As the run itself says: all there is where it is older than the trail."""
    who = run.watcher.hostname or "A watcher" if run.watcher else "A script"
    return Happening(run.created_at, "watcher" if run.watcher else "key", f"{who} reported it")


def _of_files(run: Run) -> list[Happening]:
    if not run.file_count:
        return []
    arrived = run.file_count - run.n_pending
    times = _times(run) if run.file_count <= MOST_FILES else {}
    lines = [
        Happening(times.get("arrived"), "upload", f"{_files(arrived)} arrived", _span(times)) if arrived else None,
        Happening(times.get("read"), "s-completed", f"{_files(run.n_completed)} read") if run.n_completed else None,
        Happening(times.get("failed"), "s-failed", f"{_files(run.n_failed)} failed", is_bad=True)
        if run.n_failed
        else None,
    ]
    return [line for line in lines if line]


def _times(run: Run) -> dict[str, datetime | None]:
    raw = run.files.filter(category=FileCategory.RAW, deleted_at__isnull=True)
    return raw.aggregate(
        began=Min("uploaded_at"),
        arrived=Max("uploaded_at"),
        read=Max("processed_at", filter=Q(status=FileStatus.COMPLETED)),
        failed=Max("uploaded_at", filter=Q(status=FileStatus.FAILED)),
        files=Count("id"),
    )


def _span(times: dict[str, datetime | None]) -> str:
    began, arrived = times.get("began"), times.get("arrived")
    if began is None or arrived is None or (arrived - began).total_seconds() < 60:
        return ""
    return f"over {(arrived - began).total_seconds() // 60:.0f} min"


def _files(count: int) -> str:
    return f"{count:,} file{'s' if count != 1 else ''}"
