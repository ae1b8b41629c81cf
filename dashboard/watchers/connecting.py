"""Connecting an instrument: an admin makes a code here, and types or pastes it at the instrument's computer."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.guard import page
from dashboard.name_order import spell
from dashboard.watchers.arrival import Arrival
from dashboard.watchers.programs import list_programs
from instruments.catalogue import list_instruments
from instruments.models import InstrumentStatus
from instruments.serializers import IS_SLUG
from watchers import access
from watchers.enrolment_codes import NewEnrolmentCode, NewInstrument, create_codes
from wire.clock import now
from wire.errors import ServiceError, ValidationError
from wire.form_fields import LineField, NameField

PAGE = "/watchers/connect"
DAY = timedelta(days=1) - timedelta(minutes=1)  # from here on a code's end needs its date
LIFETIMES = {"15": "15 minutes", "60": "1 hour", "1440": "1 day", "10080": "7 days"}
FORM_FIELDS = {"new_instrument.id": "new_id", "instrument_id": "instrument"}


class CodeForm(forms.Form):
    instrument = LineField(max_length=64, required=False, empty_value=None)
    display_name = NameField(max_length=255, required=False, empty_value=None, label="Name of the new instrument")
    new_id = LineField(max_length=64, required=False, empty_value=None, label="Id of the new instrument")
    lifetime = forms.ChoiceField(choices=list(LIFETIMES.items()), initial="15")

    def clean_new_id(self) -> str | None:
        wanted: str | None = self.cleaned_data["new_id"]
        if wanted is not None:
            IS_SLUG(wanted)
        return wanted

    def create(self, *, by: Caller) -> NewEnrolmentCode:
        asked = self.cleaned_data
        instrument_id = asked["instrument"]
        new = None if instrument_id else NewInstrument(asked["new_id"], asked["display_name"])
        lifetime = timedelta(minutes=int(asked["lifetime"]))
        return create_codes(instrument_id=instrument_id, new_instrument=new, lifetime=lifetime, by=by, at=now())[0]


@never_cache
@require_safe
@page(access.READ)
def connect_page(request: HttpRequest) -> HttpResponse:
    """How an instrument is brought in, with a form for its code where the person is an admin."""
    form = CodeForm(initial={"instrument": request.GET.get("instrument"), "lifetime": "15"})
    return render(request, "watchers/connect.html", _build_context(form, request))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(access.ENROLMENT_CODES)
def new_code(request: HttpRequest) -> HttpResponse:
    """The page with a code, which is never shown again; the form once more where it was not right."""
    if request.method != "POST":  # reloaded, or come back to
        return HttpResponseRedirect(PAGE)
    by, form = caller_of_page(request), CodeForm(request.POST)
    if form.is_valid():
        try:
            made = form.create(by=by)
        except ServiceError as refused:
            _add_refusal(form, refused)
        else:
            shape = "clock" if made.expires_at - now() < DAY else "full"
            shown = _build_context(form, request) | {"made": made, "shape": shape, "arrival": Arrival(made.id)}
            return render(request, "watchers/connect.html", shown, status=201)
    return render(request, "watchers/connect.html", _build_context(form, request), status=400)


def _add_refusal(form: CodeForm, refused: ServiceError) -> None:
    if not isinstance(refused, ValidationError):
        form.add_error("instrument" if form.cleaned_data["instrument"] else "new_id", refused.message)
        return
    for name, texts in ((refused.details or {}).get("fields") or {}).items():
        form.add_error(FORM_FIELDS.get(name), texts)


def _build_context(form: CodeForm, request: HttpRequest) -> dict[str, Any]:
    return {
        "form": form,
        "server": settings.PUBLIC_URL,
        "instruments": _list_choices(by=caller_of_page(request)),
        "programs": list_programs(request),
    }


def _list_choices(*, by: Caller) -> Sequence[tuple[str, str]]:
    """Those that take a watcher, and what they are called; only admins are asked."""
    if not by.is_admin:
        return []
    found = list_instruments(by=by).exclude(status=InstrumentStatus.INACTIVE)
    rows = found.values_list("pk", "display_name", "watcher_count")  # type: ignore[misc]  # an annotation
    return [
        (pk, f"{name} ({pk}){', has a watcher' if count else ''}")
        for pk, name, count in sorted(rows, key=lambda row: spell(row[1]))
    ]
