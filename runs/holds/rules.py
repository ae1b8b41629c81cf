"""What a hold forbids. Placing and lifting them: runs.holds.placing."""

from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet

from runs.holds.models import Hold
from runs.models import Run
from runs.projects.models import Project
from wire.clock import format_timestamp
from wire.errors import Conflict
from wire.queries.compiled import CompiledQuery


def _select_holds(run: Any, project: Any) -> QuerySet[Hold]:
    on_it = Q(run__id=run) if project is None else Q(run__id=run) | Q(project__id=project)
    return Hold.objects.filter(on_it).select_related("placed_by").order_by(F("run").asc(nulls_last=True))[:1]


HOLD_ON_RUN = CompiledQuery(_select_holds)


class RunIsHeld(Conflict):
    def __init__(self, hold: Hold) -> None:
        whole = "Its project is on hold" if hold.project_id else "The run is on hold"
        super().__init__(f"{whole}: {hold.reason}", hold=describe_hold(hold))


def describe_hold(hold: Hold) -> dict[str, object]:
    """As answers have it."""
    return {
        "on": "project" if hold.project_id else "run",
        "reason": hold.reason,
        "placed_by": {"id": str(hold.placed_by_id), "display_name": hold.placed_by.name},
        "placed_at": format_timestamp(hold.placed_at),
    }


def find_hold(run: Run) -> Hold | None:
    """Its own, else that of its project."""
    return HOLD_ON_RUN.first(run.pk, run.project_id)


def find_hold_of_run(run: Run) -> Hold | None:
    """Its own alone."""
    return Hold.objects.filter(run=run).select_related("placed_by").first()


def find_hold_of_project(project: Project | UUID) -> Hold | None:
    return Hold.objects.filter(project=project).select_related("placed_by").first()


def refuse_held(run: Run) -> None:
    """Before a run is deleted or purged; its row must be locked.

    The row of its project is locked too, to the end of the transaction: a hold that is placed meanwhile waits, and is
    then on a run that was deleted before. Raises RunIsHeld.
    """
    _keep_project(run)
    if hold := find_hold(run):
        raise RunIsHeld(hold)


def refuse_leaving_held_project(run: Run) -> None:
    """Before a run goes into another project, or into none. Raises RunIsHeld."""
    _keep_project(run)
    if run.project_id and (hold := find_hold_of_project(run.project_id)):
        raise RunIsHeld(hold)


def _keep_project(run: Run) -> None:
    if run.project_id:
        Project.objects.select_for_update(no_key=True).get(pk=run.project_id)
