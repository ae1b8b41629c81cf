"""What happened to a run, as far as its rows tell: the later first."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Min, Q

from files.models import FileCategory, FileStatus
from runs.models import Comment, Run

MOST_FILES = 5_000  # beyond, the times of files are not gathered: the counts of the run must do
MOST_COMMENTS = 20


@dataclass(frozen=True)
class Happening:
    """One line: when (None: not known), its sign and sentence, and details below it."""

    at: datetime | None
    icon: str
    text: str
    sub: str = ""
    is_bad: bool = False


def tell_story(run: Run) -> list[Happening]:
    """Of a described run. Deleted comments leave no trace here."""
    happened = [_reported(run), *_of_files(run), *_claimed(run), *_commented(run), *_deleted(run)]
    return sorted(happened, key=lambda one: one.at or run.updated_at, reverse=True)


def _reported(run: Run) -> Happening:
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


def _claimed(run: Run) -> list[Happening]:
    return [Happening(claim.claimed_at, "person", f"{claim.display_name} claimed it") for claim in run.attributions]


def _commented(run: Run) -> list[Happening]:
    if not run.comment_count:
        return []
    comments = Comment.objects.active().filter(run=run).select_related("user", "token").order_by("-created_at", "-id")
    return [
        Happening(comment.created_at, "comment", f"{(comment.user or comment.token)} commented")
        for comment in comments[:MOST_COMMENTS]
    ]


def _deleted(run: Run) -> list[Happening]:
    if run.deleted_at is None:
        return []
    who = run.deleted_by or run.deleted_by_token
    return [Happening(run.deleted_at, "trash", f"{who} deleted it")]


def _files(count: int) -> str:
    return f"{count:,} file{'s' if count != 1 else ''}"
