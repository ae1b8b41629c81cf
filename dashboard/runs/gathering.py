"""Forms of a run's page that gather it with others: its tags and its project."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from dashboard.runs.detail import RefusedTags, render_run
from runs import access
from runs.addresses import path_of_run
from runs.lifecycle import RunChange, change_run
from runs.serializers import RunChangeSerializer
from runs.tags import change_tags, read_typed_tags
from wire.errors import Conflict, ValidationError
from wire.inputs import read_body


@require_POST
@page(access.TAG)
def tag_run(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """Put the tags that were typed on a run, or take one off. What is refused comes back in its form."""
    typed = request.POST.get("add", "")
    add = read_typed_tags(typed)
    remove = [tag for tag in [request.POST.get("remove", "")] if tag]
    try:
        change_tags(instrument=instrument_id, run_id=run_id, add=add, remove=remove, by=caller_of_page(request))
    except (ValidationError, Conflict) as error:
        return render_run(request, instrument_id, run_id, refused_tags=RefusedTags(typed, error.message))
    return HttpResponseRedirect(f"{path_of_run(instrument_id, run_id)}#about")


@require_POST
@page(access.TAG)
def choose_project(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """Put a run into a project, or with an empty choice into none."""
    try:
        _put_into_project(request.POST.get("project_id", ""), run=(instrument_id, run_id), by=caller_of_page(request))
    except (ValidationError, Conflict) as error:
        add_notice(request, Notice(error.message, is_bad=True))
    return HttpResponseRedirect(f"{path_of_run(instrument_id, run_id)}#about")


def _put_into_project(project: str, *, run: tuple[str, str], by: Caller) -> None:
    asked = read_body(RunChangeSerializer, {"project_id": project or None})
    change_run(instrument=run[0], run_id=run[1], change=RunChange(**asked), by=by)
