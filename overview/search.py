"""The global search: runs, files, instruments and comments by a part of their name or text, the newest first.

What people look for is mostly new, so the newest rows of each kind are looked through first; when they do not fill the
answer, the trigram indexes bring in the rest. Two characters are too few for those: then only the newest are searched.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from django.db.models import Model, Q, QuerySet
from django.db.models.lookups import IContains

from accounts.callers import Caller
from files.models import File
from instruments.models import Instrument
from runs.models import Comment, Run, is_in_run_id
from wire.columns import Searchable

NEWEST = 20_000
GATHERED = 2_000
SHORTEST_INDEXED = 3
OF_EACH, OF_ONE = 5, 25
Row = TypeVar("Row", bound=Model)


class Group(StrEnum):
    RUNS = "runs"
    FILES = "files"
    INSTRUMENTS = "instruments"
    COMMENTS = "comments"


@dataclass(frozen=True)
class Found:
    """At most five rows of each group, or twenty-five of the one that was asked for."""

    runs: Sequence[Run] = field(default=())
    files: Sequence[File] = field(default=())
    instruments: Sequence[Instrument] = field(default=())
    comments: Sequence[Comment] = field(default=())


def search_everything(text: str, *, group: Group | None, by: Caller) -> Found:
    """What the caller may see and whose name or text has this part. Deleted runs and what is in them stay out."""
    wanted = unicodedata.normalize("NFC", text)
    most = OF_ONE if group else OF_EACH
    finders = {
        Group.RUNS: find_runs,
        Group.FILES: find_files,
        Group.INSTRUMENTS: find_instruments,
        Group.COMMENTS: find_comments,
    }
    chosen = [group] if group else list(Group)
    found: dict[str, Any] = {str(one): finders[one](wanted, most=most, by=by) for one in chosen}
    return Found(**found)


def find_runs(text: str, *, most: int, by: Caller) -> list[Run]:
    rows = Run.objects.visible_to(by).active()
    return _newest(rows, is_in_run_id(text), text=text, most=most)


def find_files(text: str, *, most: int, by: Caller) -> list[File]:
    rows = File.objects.visible_to(by).active().filter(run__deleted_at__isnull=True).select_related("run")
    return _newest(rows, IContains(Searchable("filename"), text), text=text, most=most)


def find_comments(text: str, *, most: int, by: Caller) -> list[Comment]:
    rows = Comment.objects.visible_to(by).active().filter(run__deleted_at__isnull=True)
    described = rows.select_related("run", "user", "token")
    return _newest(described, IContains(Searchable("body"), text), text=text, most=most)


def find_instruments(text: str, *, most: int, by: Caller) -> list[Instrument]:
    """There are few enough to look at all of them."""
    named = Q(pk__icontains=text) | Q(display_name__icontains=text)
    return list(Instrument.objects.visible_to(by).filter(named).order_by("pk")[:most])


def _newest(rows: QuerySet[Row], matches: Any, *, text: str, most: int) -> list[Row]:
    """Ids grow with time in every table that is searched."""
    ids = rows.model._default_manager.order_by("-pk").values_list("pk", flat=True)
    boundary = ids[NEWEST : NEWEST + 1].first()
    recent = rows if boundary is None else rows.filter(pk__gt=boundary)
    found = list(recent.filter(matches).order_by("-pk")[:most])
    if len(found) == most or boundary is None or len(text) < SHORTEST_INDEXED:
        return found
    gathered = list(rows.filter(matches).values_list("pk", flat=True)[:GATHERED])
    return list(rows.filter(pk__in=gathered).order_by("-pk")[:most])
