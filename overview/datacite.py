"""A project as DataCite metadata, schema 4.6: what a repository asks for beside a DOI.

https://datacite-metadata-schema.readthedocs.io/en/4.6/: `doi` is left to the repository that mints it.
"""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Count, Max, Min, Sum

from accounts.callers import Caller
from accounts.display_names import choose_display_name
from accounts.models import User
from files.models import File
from runs.models import Run, RunQuerySet
from runs.projects.catalogue import find_project
from runs.projects.models import Project

SCHEMA = "http://datacite.org/schema/kernel-4"
MAX_FORMATS = 100
UNKNOWN = ":unkn"  # DataCite's word for a value that nobody knows
PUBLISHER = "Instrument Data Service"


def describe_project(project_id: UUID, *, by: Caller, at: datetime) -> dict[str, Any]:
    """Of the runs that this caller may see and that are not deleted. Raises ProjectMissing."""
    project = find_project(project_id, by=by)
    runs = Run.objects.visible_to(by).active().filter(project=project)
    about = runs.aggregate(count=Count("pk"), first=Min("happened_at"), last=Max("happened_at"))
    files = File.objects.stored().active().filter(run__in=runs, category="raw")
    return {
        "schemaVersion": SCHEMA,
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Instrument data"},
        "titles": [{"title": project.name}],
        "creators": list_creators(runs),
        "publisher": {"name": PUBLISHER},
        "publicationYear": str(at.astimezone(UTC).year),
        "alternateIdentifiers": [{"alternateIdentifier": str(project.pk), "alternateIdentifierType": "UUID"}],
        "relatedIdentifiers": list_related(project),
        "dates": list_dates(about["first"], about["last"]),
        "formats": list_formats(files),
        "sizes": list_sizes(files, run_count=about["count"]),
        "descriptions": list_descriptions(project),
    }


def list_creators(runs: RunQuerySet) -> list[dict[str, Any]]:
    """Those who claimed a run, the one with most runs first."""
    people = User.objects.filter(claims__run__in=runs).annotate(run_count=Count("claims__run", distinct=True))
    found = people.order_by("-run_count", "display_name", "id").values("display_name", "email")
    names = [choose_display_name(display_name=one["display_name"], email=one["email"]) for one in found]
    return [{"name": name, "nameType": "Personal"} for name in names] or [{"name": UNKNOWN}]


def list_dates(first: datetime | None, last: datetime | None) -> list[dict[str, str]]:
    """From the first measurement to the last, as days in UTC."""
    if first is None or last is None:
        return []
    days = [moment.astimezone(UTC).date().isoformat() for moment in (first, last)]
    return [{"date": "/".join(dict.fromkeys(days)), "dateType": "Collected"}]


def list_formats(files: Any) -> list[str]:
    """The media types of the instruments' files, the most frequent first."""
    known = files.exclude(content_type__isnull=True).exclude(content_type="")
    counted = known.values("content_type").annotate(count=Count("pk")).order_by("-count", "content_type")
    return [row["content_type"] for row in counted[:MAX_FORMATS]]


def list_sizes(files: Any, *, run_count: int) -> list[str]:
    stored = files.aggregate(count=Count("pk"), size=Sum("size_bytes"))
    return [f"{run_count} runs", f"{stored['count']} files", f"{stored['size'] or 0} bytes"]


def list_related(project: Project) -> list[dict[str, str]]:
    """Where the runs are, and what the project is linked to."""
    runs = f"{settings.PUBLIC_URL}/runs?project_id={project.pk}"
    links = [("HasPart", runs), *([("IsSupplementTo", project.link)] if project.link else [])]
    return [
        {"relatedIdentifier": link, "relatedIdentifierType": "URL", "relationType": relation}
        for relation, link in links
    ]


def list_descriptions(project: Project) -> list[dict[str, str]]:
    return [{"description": project.description, "descriptionType": "Abstract"}] if project.description else []
