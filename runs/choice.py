"""Runs that somebody picked, by their keys, and those that may be picked beside them."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q

from accounts.callers import Caller
from runs.models import Run
from runs.search import RunSearch, filter_runs

MAX_OFFERED = 8


def list_chosen_runs(keys: Sequence[tuple[str, str]], *, by: Caller) -> list[Run]:
    """Of instrument and run id, in the order of the keys; without those that are deleted, unseen or none."""
    chosen = [Q(instrument_id=instrument, run_id=name) for instrument, name in sorted(set(keys))]
    if not chosen:
        return []
    found = Run.objects.visible_to(by).active().filter(Q(*chosen, _connector=Q.OR)).with_details()
    known = {(run.instrument_id, run.run_id): run for run in found}
    return [known[key] for key in dict.fromkeys(keys) if key in known]


def list_offered_runs(
    text: str, *, beside: Sequence[Run], by: Caller, at: datetime, instrument_ids: tuple[str, ...] = ()
) -> list[Run]:
    """The newest whose names hold the text, of the instruments where some are named; none of those already chosen."""
    found = filter_runs(RunSearch(instrument_ids=instrument_ids, text=text), by=by, at=at)
    shown = found.exclude(pk__in=[run.pk for run in beside]).order_by("-happened_at", "-id")
    return list(shown.select_related("instrument")[:MAX_OFFERED])
