"""Making a run by hand: its instrument, its name, and when it started."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.guard import page
from dashboard.name_order import spell
from dashboard.store_access import sends_to_store
from instruments.catalogue import find_instrument, list_instruments
from instruments.models import Instrument
from runs import access
from runs.addresses import run_address
from runs.by_hand import create_run_by_hand
from runs.lifecycle import RunReport
from runs.models import Run
from runs.serializers import NewRunSerializer
from wire.clock import now
from wire.errors import Conflict, NotFound, ValidationError
from wire.inputs import read_body

MAX_OFFERED = 2_000


@require_http_methods(["GET", "HEAD", "POST"])
@page(access.CREATE_BY_HAND)
@sends_to_store
def new_run(request: HttpRequest) -> HttpResponse:
    """The form of a new run; a run that is made is asked for its files next."""
    if request.method != "POST":
        return _render_form(request, {"instrument": request.GET.get("instrument", "")})
    given = {name: request.POST.get(name, "") for name in ("instrument", "run_id", "started")}
    try:
        run = make_run(given, by=caller_of_page(request))
    except ValidationError as error:
        return _render_form(request, given, faults=(error.details or {}).get("fields", {}))
    except NotFound as error:
        faults = {"instrument": [error.message if given["instrument"] else "Choose the instrument."]}
        unnamed = {} if given["run_id"].strip() else {"run_id": ["A name is needed."]}
        return _render_form(request, given, faults=faults | unnamed)
    except Conflict as error:
        return _render_form(request, given, faults={"run_id": [error.message]})
    return HttpResponseRedirect(f"{run_address(run)}/put-in")


def make_run(given: dict[str, str], *, by: Caller) -> Run:
    """Raises ValidationError, RunExists, RunIsDeleted, InstrumentMissing."""
    instrument = find_instrument(given["instrument"], by=by)
    asked = read_body(NewRunSerializer, {"run_id": given["run_id"].strip()})
    report = RunReport(run_id=asked["run_id"], acquired_at=read_start(given["started"], instrument))
    return create_run_by_hand(instrument=instrument.pk, report=report, by=by, at=now())


def read_start(text: str, instrument: Instrument) -> datetime | None:
    """A time without an offset, as the clock of the instrument had it. Raises ValidationError."""
    if not text:
        return None
    try:
        started = datetime.fromisoformat(text)
        local = started if started.tzinfo else started.replace(tzinfo=ZoneInfo(instrument.time_zone))
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValidationError(fields={"started": ["A date and a time are needed."]}) from None


def _render_form(request: HttpRequest, given: dict[str, str], faults: Any = None) -> HttpResponse:
    found = list_instruments(by=caller_of_page(request)).order_by("display_name", "pk")[:MAX_OFFERED]
    offered = sorted(found.values_list("pk", "display_name"), key=lambda row: spell(row[1]))
    if len(offered) == 1:
        given["instrument"] = given["instrument"] or offered[0][0]
    shown = {"given": given, "faults": faults or {}, "instruments": offered}
    return render(request, "runs/new.html", shown, status=400 if faults else 200)
