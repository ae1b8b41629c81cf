"""Reporting a run together with the files that were seen beside the instrument."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from accounts.callers import Caller
from files.records import NewFile, add_detected_files
from runs.lifecycle import ReportedRun, RunChange, RunReport, change_run, find_or_create_run
from runs.models import Run
from wire.versions import ANY_VERSION, ExpectedVersions


@transaction.atomic
def report_run(
    *, instrument: str, report: RunReport, detected: Sequence[NewFile] = (), by: Caller, at: datetime
) -> ReportedRun:
    """Open a run and record its detected files, both or neither. Read the run again for its counts."""
    opened = find_or_create_run(instrument=instrument, report=report, by=by, at=at)
    add_detected_files(opened.run, detected, at=at)
    return opened


@transaction.atomic
def update_run(
    *,
    instrument: str,
    run_id: str,
    change: RunChange,
    detected: Sequence[NewFile] = (),
    expected: ExpectedVersions = ANY_VERSION,
    by: Caller,
    at: datetime,
) -> Run:
    """Change a run and record its detected files, both or neither. Read the run again for its counts."""
    run = change_run(instrument=instrument, run_id=run_id, change=change, expected=expected, by=by)
    add_detected_files(run, detected, at=at)
    return run
