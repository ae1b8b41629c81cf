"""From a run's first report to its deletion and back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Subquery
from django.db.models.functions import Coalesce

from accounts.callers import Caller
from accounts.foreign_rows import note_foreign_row
from instruments.catalogue import UNCHANGED, Unchanged, find_instrument
from instruments.models import Instrument
from instruments.retention_rules import RetentionRule
from runs.eln.models import ElnTemplate
from runs.holds.rules import refuse_held, refuse_leaving_held_project
from runs.models import Run, RunQuerySet, RunSource
from runs.projects.catalogue import find_open_project
from runs.signals import run_created
from runs.signatures.rules import refuse_signed
from watchers.models import Watcher
from watchers.ownership import find_reporting_watcher
from wire.clock import format_timestamp
from wire.errors import Conflict, Gone, NotFound
from wire.merge_patch import change_metadata
from wire.queries.compiled import CompiledQuery
from wire.queries.row_sets import insert_row
from wire.versions import ANY_VERSION, ExpectedVersions


def with_eln_template(runs: RunQuerySet) -> RunQuerySet:
    """With `eln_template`: of the run's project, else that of all."""
    common = Subquery(ElnTemplate.objects.values("template")[:1])
    return runs.annotate(eln_template=Coalesce("project__eln_template", common))


BARE_RUN = CompiledQuery(
    lambda bound, instrument, run_id: Run.objects.within(bound).filter(instrument_id=instrument, run_id=run_id)
)
DESCRIBED_RUN = CompiledQuery(
    lambda bound, instrument, run_id: (
        with_eln_template(Run.objects.with_details("caller_metadata"))
        .within(bound)
        .filter(instrument_id=instrument, run_id=run_id)
    )
)
LOCKED_RUN = CompiledQuery(
    lambda bound, instrument, run_id: (
        Run.objects.within(bound).filter(instrument_id=instrument, run_id=run_id).select_for_update(no_key=True)
    )
)


class RunMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such run.")


class RunIsDeleted(Conflict):
    def __init__(self, run: Run) -> None:
        super().__init__("The run is deleted. Restore it first.", deleted_at=format_timestamp(run.deleted_at))


class RunIsPurged(Gone):
    """410. A deleted run of which the bytes are gone."""

    def __init__(self, run: Run) -> None:
        super().__init__(
            "The deleted run was purged by its instrument's rule of retention: it cannot be restored.",
            rule=RetentionRule.PURGE_DELETED,
            purged_at=format_timestamp(run.purged_at),
        )


@dataclass(frozen=True)
class RunReport:
    """What a caller says of a run when it reports it."""

    run_id: str
    source: RunSource | None = None
    watcher_id: UUID | None = None
    acquired_at: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RunChange:
    """What a caller may change of a run; None leaves it as it is, but `project_id`: UNCHANGED does."""

    watcher_id: UUID | None = None
    acquired_at: datetime | None = None
    metadata: Mapping[str, Any] | None = None
    metadata_patch: Mapping[str, Any] | None = None
    project_id: UUID | Unchanged | None = UNCHANGED


@dataclass(frozen=True)
class ReportedRun:
    """A run that was asked for by its name, and whether this made it."""

    run: Run
    created: bool


@dataclass(frozen=True)
class Deleted:
    run: Run
    already_applied: bool


@dataclass(frozen=True)
class Restored:
    run: Run
    already_applied: bool


def filter_by_run_id(*, instrument: str, run_id: str, by: Caller) -> RunQuerySet:
    return Run.objects.visible_to(by).filter(instrument_id=instrument, run_id=run_id)


def find_run(*, instrument: str, run_id: str, by: Caller) -> Run:
    """The bare row, deleted or not, or RunMissing."""
    return _find_or_raise(BARE_RUN, instrument=instrument, run_id=run_id, by=by)


def describe_run(*, instrument: str, run_id: str, by: Caller) -> Run:
    """The run with all that is shown of it, deleted or not, or RunMissing."""
    return _find_or_raise(DESCRIBED_RUN, instrument=instrument, run_id=run_id, by=by)


def find_active_run(*, instrument: str, run_id: str, by: Caller) -> Run:
    """The bare row, or RunMissing, or RunIsDeleted."""
    return _refuse_deleted(find_run(instrument=instrument, run_id=run_id, by=by))


def lock_run(*, instrument: str, run_id: str, by: Caller) -> Run:
    """The bare row, locked to the end of the transaction, or RunMissing."""
    return _find_or_raise(LOCKED_RUN, instrument=instrument, run_id=run_id, by=by)


def lock_active_run(*, instrument: str, run_id: str, by: Caller) -> Run:
    """The locked row for a write beneath it: RunMissing, or RunIsDeleted where it may only be read."""
    return _refuse_deleted(lock_run(instrument=instrument, run_id=run_id, by=by))


