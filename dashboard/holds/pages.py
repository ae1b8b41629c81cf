"""The page on which a run, or all runs of a project, are put on hold and released."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from accounts.authentication import caller_of_page
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from runs import access
from runs.addresses import run_address
from runs.holds.models import Hold
from runs.holds.placing import hold_project, hold_run, release_project, release_run
from runs.holds.rules import find_hold_of_project, find_hold_of_run
from runs.holds.serializers import NewHoldSerializer
from runs.lifecycle import describe_run
from runs.projects.catalogue import find_project
from wire.clock import now
from wire.errors import ValidationError
from wire.inputs import read_body


@dataclass(frozen=True)
class Held:
    """What a hold is on: its name, its page, its hold, and what places and lifts that."""

    kind: str
    name: str
    back: str
    hold: Hold | None
    place: Callable[[str], object]
    lift: Callable[[], object]


@require_http_methods(["GET", "HEAD", "POST"])
@page(access.HOLD)
def run_hold(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """Of one run."""
    by, named = caller_of_page(request), {"instrument": instrument_id, "run_id": run_id}
    run = describe_run(**named, by=by)
    held = Held(
        kind="run",
        name=run.run_id,
        back=run_address(run),
        hold=find_hold_of_run(run),
        place=lambda reason: hold_run(**named, reason=reason, by=by, at=now()),
        lift=lambda: release_run(**named, by=by),
    )
    return answer(request, held)


@require_http_methods(["GET", "HEAD", "POST"])
@page(access.HOLD)
def project_hold(request: HttpRequest, project_id: UUID) -> HttpResponse:
    """Of all runs of a project."""
    by = caller_of_page(request)
    project = find_project(project_id, by=by)
    held = Held(
        kind="project",
        name=project.name,
        back="/projects",
        hold=find_hold_of_project(project),
        place=lambda reason: hold_project(project_id, reason=reason, by=by, at=now()),
        lift=lambda: release_project(project_id, by=by),
    )
    return answer(request, held)


def answer(request: HttpRequest, held: Held) -> HttpResponse:
    """The form; after it was sent, what the hold is on."""
    if request.method != "POST":
        return render_form(request, held, reason=held.hold.reason if held.hold else "")
    if request.POST.get("do") == "lift":
        held.lift()
        add_notice(request, Notice(f"{held.name} is no longer on hold."))
        return HttpResponseRedirect(held.back)
    reason = request.POST.get("reason", "").strip()
    try:
        held.place(read_body(NewHoldSerializer, {"reason": reason})["reason"])
    except ValidationError as error:
        faults = (error.details or {}).get("fields", {}).get("reason", [error.message])
        return render_form(request, held, reason=reason, faults=faults)
    add_notice(request, Notice(f"{held.name} is on hold."))
    return HttpResponseRedirect(held.back)


def render_form(request: HttpRequest, held: Held, *, reason: str, faults: Sequence[str] = ()) -> HttpResponse:
    shown = {"held": held, "reason": reason, "faults": faults, "at": now()}
    return render(request, "holds/hold.html", shown, status=400 if faults else 200)
