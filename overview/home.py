"""The latest of everything, for the first page."""

from django.db.models import QuerySet

from accounts.callers import Caller
from runs.models import Comment, Run

MAX_RUNS, MAX_COMMENTS = 10, 6


def list_latest_runs(*, by: Caller) -> QuerySet[Run]:
    return Run.objects.visible_to(by).active().with_details().order_by("-happened_at", "-id")[:MAX_RUNS]


def list_latest_comments(*, by: Caller) -> QuerySet[Comment]:
    """Ids grow with time."""
    rows = Comment.objects.visible_to(by).active().filter(run__deleted_at__isnull=True)
    return (
        rows.select_related("run", "user", "token")
        .only(
            *("body", "created_at", "run__run_id", "run__instrument_id"),
            *("user__display_name", "user__email", "token__name"),
        )
        .order_by("-pk")[:MAX_COMMENTS]
    )