@transaction.atomic(savepoint=False)
def find_or_create_run(*, instrument: str, report: RunReport, by: Caller, at: datetime) -> ReportedRun:
    """The run of this name: made, or found as it is, save that `acquired_at` may move earlier. Retrying is safe."""
    home = find_instrument(instrument, by=by)
    watcher = find_reporting_watcher(report.watcher_id, instrument_id=home.pk, by=by)
    opened = _find_or_create(home, report=report, watcher=watcher, by=by, at=at)
    if opened.created:
        run_created.send(sender=Run, run=opened.run, by=by, at=at)
    else:
        move_acquired_at_earlier(opened.run, acquired_at=report.acquired_at)
    return opened


@transaction.atomic
def change_run(
    *, instrument: str, run_id: str, change: RunChange, expected: ExpectedVersions = ANY_VERSION, by: Caller
) -> Run:
    """Replace or patch the callers' metadata, choose a project, move `acquired_at` earlier. Answers the locked row.

    Raises RunIsSigned, RunIsHeld.
    """
    run = lock_run(instrument=instrument, run_id=run_id, by=by)
    find_reporting_watcher(change.watcher_id, instrument_id=run.instrument_id, by=by)
    if run.deleted_at is not None:
        raise RunIsDeleted(run)
    expected.require(*run.changeable_values)
    metadata = change_metadata(run.caller_metadata, replaced=change.metadata, patch=change.metadata_patch)
    if metadata != run.caller_metadata:
        refuse_signed(run)
        run.caller_metadata = metadata
        run.save(update_fields=["caller_metadata"])
    if change.project_id is not UNCHANGED and change.project_id != run.project_id:
        refuse_leaving_held_project(run)
        run.project = find_open_project(change.project_id, by=by) if change.project_id else None
        run.save(update_fields=["project"])
    move_acquired_at_earlier(run, acquired_at=change.acquired_at)
    return run


def move_acquired_at_earlier(run: Run, *, acquired_at: datetime | None) -> None:
    """A later time changes nothing: what was acquired first is the beginning. The row is locked. Raises RunIsSigned."""
    if acquired_at is None or (run.acquired_at is not None and run.acquired_at <= acquired_at):
        return
    refuse_signed(run)
    run.acquired_at = acquired_at
    run.save(update_fields=["acquired_at"])


@transaction.atomic
def delete_run(
    *, instrument: str, run_id: str, expected: ExpectedVersions = ANY_VERSION, by: Caller, at: datetime
) -> Deleted:
    """Hide a run under the caller's name. Repeating it succeeds and says so. Raises RunIsHeld, RunIsSigned."""
    run = lock_run(instrument=instrument, run_id=run_id, by=by)
    already_applied = run.deleted_at is not None
    if not already_applied:
        expected.require(*run.changeable_values)
        refuse_held(run)
        refuse_signed(run)
        run.deleted_at, run.deleted_by, run.deleted_by_token = at, by.user, by.token
        run.save(update_fields=["deleted_at", "deleted_by", "deleted_by_token"])
    return Deleted(run, already_applied)


@transaction.atomic
def restore_run(*, instrument: str, run_id: str, by: Caller) -> Restored:
    """Bring a deleted run back. Restoring an active run succeeds and says so. Raises RunIsPurged."""
    run = lock_run(instrument=instrument, run_id=run_id, by=by)
    if run.deleted_at is not None and (run.purged_at is not None or _is_being_purged(run)):
        raise RunIsPurged(run)
    already_applied = run.deleted_at is None
    if not already_applied:
        run.deleted_at = run.deleted_by = run.deleted_by_token = None
        run.save(update_fields=["deleted_at", "deleted_by", "deleted_by_token"])
    return Restored(run, already_applied)


def _is_being_purged(run: Run) -> bool:
    """Whether files of it went already; the table is of a layer above."""
    return Run.objects.filter(pk=run.pk, files__purged_by_rule=RetentionRule.PURGE_DELETED).exists()


def _refuse_deleted(run: Run) -> Run:
    if run.deleted_at is not None:
        raise RunIsDeleted(run)
    return run


def _find_or_raise(query: CompiledQuery[Run], *, instrument: str, run_id: str, by: Caller) -> Run:
    found = query.first(by.instrument_ids, instrument, run_id)
    if found is None:
        note_foreign_row(Run.objects.filter(instrument_id=instrument, run_id=run_id), by=by)
        raise RunMissing
    return found


def _find_or_create(
    home: Instrument, *, report: RunReport, watcher: Watcher | None, by: Caller, at: datetime
) -> ReportedRun:
    """Thirty may report one run at once; the constraint picks who makes it, the others wait for it and find it."""
    new = _build_run(home, report=report, watcher=watcher, at=at)
    if insert_row(new, unless=("instrument", "run_id")):
        return ReportedRun(new, created=True)
    found = LOCKED_RUN.first(None, home.pk, report.run_id)
    if found is None:
        raise RunMissing
    return ReportedRun(_refuse_deleted(found), created=False)


def _build_run(home: Instrument, *, report: RunReport, watcher: Watcher | None, at: datetime) -> Run:
    return Run(
        instrument=home,
        run_id=report.run_id,
        source=report.source or (RunSource.WATCHER if watcher else RunSource.SCRIPT),
        watcher=watcher,
        caller_metadata=dict(report.metadata),
        acquired_at=report.acquired_at,
        created_at=at,
        updated_at=at,
    )
