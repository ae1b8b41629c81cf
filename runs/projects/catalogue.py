"""Projects: finding, adding and changing them. Which runs belong to one, the runs say (runs.lifecycle)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q

from accounts.callers import Caller
from accounts.foreign_rows import note_foreign_row
from runs.holds.models import Hold
from runs.models import Run
from runs.projects.models import Project, ProjectQuerySet
from wire.clock import format_timestamp
from wire.errors import Conflict, NotFound, ValidationError
from wire.versions import ANY_VERSION, ExpectedVersions

MAX_OFFERED_PROJECTS = 200  # to choose from


class ProjectMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such project.")


class ProjectExists(Conflict):
    """`details.existing_project_id` names it to those who see it; others learn that the name is not free."""

    def __init__(self, name: str, project: Project | None) -> None:
        if project is None:
            super().__init__(f"The name {name} is not available.", name=name)
        else:
            super().__init__(f"The project {project.name} exists already.", existing_project_id=str(project.pk))


class ProjectHasRuns(Conflict):
    def __init__(self, run_count: int) -> None:
        super().__init__("Runs belong to the project, deleted ones counted. Archive it instead.", run_count=run_count)


class ProjectIsArchived(Conflict):
    def __init__(self, project: Project) -> None:
        super().__init__("The project is archived.", archived_at=format_timestamp(project.archived_at))


def list_projects(*, is_archived: bool | None = None, by: Caller) -> ProjectQuerySet:
    """By name; all of them, or only archived ones, or only the others."""
    rows = Project.objects.visible_to(by).select_related("hold").order_by("name", "id")
    return rows if is_archived is None else rows.filter(archived_at__isnull=not is_archived)


def list_offered_projects(run: Run, *, by: Caller) -> list[Project]:
    """Those that a run can be put into, and the one it is in."""
    offered = Q(archived_at__isnull=True) | Q(pk=run.project_id)
    return list(Project.objects.visible_to(by).filter(offered).order_by("name", "id")[:MAX_OFFERED_PROJECTS])


def find_project(project_id: UUID, *, by: Caller) -> Project:
    """Raises ProjectMissing, also where all runs of it are hidden from the caller."""
    found = Project.objects.visible_to(by).filter(pk=project_id).first()
    if found is None:
        raise ProjectMissing
    return found


def find_open_project(project_id: UUID, *, by: Caller) -> Project:
    """One that takes runs, kept there until the transaction ends. Raises ValidationError, ProjectIsArchived."""
    found = Project.objects.visible_to(by).select_for_update(no_key=True).filter(pk=project_id).first()
    if found is None:
        raise ValidationError(fields={"project_id": ["There is no such project."]})
    if found.archived_at is not None:
        raise ProjectIsArchived(found)
    return found


def lock_project(project_id: UUID, *, by: Caller) -> Project:
    """The row, kept as it is until the transaction ends. Raises ProjectMissing."""
    found = Project.objects.visible_to(by).select_for_update(no_key=True).filter(pk=project_id).first()
    if found is None:
        raise ProjectMissing
    return found


def create_project(
    *,
    name: str,
    description: str = "",
    link: str | None = None,
    eln_template: str | None = None,
    by: Caller,
    at: datetime,
) -> Project:
    """Raises ProjectExists, by the constraint: two may ask for one name at once."""
    values = {"name": name, "description": description, "link": link, "eln_template": eln_template}
    try:
        with transaction.atomic():
            return Project.objects.create(**values, created_at=at)
    except IntegrityError:
        raise _same_name(name, by=by) from None


def change_project(
    project_id: UUID, *, values: Mapping[str, Any], expected: ExpectedVersions = ANY_VERSION, by: Caller
) -> Project:
    """Set what is named of its fields. Raises ProjectMissing, ProjectExists, PreconditionFailed."""
    try:
        with transaction.atomic():
            return _write_project(project_id, values, expected=expected, by=by)
    except IntegrityError:
        raise _same_name(values.get("name", ""), by=by) from None


@transaction.atomic
def delete_project(project_id: UUID, *, expected: ExpectedVersions = ANY_VERSION, by: Caller) -> None:
    """Take an empty project away, with its hold.

    Raises ProjectMissing, PreconditionFailed, ProjectHasRuns; those it counts are seen.
    """
    project = Project.objects.visible_to(by).select_for_update().filter(pk=project_id).first()
    if project is None:
        raise ProjectMissing
    expected.require(*project.changeable_values)
    if run_count := Run.objects.visible_to(by).filter(project=project).count():  # who sees none, sees no project
        raise ProjectHasRuns(run_count)
    Hold.objects.filter(project=project).delete()
    project.delete()


def _write_project(project_id: UUID, values: Mapping[str, Any], *, expected: ExpectedVersions, by: Caller) -> Project:
    project = lock_project(project_id, by=by)
    expected.require(*project.changeable_values)
    differing = [name for name, value in values.items() if getattr(project, name) != value]
    for name in differing:
        setattr(project, name, values[name])
    if differing:
        project.save(update_fields=differing)
    return project


def _same_name(name: str, *, by: Caller) -> ProjectExists:
    """A bound token that hits upon the name of a hidden one is told of, as one that asks for it."""
    known = Project.objects.filter(name__iexact=name)
    seen = known.visible_to(by).first()
    if seen is None:
        note_foreign_row(known, by=by)
    return ProjectExists(name, seen)
