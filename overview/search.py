"""The global search: runs, files, instruments, comments and people by a part of their name or text, the newest first.

What people look for is mostly new, so the newest rows of each kind are looked through first; when they do not fill the
answer, the trigram indexes bring in the rest. Two characters are too few for those: then only the newest are searched.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar

from django.db.models import Model, Q, QuerySet
from django.db.models.lookups import IContains

from accounts.callers import Caller
from accounts.models import User
from accounts.people import list_people
from files.models import File
from instruments.models import Instrument
from runs.models import Comment, Run
from runs.name_matches import run_id_contains
from runs.search import RunSearch, Sort, search_runs
from runs.words import MAX_WORDS
from wire.columns import Searchable
from wire.lists.pagination import Window

NEWEST_ROWS_SEARCHED = 20_000
MAX_ROWS_GATHERED = 2_000
MIN_INDEXED_CHARACTERS = 3
MAX_HITS_PER_GROUP, MAX_HITS_OF_ONE_GROUP = 5, 25
Row = TypeVar("Row", bound=Model)


class Group(StrEnum):
    RUNS = "runs"
    FILES = "files"
    INSTRUMENTS = "instruments"
    COMMENTS = "comments"
    PEOPLE = "people"


@dataclass(frozen=True)
class SearchResults:
    """At most five rows of each group, or twenty-five of the one that was asked for."""

    runs: Sequence[Run] = field(default=())
    files: Sequence[File] = field(default=())
    instruments: Sequence[Instrument] = field(default=())
    comments: Sequence[Comment] = field(default=())
    people: Sequence[User] = field(default=())


def search_everything(text: str, *, group: Group | None, by: Caller, at: datetime) -> SearchResults:
    """What the caller may see and whose name or text has this part. Deleted runs and what is in them stay out.

    Runs are found by words, too: those in which each occurs somewhere, as in the list of runs, behind those by name.
    """
    wanted = unicodedata.normalize("NFC", text)
    most = MAX_HITS_OF_ONE_GROUP if group else MAX_HITS_PER_GROUP
    finders: dict[Group, Callable[..., Sequence[Any]]] = {
        Group.RUNS: partial(list_run_hits, at=at),
        Group.FILES: list_file_hits,
        Group.INSTRUMENTS: list_instrument_hits,
        Group.COMMENTS: list_comment_hits,
        Group.PEOPLE: list_person_hits,
    }
    chosen = [group] if group else list(Group)
    found: dict[str, Any] = {str(one): finders[one](wanted, most=most, by=by) for one in chosen}
    return SearchResults(**found)


def list_run_hits(text: str, *, most: int, by: Caller, at: datetime) -> list[Run]:
    rows = Run.objects.visible_to(by).active()
    named = _list_newest_matches(rows, run_id_contains(text), text=text, most=most)
    if len(named) == most:
        return named
    known = {run.pk for run in named}
    others = [run for run in _list_runs_by_words(text, most=most, by=by, at=at) if run.pk not in known]
    return [*named, *others][:most]


def _list_runs_by_words(text: str, *, most: int, by: Caller, at: datetime) -> Sequence[Run]:
    """None where a word is too short for the indexes, or there are more words than a list of runs takes."""
    words = tuple(dict.fromkeys(text.split()))
    if len(words) > MAX_WORDS or any(len(word) < MIN_INDEXED_CHARACTERS for word in words):
        return []
    window = Window(per_page=most, exact_total=False)
    return search_runs(RunSearch(words=words, sort=Sort.CREATED_AT), window=window, by=by, at=at).rows


def list_file_hits(text: str, *, most: int, by: Caller) -> list[File]:
    rows = File.objects.visible_to(by).active().filter(run__deleted_at__isnull=True).select_related("run")
    return _list_newest_matches(rows, IContains(Searchable("filename"), text), text=text, most=most)


def list_comment_hits(text: str, *, most: int, by: Caller) -> list[Comment]:
    rows = Comment.objects.visible_to(by).active().filter(run__deleted_at__isnull=True)
    described = rows.select_related("run", "user", "token")
    return _list_newest_matches(described, IContains(Searchable("body"), text), text=text, most=most)


def list_instrument_hits(text: str, *, most: int, by: Caller) -> list[Instrument]:
    """There are few enough to look at all of them."""
    named = Q(pk__icontains=text) | Q(display_name__icontains=text)
    return list(Instrument.objects.visible_to(by).filter(named).order_by("pk")[:most])


def list_person_hits(text: str, *, most: int, by: Caller) -> list[User]:
    """There are few enough of them, too; everybody may see who is there."""
    return list(list_people(text)[:most])


def _list_newest_matches(rows: QuerySet[Row], matches: Any, *, text: str, most: int) -> list[Row]:
    """Ids grow with time in every table that is searched."""
    ids = rows.model._default_manager.order_by("-pk").values_list("pk", flat=True)
    boundary = ids[NEWEST_ROWS_SEARCHED : NEWEST_ROWS_SEARCHED + 1].first()
    recent = rows if boundary is None else rows.filter(pk__gt=boundary)
    found = list(recent.filter(matches).order_by("-pk")[:most])
    if len(found) == most or boundary is None or len(text) < MIN_INDEXED_CHARACTERS:
        return found
    gathered = list(rows.filter(matches).values_list("pk", flat=True)[:MAX_ROWS_GATHERED])
    return list(rows.filter(pk__in=gathered).order_by("-pk")[:most])
