"""What is done with the runs that were picked in a list, and the notice that says so."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from accounts.access import ANY_CALLER
from accounts.authentication import caller_of_page
from dashboard.archives.choosing import render_choice
from dashboard.datasets.compare import MAX_COMPARED
from dashboard.guard import page
from dashboard.notices import Notice, Undo, add_notice
from dashboard.origins import read_return_address
from dashboard.parameters import MAX_SELECTED
from dashboard.reasons import with_stated_reason
from dashboard.runs.actions import TAGGING, Action, apply_action, describe_outcome, describe_refused, read_action
from dashboard.runs.batches import ask_first
from dashboard.runs.picked import Picked, read_picked
from wire.change_reason import FIELD as REASON
from wire.clock import now
from wire.errors import ServiceError, ValidationError

SELECTION_URL = "/runs/selection"
PAGES = {"download": "/downloads", "combine": "/combine", "compare": "/compare"}  # that show the runs, by their keys
MAX_SHOWN = {"combine": MAX_SELECTED, "compare": MAX_COMPARED}
MAX_IN_ADDRESS = 50  # keys; a proxy refuses longer addresses


@require_POST
@page(ANY_CALLER)
@with_stated_reason
def act_on_runs(request: HttpRequest) -> HttpResponse:
    """Every picked run gets what the button says; what could not be done is told with its reason."""
    asked, picked = request.POST.get("do", ""), read_picked(request.POST)
    if asked in PAGES:
        return _show_elsewhere(request, asked, picked)
    try:
        action = read_action(request.POST, by=caller_of_page(request))
    except ServiceError as error:
        if asked in TAGGING:
            return _ask_for_another_tag(request, picked, error.message)
        if asked != "project":
            raise
        add_notice(request, Notice(error.message, is_bad=True))
    else:
        if picked.is_query:
            return ask_first(request, action, picked)
        _apply(request, action, picked.keys)
    return HttpResponseRedirect(read_return_address(request))


def _show_elsewhere(request: HttpRequest, asked: str, picked: Picked) -> HttpResponse:
    if asked == "download" and (picked.is_query or len(picked.keys) > MAX_IN_ADDRESS):
        return render_choice(request, picked)
    if picked.is_query:
        raise ValidationError(fields={"do": ["This takes runs that are picked one by one."]})
    shown = picked.keys[: MAX_SHOWN.get(asked, MAX_IN_ADDRESS)]
    if left_out := len(picked.keys) - len(shown):
        were = "was" if left_out == 1 else "were"
        add_notice(request, Notice(f"The first {len(shown)} are shown; {left_out} more {were} picked."))
    return HttpResponseRedirect(f"{PAGES[asked]}?{urlencode({'run': shown}, doseq=True)}")


def _ask_for_another_tag(request: HttpRequest, picked: Picked, fault: str) -> HttpResponse:
    """With what was typed, and the runs still picked."""
    shown = {
        "asked": request.POST["do"],
        "reason": request.POST.get(REASON, ""),
        "typed": request.POST.get("tag", ""),
        "fault": fault,
        "fields": picked.fields,
        "count": len(picked.keys),
        "next": read_return_address(request),
    }
    return render(request, "runs/tagging.html", shown, status=400)


def _apply(request: HttpRequest, action: Action, keys: Sequence[str]) -> None:
    """Apply an action and keep the notice."""
    outcome = apply_action(action, keys, by=caller_of_page(request), at=now())
    if outcome.done:
        undo = _build_undo(request, action, outcome.changed) if action.undo and outcome.changed else None
        add_notice(request, Notice(describe_outcome(len(outcome.done), action.done, asked=len(keys)), undo=undo))
    if outcome.refused:
        add_notice(request, Notice(describe_refused(outcome.refused, count=len(outcome.refused)), is_bad=True))


def _build_undo(request: HttpRequest, action: Action, changed: Sequence[str]) -> Undo:
    """Of those only that the action changed: who had the tag before keeps it."""
    more = {name: [value] for name, value in action.undo_fields.items()}
    return Undo(SELECTION_URL, {"do": [action.undo], "run": changed, "next": [read_return_address(request)], **more})
