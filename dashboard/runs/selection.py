"""What is done with the runs that were picked in a list, and the notice that says so."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.http import require_POST

from accounts.access import ANY_CALLER, Access
from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.guard import page
from dashboard.notices import Notice, Undo, add_notice
from dashboard.parameters import MAX_SELECTED
from processing.access import REPROCESS_RUN
from processing.requests import reprocess_run
from runs import access
from runs.claims import claim_run, unclaim_run
from runs.lifecycle import RunChange, change_run, delete_run, restore_run
from runs.projects.catalogue import find_project
from runs.serializers import RunChangeSerializer
from runs.tags import TAG, TAG_RULE, change_tags
from wire.clock import now
from wire.converters import RunIdConverter, SlugConverter
from wire.errors import NotFound, ServiceError, ValidationError
from wire.inputs import read_body

RUN_KEY = re.compile(f"({SlugConverter.regex})/({RunIdConverter.regex})")
SELECTION_URL = "/runs/selection"
TAGGING = ("tag", "untag")  # what is typed beside the button may be wrong
PAGES = {"download": "/downloads", "combine": "/combine", "compare": "/compare"}  # that show the runs, by their keys


@dataclass(frozen=True)
class Action:
    """One button of the selection bar: who may, what it does to one run, how it is told, what takes it back."""

    access: Access
    apply: Callable[[str, str, Caller, datetime], object]
    done: str
    undo: str = ""
    undo_fields: Mapping[str, str] = field(default_factory=dict)


ACTIONS = {
    "claim": Action(
        access.CLAIM, lambda i, r, by, at: claim_run(instrument=i, run_id=r, by=by, at=at), "claimed", "unclaim"
    ),
    "unclaim": Action(
        access.CLAIM, lambda i, r, by, at: unclaim_run(instrument=i, run_id=r, by=by), "no longer claimed", "claim"
    ),
    "delete": Action(
        access.DELETE, lambda i, r, by, at: delete_run(instrument=i, run_id=r, by=by, at=at), "deleted", "restore"
    ),
    "restore": Action(access.DELETE, lambda i, r, by, at: restore_run(instrument=i, run_id=r, by=by), "restored"),
    "reprocess": Action(
        REPROCESS_RUN, lambda i, r, by, at: reprocess_run(instrument=i, run_id=r, by=by, at=at), "being read again"
    ),
}


def read_action(form: QueryDict, *, by: Caller) -> Action:
    """What a button says, with the tag or the project that stands beside it. Raises ValidationError, ProjectMissing."""
    asked = form.get("do", "")
    if asked in TAGGING:
        return _build_tagging(asked, form.get("tag", "").strip())
    if asked == "project":
        return _build_gathering(form.get("project_id", ""), by=by)
    if asked not in ACTIONS:
        raise ValidationError(fields={"do": ["There is no such action."]})
    return ACTIONS[asked]


def _build_tagging(asked: str, tag: str) -> Action:
    if not TAG.fullmatch(tag):
        raise ValidationError(f"A tag is {TAG_RULE}.", fields={"tag": [f"A tag is {TAG_RULE}."]})
    if asked == "untag":
        return Action(
            access.TAG,
            lambda i, r, by, at: change_tags(instrument=i, run_id=r, remove=[tag], by=by),
            f"without the tag {tag}",
            "tag",
            {"tag": tag},
        )
    return Action(
        access.TAG,
        lambda i, r, by, at: change_tags(instrument=i, run_id=r, add=[tag], by=by),
        f"tagged {tag}",
        "untag",
        {"tag": tag},
    )


def _build_gathering(project: str, *, by: Caller) -> Action:
    change = RunChange(**read_body(RunChangeSerializer, {"project_id": project or None}))
    name = find_project(UUID(project), by=by).name if project else ""
    return Action(
        access.TAG,
        lambda i, r, by, at: change_run(instrument=i, run_id=r, change=change, by=by),
        f"put into the project {name}" if project else "taken out of their project",
    )


@require_POST
@page(ANY_CALLER)
def act_on_runs(request: HttpRequest) -> HttpResponse:
    """Every picked run gets what the button says; what could not be done is told with its reason."""
    runs = [parse_run_key(key) for key in request.POST.getlist("run")[:MAX_SELECTED]]
    asked = request.POST.get("do", "")
    if asked in PAGES:
        return HttpResponseRedirect(f"{PAGES[asked]}?{urlencode({'run': request.POST.getlist('run')}, doseq=True)}")
    try:
        action = read_action(request.POST, by=caller_of_page(request))
    except ServiceError as error:
        if asked in TAGGING:
            return _ask_for_another_tag(request, error.message)
        if asked != "project":
            raise
        add_notice(request, Notice(error.message, is_bad=True))
    else:
        apply_action(request, action, runs)
    return HttpResponseRedirect(read_return_address(request))


def _ask_for_another_tag(request: HttpRequest, fault: str) -> HttpResponse:
    """With what was typed, and the runs still picked."""
    shown = {
        "asked": request.POST["do"],
        "typed": request.POST.get("tag", ""),
        "fault": fault,
        "keys": request.POST.getlist("run")[:MAX_SELECTED],
        "next": read_return_address(request),
    }
    return render(request, "runs/tagging.html", shown, status=400)


def apply_action(request: HttpRequest, action: Action, runs: Sequence[tuple[str, str]]) -> None:
    """Apply an action and keep the notice. Raises Forbidden where the caller may not."""
    by, at = caller_of_page(request), now()
    action.access.check(by)
    done, changed, refused = [], [], []
    for instrument, run_id in runs:
        try:
            result = action.apply(instrument, run_id, by, at)
            done.append(f"{instrument}/{run_id}")
            if not getattr(result, "already_applied", False):
                changed.append(done[-1])
        except ServiceError as error:
            refused.append(f"{run_id}: {error.message}")
    if done:
        undo = _build_undo(request, action, changed) if action.undo and changed else None
        add_notice(request, Notice(describe_outcome(runs, done, action.done), undo=undo))
    if refused:
        more = f" And {len(refused) - 1} more." if len(refused) > 1 else ""
        add_notice(request, Notice(f"{refused[0]}{more}", is_bad=True))


def _build_undo(request: HttpRequest, action: Action, changed: Sequence[str]) -> Undo:
    """Of those only that the action changed: who had the tag before keeps it."""
    more = {name: [value] for name, value in action.undo_fields.items()}
    return Undo(SELECTION_URL, {"do": [action.undo], "run": changed, "next": [read_return_address(request)], **more})


def describe_outcome(runs: Sequence[tuple[str, str]], done: Sequence[str], word: str) -> str:
    """`Run deleted.`, `3 runs deleted.`"""
    return f"Run {word}." if len(runs) == 1 else f"{len(done)} run{'s' if len(done) != 1 else ''} {word}."


def parse_run_key(key: str) -> tuple[str, str]:
    """`cary-60/2026-11-20_a` as instrument and run, by the rules of their paths."""
    found = RUN_KEY.fullmatch(key)
    try:
        if found:
            return found[1], RunIdConverter().to_python(found[2])
    except ValueError:
        pass
    raise NotFound("There is no such run.")


def read_return_address(request: HttpRequest, *, otherwise: str = "/runs") -> str:
    """The page the form stood on; never another host."""
    wanted = request.POST.get("next", "")
    return (
        wanted if wanted.startswith("/") and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None) else otherwise
    )
