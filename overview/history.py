"""What happened to a run or an instrument, from the trail: who changed what, from what to what, the latest first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Model, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast

from accounts.callers import Caller
from accounts.models import User
from accounts.scopes import Scope
from accounts.trail.rows import find_trail_model
from files.models import File
from instruments.catalogue import find_instrument
from instruments.models import Instrument
from runs.lifecycle import find_run
from runs.models import Claim, Comment, Run, ShareLink, Signature
from watchers.models import Watcher
from wire.lists.cursors import read_cursor, write_cursor
from wire.lists.pagination import Page, Window

Names = Mapping[tuple[str, str], str]  # of a kind and an id
TrailRow = tuple[int, datetime, str, str, str, dict[str, list[Any]], dict[str, Any]]
Kinds = Mapping[type[Model], str]  # each with the column by which its changes are found
CURSOR_NAME = "-pgh_id"
EVERYTHING = Q()
RUN_KINDS: Kinds = {Run: "pgh_obj", File: "run", Comment: "run", Claim: "run", Signature: "run", ShareLink: "run"}
INSTRUMENT_KINDS: Kinds = {Instrument: "pgh_obj", Watcher: "instrument"}
ACTIONS = {"insert": "created", "update": "changed", "delete": "deleted"}
MARKER_ACTIONS = {"deleted_at": ("deleted", "restored"), "revoked_at": ("revoked", "restored")}


@dataclass(frozen=True)
class ChangedObject:
    """What was changed; `name` is what it is called now, where it has a name."""

    kind: str
    id: str
    name: str | None


@dataclass(frozen=True)
class Actor:
    """Who did it: a person, token, client or the service. A client acts for a person, who is `on_behalf_of`."""

    kind: str
    id: str | None
    name: str
    on_behalf_of: "Actor | None" = None


@dataclass(frozen=True)
class Change:
    """One line of a history; `changes` is {field: [before, after]}."""

    id: int
    at: datetime
    actor: Actor
    action: str
    object: ChangedObject
    changes: Mapping[str, Sequence[Any]]
    request_id: str | None
    reason: str | None


def read_run_history(
    *, instrument: str, run_id: str, window: Window, since: datetime | None = None, by: Caller
) -> Page[Change]:
    """Of a run, deleted or not, its files, claims, comments and signatures, from a moment on. Raises RunMissing."""
    run = find_run(instrument=instrument, run_id=run_id, by=by)
    page = _read_page(RUN_KINDS, run.pk, window, since=since)
    return _build_changes(page, known={("run", str(run.pk)): run.run_id})


def read_instrument_history(
    instrument_id: str, *, window: Window, since: datetime | None = None, by: Caller
) -> Page[Change]:
    """Of an instrument, and of its watchers where the caller may read those. Raises InstrumentMissing."""
    instrument = find_instrument(instrument_id, by=by)
    kinds = [kind for kind in INSTRUMENT_KINDS if kind is Instrument or by.holds(Scope.WATCHERS_READ)]
    page = _read_page({kind: INSTRUMENT_KINDS[kind] for kind in kinds}, instrument.pk, window, since=since)
    return _build_changes(page, known={("instrument", instrument.pk): instrument.display_name})


def read_latest_changes(run: Run, *, limit: int) -> Sequence[Change]:
    """The latest of a run itself and its parts, but its files: they change too often to be told one by one."""
    kinds = {kind: found_by for kind, found_by in RUN_KINDS.items() if kind is not File}
    rows = list_newest_rows(kinds, run.pk, start=0, stop=limit)
    return _build_changes(Page(rows, Window(), limit), known={("run", str(run.pk)): run.run_id}).rows


def _read_page(kinds: Kinds, whole: UUID | str, window: Window, *, since: datetime | None) -> Page[TrailRow]:
    wanted = EVERYTHING if since is None else Q(pgh_created_at__gte=since)
    counted = (_list_rows_of_kind(kind, **{found_by: whole}) for kind, found_by in kinds.items())
    total = sum(rows.filter(wanted).count() for rows in counted)
    if window.cursor is not None:
        return _read_page_behind(window.cursor, kinds, whole, window, wanted=wanted, total=total)
    start, stop = window.start, window.stop
    rows = list_newest_rows(kinds, whole, start=start, stop=stop, wanted=wanted) if start < total else []
    return Page(rows, window, total, start=start)


def _read_page_behind(
    cursor: str, kinds: Kinds, whole: UUID | str, window: Window, *, wanted: Q, total: int
) -> Page[TrailRow]:
    older = Q(pgh_id__lt=int(read_cursor(cursor, name=CURSOR_NAME)[0])) if cursor else EVERYTHING
    rows = list_newest_rows(kinds, whole, start=0, stop=window.stop, wanted=wanted & older)
    shown = rows[: window.per_page]
    following = _cursor_behind(shown[-1][0]) if len(rows) > len(shown) else None
    return Page(shown, window, total, following)


def list_newest_rows(
    kinds: Kinds, whole: UUID | str, *, start: int, stop: int, wanted: Q = EVERYTHING
) -> list[TrailRow]:
    """Of all these tables as one. Each gives no more than its own newest, by the index that it has for this."""
    first, *others = (
        _list_rows_of_kind(kind, **{found_by: whole}).filter(wanted).order_by("-pgh_id")
        for kind, found_by in kinds.items()
    )
    if not others:
        return list(first[start:stop])
    together = first[:stop].union(*(other[:stop] for other in others), all=True)
    return list(together.order_by("-pgh_id")[start:stop])


def _list_rows_of_kind(kind: type[Model], **found_by: UUID | str) -> QuerySet[Any, TrailRow]:
    named = {"kind": Value(kind._meta.model_name, TextField()), "of": Cast(F("pgh_obj_id"), TextField())}
    rows = find_trail_model(kind).objects.filter(**found_by).annotate(**named)
    return rows.values_list("pgh_id", "pgh_created_at", "pgh_label", "kind", "of", "changes", "pgh_context")


def _build_changes(page: Page[TrailRow], *, known: Names) -> Page[Change]:
    names, withheld = {**known, **_find_names(page.rows)}, _find_deleted_comments(page.rows)
    changes = [_build_change(row, names, withheld) for row in page.rows]
    return Page(
        changes, page.window, page.total, page.next_cursor, page.start, cursor_of=lambda one: _cursor_behind(one.id)
    )


def _cursor_behind(entry: int) -> str:
    return write_cursor([entry], name=CURSOR_NAME)


def _build_change(row: TrailRow, names: Names, withheld: set[str]) -> Change:
    number, at, label, kind, of, changes, context = row
    told = {name: pair for name, pair in changes.items() if not (name == "body" and of in withheld)}
    thing = ChangedObject(kind, of, names.get((kind, of)))
    actor = actor_of(context)
    return Change(
        number, at, actor, action_of(label, changes), thing, told, context.get("request_id"), context.get("reason")
    )


def actor_of(context: Mapping[str, Any]) -> Actor:
    person = context.get("person")
    return Actor(context["kind"], context["id"], context["name"], actor_of(person) if person else None)


def action_of(label: str, changes: Mapping[str, Sequence[Any]]) -> str:
    """created, changed, deleted, restored or revoked: rows that are only marked as gone count as gone."""
    for name, (gone, back) in MARKER_ACTIONS.items():
        if label == "update" and name in changes:
            return gone if changes[name][1] is not None else back
    return ACTIONS[label]


def _find_names(rows: Iterable[TrailRow]) -> dict[tuple[str, str], str]:
    """What the parts in these rows are called, in a query for each kind that has names."""
    of: dict[str, set[str]] = {}
    for row in rows:
        of.setdefault(row[3], set()).add(row[4])
    sought = {
        "file": File.objects.values_list("pk", "relative_path"),
        "signature": Signature.objects.values_list("pk", "meaning"),
        "watcher": Watcher.objects.exclude(hostname=None).values_list("pk", "hostname"),
    }
    found = {
        (kind, str(pk)): str(name)
        for kind, names in sought.items()
        if kind in of
        for pk, name in names.filter(pk__in=of[kind])
    }
    return found | _find_claimant_names(rows)


def _find_claimant_names(rows: Iterable[TrailRow]) -> dict[tuple[str, str], str]:
    """A claim is called as its person is; of one that was taken back only its rows tell whose it was."""
    whose = {row[4]: next(filter(None, row[5]["user_id"])) for row in rows if row[3] == "claim"}
    people = User.objects.in_bulk(set(whose.values())) if whose else {}
    names = {str(pk): person.name for pk, person in people.items()}
    return {("claim", claim): names[user] for claim, user in whose.items() if user in names}


def _find_deleted_comments(rows: Iterable[TrailRow]) -> set[str]:
    """Comments whose author took them away: that they were there is told, what they said is not."""
    asked = {row[4] for row in rows if row[3] == "comment"}
    return asked - {str(pk) for pk in Comment.objects.active().filter(pk__in=asked).values_list("pk", flat=True)}
