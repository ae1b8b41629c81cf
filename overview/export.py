"""The whole trail in the order in which it was written, row by row, whatever its size."""

from collections.abc import Iterator
from datetime import datetime
from heapq import merge
from operator import itemgetter
from typing import Any

from django.db.models import F, QuerySet, TextField, Value
from django.db.models.functions import Cast

from accounts.trail.rows import Trail, audited_kind, list_trail_models
from overview.history import action_of
from wire.clock import format_timestamp
from wire.queries.walking import walk_rows

COLUMNS = (
    *("id", "at", "actor_kind", "actor_id", "actor_name", "on_behalf_of_id", "on_behalf_of_name", "action"),
    *("object_kind", "object_id", "within", "changes", "request_id", "reason"),
)
ROWS_PER_FETCH = 1_000


def list_kinds() -> list[str]:
    return [audited_kind(trail) for trail in list_trail_models()]


def export_trail(
    *, since: datetime | None = None, until: datetime | None = None, kinds: set[str] | None = None
) -> Iterator[dict[str, Any]]:
    """COLUMNS of each change from `since` on and before `until`, the oldest first.

    Each table is walked along its primary key: nothing is sorted, little is held.
    """
    wanted = [trail for trail in list_trail_models() if kinds is None or audited_kind(trail) in kinds]
    rows = [_list_rows(trail, since=since, until=until) for trail in wanted]
    walks = [walk_rows(some, by="pgh_id", size=ROWS_PER_FETCH) for some in rows]
    yield from map(_format_row, merge(*walks, key=itemgetter(0)))


def _list_rows(trail: type[Trail], *, since: datetime | None, until: datetime | None) -> QuerySet[Any, Any]:
    rows = trail.objects.all()
    rows = rows.filter(pgh_created_at__gte=since) if since else rows
    rows = rows.filter(pgh_created_at__lt=until) if until else rows
    kind, whole = Value(audited_kind(trail), TextField()), F(f"{trail.audited.parent or 'pgh_obj'}_id")
    named = rows.annotate(kind=kind, of=Cast(F("pgh_obj_id"), TextField()), whole=Cast(whole, TextField()))
    return named.values_list("pgh_id", "pgh_created_at", "pgh_label", "kind", "of", "whole", "changes", "pgh_context")


def _format_row(row: tuple[Any, ...]) -> dict[str, Any]:
    number, at, label, kind, of, whole, changes, context = row
    person = context.get("person") or {}
    who = (context["kind"], context["id"], context["name"], person.get("id"), person.get("name"))
    told = (action_of(label, changes), kind, of, whole, changes, context.get("request_id"), context.get("reason"))
    return dict(zip(COLUMNS, (number, format_timestamp(at), *who, *told), strict=True))
