"""The runs before and after one, on the same instrument."""

from dataclasses import dataclass

from django.db.models import Q

from accounts.callers import Caller
from runs.models import Run


@dataclass(frozen=True)
class Neighbours:
    earlier: Run | None
    later: Run | None


def find_neighbours(run: Run, *, by: Caller) -> Neighbours:
    """The nearest active runs in time, then in id: one step down and one up the index of the instrument."""
    others = Run.objects.visible_to(by).active().filter(instrument_id=run.instrument_id)
    rows = others.only("id", "instrument_id", "run_id")
    when, pk = run.happened_at, run.pk
    earlier = rows.filter(Q(happened_at__lte=when) & (Q(happened_at__lt=when) | Q(pk__lt=pk)))
    later = rows.filter(Q(happened_at__gte=when) & (Q(happened_at__gt=when) | Q(pk__gt=pk)))
    return Neighbours(earlier.order_by("-happened_at", "-pk").first(), later.order_by("happened_at", "pk").first())
