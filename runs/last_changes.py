"""The run list by last change: that column has an index of ranges only, so that a file's move leaves the others alone.

Such an index leads no walk. It finds all of a stretch of time, and short stretches are asked for first.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import QuerySet

from runs.models import Run
from wire.lists.cursors import Keyset, read_cursor

STRETCHES = tuple(timedelta(days=days) for days in (1 / 24, 1, 8, 64))


def narrow_to_changes(
    found: QuerySet[Run], *, keyset: Keyset, cursor: str | None, at: datetime
) -> Iterator[QuerySet[Run]]:
    """Of these runs those that changed soon before, or after, where the page begins; each time more of them."""
    begin = _find_beginning(keyset, cursor, at=at)
    if begin is None:
        return
    for stretch in STRETCHES:
        reach = {"updated_at__gte": begin - stretch} if keyset.descending else {"updated_at__lte": begin + stretch}
        yield found.filter(**reach)


def _find_beginning(keyset: Keyset, cursor: str | None, *, at: datetime) -> datetime | None:
    """None where there are no runs. No run changed before the first of them was there."""
    if cursor:
        return datetime.fromisoformat(read_cursor(cursor, name=keyset.name)[0])
    if keyset.descending:
        return at
    return Run.objects.active().order_by("created_at", "id").values_list("created_at", flat=True).first()
