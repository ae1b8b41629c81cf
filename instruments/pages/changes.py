"""What is done with instruments from their pages: follow, confirm, deactivate, rename."""

import re
from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_POST

from accounts.access import ANY_CALLER
from accounts.authentication import caller_of_page
from accounts.guard import page
from instruments import access
from instruments.catalogue import InstrumentChange, change_instrument, find_instrument, time_zones
from instruments.instrument_types import list_types
from instruments.models import InstrumentStatus
from instruments.serializers import InstrumentChangeSerializer
from notifications.preferences import follow_instrument
from runs.pages.selection import way_back
from wire.clock import now
from wire.converters import Slug
from wire.errors import NotFound, ValidationError
from wire.inputs import read_body
from wire.notices import Notice, Undo, tell

MOST = 200
SELECTION = "/instruments/selection"
STATUSES = {"activate": InstrumentStatus.ACTIVE, "deactivate": InstrumentStatus.INACTIVE}
DONE = {"activate": "active", "deactivate": "deactivated, their watchers deregistered"}


@require_POST
@page(ANY_CALLER)
def act_on_instruments(request: HttpRequest) -> HttpResponse:
    """Every picked instrument gets what the button says."""
    asked = request.POST.get("do", "")
    names = [
        name for name in dict.fromkeys(request.POST.getlist("instrument")[:MOST]) if re.fullmatch(Slug.regex, name)
    ]
    if asked in ("follow", "unfollow"):
        follow(request, names, follows=asked == "follow")
    elif asked in STATUSES:
        change_status(request, names, asked)
    else:
        raise ValidationError(fields={"do": ["There is no such action."]})
    return HttpResponseRedirect(way_back(request, otherwise="/instruments"))


def follow(request: HttpRequest, names: Sequence[str], *, follows: bool) -> None:
    by = caller_of_page(request)
    for name in names:
        find_instrument(name, by=by)
        follow_instrument(instrument_id=name, follows=follows, by=by)
    word, back = ("You follow", "unfollow") if follows else ("You no longer follow", "follow")
    tell(request, Notice(f"{word} {counted(names)}.", undo=_undo(request, back, names)))


def change_status(request: HttpRequest, names: Sequence[str], asked: str) -> None:
    """Raises Forbidden for anybody but admins."""
    by, at = caller_of_page(request), now()
    access.CHANGE.check(by)
    done = []
    for name in names:
        try:
            change_instrument(name, change=InstrumentChange(status=STATUSES[asked]), by=by, at=at)
            done.append(name)
        except NotFound as error:
            tell(request, Notice(f"{name}: {error.message}", is_bad=True))
    word = DONE[asked] if len(done) != 1 else DONE[asked].replace("their watchers", "its watcher")
    tell(request, Notice(f"{counted(done).capitalize()}: {word}."))


@require_POST
@page(access.CHANGE)
def change_page(request: HttpRequest, instrument_id: str) -> HttpResponse:
    """Save the form of an instrument; what is refused is shown beside its field."""
    by = caller_of_page(request)
    instrument = find_instrument(instrument_id, by=by)
    given = {name: request.POST.get(name, "").strip() for name in ("display_name", "instrument_type", "time_zone")}
    try:
        change = InstrumentChange(**read_body(InstrumentChangeSerializer, given))
        change_instrument(instrument_id, change=change, by=by, at=now())
    except ValidationError as error:
        faults = (error.details or {}).get("fields", {})
        shown = {
            "instrument": instrument,
            "given": given,
            "faults": faults,
            "types": list_types(),
            "zones": sorted(time_zones()),
        }
        return render(request, "instruments/edit.html", shown, status=400)
    tell(request, Notice("Saved."))
    return HttpResponseRedirect(f"/instruments/{instrument_id}")


def counted(names: Sequence[str]) -> str:
    return f"{len(names)} instrument{'s' if len(names) != 1 else ''}"


def _undo(request: HttpRequest, action: str, names: Sequence[str]) -> Undo:
    return Undo(
        SELECTION, {"do": [action], "instrument": list(names), "next": [way_back(request, otherwise="/instruments")]}
    )
