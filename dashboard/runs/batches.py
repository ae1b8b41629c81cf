"""What is done to all runs that match: asked first, then fifty at a time while the page stays open, and told as it is.

Nothing is kept between two steps but what the page itself says: where it stands, and when it began. All runs are
changed as of that moment, by which Undo finds them again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_POST

from accounts.access import ANY_CALLER
from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.fragments import is_fragment_request
from dashboard.guard import page
from dashboard.notices import Notice, Undo, add_notice
from dashboard.origins import read_return_address
from dashboard.reasons import with_stated_reason
from dashboard.runs.actions import (
    MAX_TOLD,
    Action,
    apply_action,
    describe_outcome,
    describe_refused,
    fill_in_count,
    read_action,
)
from dashboard.runs.picked import ALL, CHANGE, CHANGED_AT, CHANGES, MAX_MATCHING, Picked, read_moment, read_picked
from runs.models import Run
from wire.audit_context import MAX_TEXT_CHARS
from wire.change_reason import FIELD as REASON
from wire.clock import now
from wire.errors import ValidationError

URL = "/runs/selection/matching"
STEP = 50
MAX_AGE = timedelta(days=1)
CARRIED = ("do", "tag", "project_id")


@dataclass(frozen=True)
class Progress:
    """Where a batch stands: behind which run, of how many, what was done and refused, and why the first were."""

    begun: datetime
    total: int
    behind: UUID | None = None
    done: int = 0
    changed: int = 0
    refused: int = 0
    told: Sequence[str] = ()

    @property
    def handled(self) -> int:
        return self.done + self.refused

    @property
    def fields(self) -> list[tuple[str, str]]:
        counts = [(name, str(getattr(self, name))) for name in ("total", "done", "changed", "refused")]
        place = [("begun", self.begun.isoformat()), ("behind", str(self.behind or ""))]
        return [*place, *counts, *(("told", text) for text in self.told)]


def read_progress(form: QueryDict, *, at: datetime) -> Progress:
    """Raises ValidationError."""
    begun = read_moment(form, "begun")
    if not at - MAX_AGE < begun <= at:
        raise ValidationError(fields={"begun": ["This was begun too long ago. Begin again."]})
    try:
        counts = {name: max(0, int(form.get(name) or 0)) for name in ("total", "done", "changed", "refused")}
        behind = UUID(place) if (place := form.get("behind", "")) else None
    except ValueError:
        raise ValidationError(fields={"behind": ["This page does not say where it stands. Begin again."]}) from None
    return Progress(begun, behind=behind, told=tuple(form.getlist("told")[:MAX_TOLD]), **counts)


def ask_first(request: HttpRequest, action: Action, picked: Picked) -> HttpResponse:
    """How many there are and what will be done, before any is touched."""
    by, at = caller_of_page(request), now()
    action.access.check(by)
    total = picked.find_runs(by=by, at=at).count()
    shown = build_page(request, action, picked, Progress(at, total))
    shown |= {"is_too_many": total > MAX_MATCHING, "most": MAX_MATCHING, "can_undo": request.POST.get("do") in CHANGES}
    shown |= {"longest_reason": MAX_TEXT_CHARS}
    return render(request, "runs/matching.html", shown)


@require_POST
@page(ANY_CALLER)
@with_stated_reason
def act_on_matching(request: HttpRequest) -> HttpResponse:
    """The next fifty; at the end, or where it is stopped, back to the list with what came of it."""
    by, at, picked = caller_of_page(request), now(), read_picked(request.POST)
    action = read_action(request.POST, by=by)
    if not picked.is_query:
        raise ValidationError(fields={ALL: ["This is for all runs that match."]})
    progress = read_progress(request.POST, at=at) if "begun" in request.POST else begin(picked, by=by, at=at)
    if "stop" in request.POST:
        return tell_end(request, action, progress)
    rows = find_next(picked, progress, by=by)
    progress = take_step(action, rows, progress, by=by)
    if len(rows) < STEP:
        return tell_end(request, action, progress)
    shown = build_page(request, action, picked, progress) | {"is_under_way": True}
    return render(request, "runs/_matching.html" if is_fragment_request(request) else "runs/matching.html", shown)


def begin(picked: Picked, *, by: Caller, at: datetime) -> Progress:
    return Progress(at, picked.find_runs(by=by, at=at).count())


def find_next(picked: Picked, progress: Progress, *, by: Caller) -> list[Run]:
    """In the order of their ids: what a step changes moves no run before or behind another."""
    if progress.handled >= MAX_MATCHING:
        return []
    runs = picked.find_runs(by=by, at=progress.begun)
    behind = runs.filter(pk__gt=progress.behind) if progress.behind else runs
    return list(behind.order_by("pk").only("pk", "instrument_id", "run_id")[:STEP])


def take_step(action: Action, rows: Sequence[Run], progress: Progress, *, by: Caller) -> Progress:
    if not rows:
        return progress
    outcome = apply_action(action, [str(run) for run in rows], by=by, at=progress.begun)
    return Progress(
        progress.begun,
        max(progress.total, progress.handled + len(rows)),
        rows[-1].pk,
        progress.done + len(outcome.done),
        progress.changed + len(outcome.changed),
        progress.refused + len(outcome.refused),
        (*progress.told, *outcome.refused)[:MAX_TOLD],
    )


def tell_end(request: HttpRequest, action: Action, progress: Progress) -> HttpResponse:
    if progress.done:
        text = describe_outcome(progress.done, action.done, asked=progress.total)
        add_notice(request, Notice(text, undo=build_undo(request, action, progress)))
    if progress.refused:
        add_notice(request, Notice(describe_refused(progress.told, count=progress.refused), is_bad=True))
    back = read_return_address(request)
    if is_fragment_request(request):
        return HttpResponse(headers={"HX-Redirect": back})
    return HttpResponseRedirect(back)


def build_undo(request: HttpRequest, action: Action, progress: Progress) -> Undo | None:
    """Where the moment names exactly those that were changed."""
    asked = request.POST.get("do", "")
    if asked not in CHANGES or not progress.changed:
        return None
    named = {ALL: ["1"], CHANGE: [asked], CHANGED_AT: [progress.begun.isoformat()]}
    return Undo(URL, {"do": [action.undo], "next": [read_return_address(request)], **named})


def build_page(request: HttpRequest, action: Action, picked: Picked, progress: Progress) -> dict[str, Any]:
    carried = [(name, request.POST[name]) for name in CARRIED if request.POST.get(name)]
    return {
        "asked": fill_in_count(action.asked, progress.total),
        "progress": progress,
        "fields": [*picked.fields, *carried, *progress.fields],
        "reason": request.POST.get(REASON, ""),
        "next": read_return_address(request),
        "url": URL,
        "is_deletion": request.POST.get("do") == "delete",
    }
