"""The latest of everything, for the first page."""

from uuid import UUID

from django.db.models import QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from accounts.callers import Caller
from runs.models import Comment, Run

MAX_RUNS, MAX_COMMENTS = 10, 6
MAX_LOOKED_AT = 5_000  # comments: of whom they are hidden from nearly all would else be read
FIRST = Value(UUID(int=0))


def list_latest_runs(*, by: Caller) -> QuerySet[Run]:
    return Run.objects.visible_to(by).active().with_details().order_by("-happened_at", "-id")[:MAX_RUNS]


def list_latest_comments(*, by: Caller) -> QuerySet[Comment]:
    """Of the latest of all, those that the caller sees. Ids grow with time."""
    rows = Comment.objects.visible_to(by).active().filter(run__deleted_at__isnull=True)
    before = Comment.objects.active().order_by("-pk").values("pk")[MAX_LOOKED_AT : MAX_LOOKED_AT + 1]
    rows = rows.filter(pk__gt=Coalesce(Subquery(before), FIRST))
    return (
        rows.select_related("run", "user", "token")
        .only(
            *("body", "created_at", "run__run_id", "run__instrument_id"),
            *("user__display_name", "user__email", "token__name"),
        )
        .order_by("-pk")[:MAX_COMMENTS]
    )
