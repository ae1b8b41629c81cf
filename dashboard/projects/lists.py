"""The page of projects: what runs are gathered under."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from runs import access
from runs.projects import catalogue
from runs.projects.serializers import NewProjectSerializer, ProjectChangeSerializer
from wire.clock import now
from wire.errors import Conflict, ValidationError
from wire.inputs import read_body
from wire.lists.pagination import Window, paginate

PER_PAGE = 100


@require_safe
@page(access.READ)
def project_list(request: HttpRequest) -> HttpResponse:
    """/projects: all of them by name, the open ones first."""
    return render(request, "projects/list.html", list_context(by=caller_of_page(request)))


@require_POST
@page(access.CHANGE_PROJECT)
def new_project(request: HttpRequest) -> HttpResponse:
    """Begin one. What is refused comes back in its form."""
    by = caller_of_page(request)
    try:
        made = catalogue.create_project(**read_body(NewProjectSerializer, read_form(request)), by=by, at=now())
    except (ValidationError, Conflict) as error:
        faults = (error.details or {}).get("fields") or {"name": [error.message]}
        shown = {**list_context(by=by), "typed": request.POST, "faults": faults}
        return render(request, "projects/list.html", shown, status=400)
    add_notice(request, Notice(f"Project {made.name} begun."))
    return HttpResponseRedirect("/projects")


@require_POST
@page(access.CHANGE_PROJECT)
def change_project(request: HttpRequest, project_id: UUID) -> HttpResponse:
    """Save, archive or open one again."""
    moves: dict[str, dict[str, Any]] = {"archive": {"archived_at": now()}, "open": {"archived_at": None}}
    forms = {"eln": {"eln_template": request.POST.get("eln_template", "").strip() or None}}
    do = request.POST.get("do", "")
    try:
        asked = moves.get(do) or read_body(ProjectChangeSerializer, forms.get(do) or read_form(request))
        catalogue.change_project(project_id, values=asked, by=caller_of_page(request))
    except (ValidationError, Conflict) as error:
        faults = (error.details or {}).get("fields", {}).get("eln_template", [])
        add_notice(request, Notice(" ".join(faults) or error.message, is_bad=True))
    return HttpResponseRedirect("/projects")


def list_context(*, by: Caller) -> dict[str, Any]:
    open_ones = paginate(catalogue.list_projects(is_archived=False, by=by), Window(per_page=PER_PAGE))
    archived = paginate(catalogue.list_projects(is_archived=True, by=by), Window(per_page=PER_PAGE))
    rows = [*open_ones.rows, *archived.rows]
    return {"projects": rows, "left_out": open_ones.total + archived.total - len(rows), "at": now()}


def read_form(request: HttpRequest) -> dict[str, Any]:
    given = {name: request.POST.get(name, "").strip() for name in ("name", "description", "link")}
    return {**given, "link": given["link"] or None}
