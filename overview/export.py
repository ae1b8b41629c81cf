"""The whole trail in the order in which it was written, row by row, whatever its size."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import F, TextField, Value
from django.db.models.functions import Cast

from accounts.trail import kind_of, trails
from overview.history import action_of
from wire.clock import stamp

COLUMNS = (
    *("id", "at", "actor_kind", "actor_id", "actor_name", "on_behalf_of_id", "on_behalf_of_name", "action"),
    *("object_kind", "object_id", "within", "changes", "request_id", "reason"),
)
CHUNK = 1_000


def list_kinds() -> list[str]:
    return [kind_of(trail) for trail in trails()]


def export_trail(
    *, since: datetime | None = None, until: datetime | None = None, kinds: set[str] | None = None
) -> Iterator[dict[str, Any]]:
    """COLUMNS of each change from `since` on and before `until`, the oldest first, by a cursor of the database."""
    parts = []
    for trail in trails():
        kind, rows = kind_of(trail), trail.objects.all()
        if kinds is not None and kind not in kinds:
            continue
        rows = rows.filter(pgh_created_at__gte=since) if since else rows
        rows = rows.filter(pgh_created_at__lt=until) if until else rows
        whole = Cast(F(f"{trail.kept.within or 'pgh_obj'}_id"), TextField())
        named = rows.annotate(kind=Value(kind, TextField()), of=Cast(F("pgh_obj_id"), TextField()), whole=whole)
        parts.append(
            named.values_list("pgh_id", "pgh_created_at", "pgh_label", "kind", "of", "whole", "changes", "pgh_context")
        )
    if parts:
        ordered = parts[0].union(*parts[1:], all=True).order_by("pgh_id")
        yield from map(_line, ordered.iterator(chunk_size=CHUNK))


def _line(row: tuple[Any, ...]) -> dict[str, Any]:
    number, at, label, kind, of, whole, changes, context = row
    person = context.get("person") or {}
    who = (context["kind"], context["id"], context["name"], person.get("id"), person.get("name"))
    told = (action_of(label, changes), kind, of, whole, changes, context.get("request_id"), context.get("reason"))
    return dict(zip(COLUMNS, (number, stamp(at), *who, *told), strict=True))
