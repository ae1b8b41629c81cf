"""Putting holds on runs and projects, and lifting them."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.callers import Caller
from accounts.models import User
from runs.holds.models import Hold
from runs.lifecycle import lock_run
from runs.projects.catalogue import lock_project
from wire.errors import Unauthorized


@transaction.atomic
def hold_run(*, instrument: str, run_id: str, reason: str, by: Caller, at: datetime) -> Hold:
    """Keep a run, deleted or not. Again is a new reason, of whoever gives it. Raises RunMissing."""
    run = lock_run(instrument=instrument, run_id=run_id, by=by)
    return _place(by, reason, at, run=run)


@transaction.atomic
def release_run(*, instrument: str, run_id: str, by: Caller) -> None:
    """Lift the run's own hold; that of its project stays. Repeating it is safe. Raises RunMissing."""
    Hold.objects.filter(run=lock_run(instrument=instrument, run_id=run_id, by=by)).delete()


@transaction.atomic
def hold_project(project_id: UUID, *, reason: str, by: Caller, at: datetime) -> Hold:
    """Keep all runs of a project, and those that come into it. Raises ProjectMissing."""
    return _place(by, reason, at, project=lock_project(project_id, by=by))


@transaction.atomic
def release_project(project_id: UUID, *, by: Caller) -> None:
    """Lift the hold of a project; those of its runs stay. Repeating it is safe. Raises ProjectMissing."""
    Hold.objects.filter(project=lock_project(project_id, by=by)).delete()


def _place(by: Caller, reason: str, at: datetime, **on: object) -> Hold:
    known = Hold.objects.filter(**on).select_related("placed_by").first()
    if known is None:
        return Hold.objects.create(**on, reason=reason, placed_by=_require_person(by), placed_at=at)
    if known.reason != reason:
        known.reason, known.placed_by, known.placed_at = reason, _require_person(by), at
        known.save(update_fields=["reason", "placed_by", "placed_at"])
    return known


def _require_person(by: Caller) -> User:
    if by.user is None:
        raise Unauthorized("Only people place holds.")
    return by.user
