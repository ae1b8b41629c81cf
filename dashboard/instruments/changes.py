"""What is done with instruments from their pages: follow, confirm, deactivate, rename."""

import re
from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from accounts.access import ANY_CALLER
from accounts.authentication import caller_of_page
from dashboard.guard import page
from dashboard.instruments.detail import FORM_FIELDS, render_edit_form
from dashboard.notices import Notice, Undo, add_notice
from dashboard.origins import read_return_address
from instruments import access
from instruments.catalogue import InstrumentChange, change_instrument, find_instrument
from instruments.models import InstrumentStatus
from instruments.serializers import InstrumentChangeSerializer
from notifications.preferences import follow_instrument
from wire.clock import now
from wire.conditional import PreconditionFailed
from wire.converters import SlugConverter
from wire.errors import NotFound, ValidationError
from wire.inputs import read_body
from wire.versions import expected_by_form

MAX_SELECTED = 200
IS_NUMBER = re.compile(r"[0-9]{1,18}")
SELECTION_URL = "/instruments/selection"
STATUS_ACTIONS = {"activate": InstrumentStatus.ACTIVE, "deactivate": InstrumentStatus.INACTIVE}
OUTCOME_PHRASES = {"activate": "active", "deactivate": "deactivated, their watchers deregistered"}


@require_POST
@page(ANY_CALLER)
def act_on_instruments(request: HttpRequest) -> HttpResponse:
    """Every picked instrument gets what the button says."""
    asked = request.POST.get("do", "")
    names = [
        name
        for name in dict.fromkeys(request.POST.getlist("instrument")[:MAX_SELECTED])
        if re.fullmatch(SlugConverter.regex, name)
    ]
    if asked in ("follow", "unfollow"):
        follow_selected(request, names, follows=asked == "follow")
    elif asked in STATUS_ACTIONS:
        change_status(request, names, asked)
    else:
        raise ValidationError(fields={"do": ["There is no such action."]})
    return HttpResponseRedirect(read_return_address(request, otherwise="/instruments"))


def follow_selected(request: HttpRequest, names: Sequence[str], *, follows: bool) -> None:
    by = caller_of_page(request)
    for name in names:
        find_instrument(name, by=by)
        follow_instrument(instrument_id=name, follows=follows, by=by)
    word, back = ("You follow", "unfollow") if follows else ("You no longer follow", "follow")
    add_notice(request, Notice(f"{word} {format_instrument_count(names)}.", undo=_build_undo(request, back, names)))


def change_status(request: HttpRequest, names: Sequence[str], asked: str) -> None:
    """Raises Forbidden for anybody but admins."""
    by, at = caller_of_page(request), now()
    access.CHANGE.check(by)
    done = []
    for name in names:
        try:
            change_instrument(name, change=InstrumentChange(status=STATUS_ACTIONS[asked]), by=by, at=at)
            done.append(name)
        except NotFound as error:
            add_notice(request, Notice(f"{name}: {error.message}", is_bad=True))
    word = OUTCOME_PHRASES[asked] if len(done) != 1 else OUTCOME_PHRASES[asked].replace("their watchers", "its watcher")
    add_notice(request, Notice(f"{format_instrument_count(done).capitalize()}: {word}."))


@require_POST
@page(access.CHANGE)
def save_instrument(request: HttpRequest, instrument_id: str) -> HttpResponse:
    """Save the form of an instrument; what is refused is shown beside its field."""
    by = caller_of_page(request)
    instrument = find_instrument(instrument_id, by=by)
    given = {name: request.POST.get(name, "").strip() for name in FORM_FIELDS}
    hours = given["expect_files_every_hours"]
    try:
        given["visibility"] = given["visibility"] or instrument.visibility
        asked = {**given, "expect_files_every_hours": int(hours) if IS_NUMBER.fullmatch(hours) else hours or None}
        change = InstrumentChange(**read_body(InstrumentChangeSerializer, asked))
        change_instrument(instrument_id, change=change, expected=expected_by_form(request), by=by, at=now())
    except ValidationError as error:
        faults = (error.details or {}).get("fields", {})
        return render_edit_form(request, instrument, given | {"version": request.POST.get("version")}, faults=faults)
    except PreconditionFailed:
        return render_edit_form(request, find_instrument(instrument_id, by=by), given, is_outdated=True)
    add_notice(request, Notice("Saved."))
    return HttpResponseRedirect(f"/instruments/{instrument_id}")


def format_instrument_count(names: Sequence[str]) -> str:
    return f"{len(names)} instrument{'s' if len(names) != 1 else ''}"


def _build_undo(request: HttpRequest, action: str, names: Sequence[str]) -> Undo:
    return Undo(
        SELECTION_URL,
        {"do": [action], "instrument": list(names), "next": [read_return_address(request, otherwise="/instruments")]},
    )
