"""What is done with the runs that were picked in a list, and the notice that says so."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
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
from runs.lifecycle import delete_run, restore_run
from wire.clock import now
from wire.converters import RunIdConverter, SlugConverter
from wire.errors import NotFound, ServiceError, ValidationError

RUN_KEY = re.compile(f"({SlugConverter.regex})/({RunIdConverter.regex})")
SELECTION_URL = "/runs/selection"
PAGES = {"download": "/downloads", "combine": "/combine", "compare": "/compare"}  # that show the runs, by their keys


@dataclass(frozen=True)
class Action:
    """One button of the selection bar: who may, what it does to one run, how it is told, what takes it back."""

    access: Access
    apply: Callable[[str, str, Caller, datetime], object]
    done: str
    undo: str = ""


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


@require_POST
@page(ANY_CALLER)
def act_on_runs(request: HttpRequest) -> HttpResponse:
    """Every picked run gets what the button says; what could not be done is told with its reason."""
    runs = [parse_run_key(key) for key in request.POST.getlist("run")[:MAX_SELECTED]]
    asked = request.POST.get("do", "")
    if asked in PAGES:
        return HttpResponseRedirect(f"{PAGES[asked]}?{urlencode({'run': request.POST.getlist('run')}, doseq=True)}")
    if asked not in ACTIONS:
        raise ValidationError(fields={"do": ["There is no such action."]})
    apply_action(request, ACTIONS[asked], runs)
    return HttpResponseRedirect(read_return_address(request))


def apply_action(request: HttpRequest, action: Action, runs: Sequence[tuple[str, str]]) -> None:
    """Apply an action and keep the notice. Raises Forbidden where the caller may not."""
    by, at = caller_of_page(request), now()
    action.access.check(by)
    done, refused = [], []
    for instrument, run_id in runs:
        try:
            action.apply(instrument, run_id, by, at)
            done.append(f"{instrument}/{run_id}")
        except ServiceError as error:
            refused.append(f"{run_id}: {error.message}")
    if done:
        back = {"do": [action.undo], "run": done, "next": [read_return_address(request)]}
        add_notice(
            request,
            Notice(describe_outcome(runs, done, action.done), undo=Undo(SELECTION_URL, back) if action.undo else None),
        )
    if refused:
        more = f" And {len(refused) - 1} more." if len(refused) > 1 else ""
        add_notice(request, Notice(f"{refused[0]}{more}", is_bad=True))


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
