"""Reading the log behind a position, and forgetting its beginning."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce

from django.db import transaction
from django.db.models import Max
from django.db.models.expressions import RawSQL

from accounts.callers import Caller
from changes.models import Change, ChangeQuerySet, ChangeType, LogState
from wire.errors import Gone

KEPT = timedelta(days=30)
MAX_CHANGES = 1_000
DEFAULT_CHANGES = 100
FORGOTTEN_AT_ONCE = 10_000
WALK_INSTRUMENTS_SQL = """
    SELECT walk.position FROM unnest(%s::text[]) AS named (id)
     CROSS JOIN LATERAL (SELECT position FROM changes_change
                          WHERE instrument_id = named.id AND position > %s AND position <= %s AND type = ANY (%s)
                          ORDER BY position LIMIT %s) AS walk
"""


class PositionGone(Gone):
    """410. `details.oldest` is the earliest position that can be asked for."""


@dataclass(frozen=True)
class ChangeFilter:
    """Of what is asked for: nothing named is everything that the caller may see."""

    types: tuple[str, ...] = ()
    instrument_id: str | None = None


@dataclass(frozen=True)
class Changes:
    """What happened, the earliest first, and the position behind which the next call goes on."""

    rows: Sequence[Change]
    next: int


def read_changes(*, after: int | None, wanted: ChangeFilter, by: Caller, limit: int = DEFAULT_CHANGES) -> Changes:
    """What is behind a position; None begins with the earliest that is kept. Raises PositionGone.

    The end is read first: what commits meanwhile has a higher position and comes with the next call.
    """
    oldest, end = read_oldest(), read_end()
    start = oldest if after is None else after
    if start < oldest or start > max(end, oldest):
        raise PositionGone("The log does not reach from this position.", oldest=oldest)
    rows = list(find_changes(after=start, upto=end, wanted=wanted, by=by, limit=limit)) if start < end else []
    return Changes(rows, rows[-1].position if len(rows) == limit else max(end, start))


def find_changes(*, after: int, upto: int, wanted: ChangeFilter, by: Caller, limit: int) -> ChangeQuerySet:
    """One short walk of an index for each instrument or type: rare ones are found without reading all the others."""
    rows = Change.objects.visible_to(by).filter(position__gt=after, position__lte=upto)
    named = [wanted.instrument_id] if wanted.instrument_id else by.instrument_ids
    if named is not None:
        bounds = [list(named), after, upto, list(wanted.types or ChangeType.values), limit]
        walks = RawSQL(WALK_INSTRUMENTS_SQL, bounds)  # noqa: S611 (a constant; all values are parameters)
        return rows.filter(position__in=walks).order_by("position")[:limit]
    return _merge_types(rows, wanted.types, limit=limit) if wanted.types else rows.order_by("position")[:limit]


def list_new_changes(*, after: int) -> ChangeQuerySet:
    """All of them, whoever may see them."""
    return Change.objects.filter(position__gt=after).order_by("position")[:MAX_CHANGES]


def read_end() -> int:
    """The last position there is."""
    last = Change.objects.aggregate(last=Max("position"))["last"]
    return last if last is not None else read_oldest()


def find_position_before(moment: datetime) -> int:
    """Behind which everything from a moment on comes. Found by halving, as times grow with positions."""
    low, high = read_oldest(), read_end()
    while low < high:
        middle = (low + high) // 2
        row = Change.objects.filter(position__gt=middle, position__lte=high).order_by("position").first()
        if row is None or row.at >= moment:
            high = middle
        else:
            low = row.position
    return low


def read_oldest() -> int:
    """The earliest position that can be asked for: all behind it is kept."""
    state = LogState.objects.values_list("forgotten_to", flat=True).first()
    return state or 0


def forget_changes(*, at: datetime) -> int:
    """Drop what is older than is kept, some thousand rows a transaction; how many it were."""
    dropped = 0
    while count := _forget_some(before=at - KEPT):
        dropped += count
    return dropped


@transaction.atomic
def _forget_some(*, before: datetime) -> int:
    """Positions that reached the webhooks only, and in order, so that what is kept has no holes."""
    state = lock_state()
    rows = list(
        Change.objects.filter(position__lte=state.sent_to)
        .order_by("position")
        .values_list("position", "at")[:FORGOTTEN_AT_ONCE]
    )
    old = [position for position, happened in rows if happened < before]
    if not old:
        return 0
    LogState.objects.filter(pk=state.pk).update(forgotten_to=old[-1])
    return Change.objects.filter(position__lte=old[-1]).delete()[0]


def lock_state() -> LogState:
    """The one row, locked until the end of the transaction."""
    LogState.objects.bulk_create([LogState()], ignore_conflicts=True)
    return LogState.objects.select_for_update(no_key=True).get()


def _merge_types(rows: ChangeQuerySet, types: Collection[str], *, limit: int) -> ChangeQuerySet:
    parts = [rows.filter(type=one).order_by("position")[:limit] for one in sorted(set(types))]
    if len(parts) == 1:
        return parts[0]
    return reduce(lambda one, other: one.union(other, all=True), parts).order_by("position")[:limit]
