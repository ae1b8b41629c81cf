"""Runs that people make themselves, for files that no watcher saw."""

from datetime import datetime

from django.db import transaction

from accounts.callers import Caller
from runs.claims import claim_run
from runs.lifecycle import RunReport, find_or_create_run
from runs.models import Run
from wire.errors import Conflict


class RunExists(Conflict):
    """Nobody takes a run for theirs by happening on its name."""

    def __init__(self, run: Run) -> None:
        super().__init__("The instrument has a run of this name.", instrument_id=run.instrument_id, run_id=run.run_id)


@transaction.atomic
def create_run_by_hand(*, instrument: str, report: RunReport, by: Caller, at: datetime) -> Run:
    """A new run that the caller ran. Raises RunExists, RunIsDeleted, InstrumentMissing."""
    opened = find_or_create_run(instrument=instrument, report=report, by=by, at=at)
    if not opened.created:
        raise RunExists(opened.run)
    return claim_run(instrument=instrument, run_id=report.run_id, by=by, at=at)
