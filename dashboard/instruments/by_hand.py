"""Adding an instrument by hand: for files that come from no watcher."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.authentication import caller_of_page
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from instruments import access
from instruments.by_hand import NewByHand, add_instrument_by_hand
from instruments.catalogue import InstrumentExists
from instruments.groups.catalogue import list_groups
from instruments.instrument_types import GENERIC, list_types
from instruments.serializers import NewByHandSerializer
from wire.clock import now
from wire.errors import ValidationError
from wire.inputs import read_body
from wire.time_zones import known_time_zones

FORM_FIELDS = ("display_name", "id", "instrument_type", "time_zone")


@require_http_methods(["GET", "HEAD", "POST"])
@page(access.CREATE_BY_HAND)
def new_instrument(request: HttpRequest) -> HttpResponse:
    """The form of a new instrument; the page of one that is made takes files."""
    if request.method != "POST":
        zone = timezone.get_current_timezone_name()
        return _render_form(request, {"instrument_type": GENERIC, "time_zone": zone})
    given: dict[str, Any] = {name: request.POST.get(name, "").strip() for name in FORM_FIELDS}
    given["group_ids"] = request.POST.getlist("group")
    try:
        asked = read_body(NewByHandSerializer, {name: value for name, value in given.items() if value})
        made = add_instrument_by_hand(NewByHand(**asked), by=caller_of_page(request), at=now())
    except ValidationError as error:
        return _render_form(request, given, faults=(error.details or {}).get("fields", {}))
    except InstrumentExists as error:
        return _render_form(request, given, faults={"id": [error.message]})
    add_notice(request, Notice(f"{made.display_name} is added."))
    return HttpResponseRedirect(f"/instruments/{made.pk}")


def _render_form(request: HttpRequest, given: dict[str, Any], faults: Any = None) -> HttpResponse:
    shown = {
        "given": given,
        "faults": {name.partition(".")[0]: texts for name, texts in (faults or {}).items()},
        "types": list_types(),
        "zones": sorted(known_time_zones()),
        "groups": [(one, str(one.pk) in given.get("group_ids", ())) for one in list_groups(by=caller_of_page(request))],
    }
    return render(request, "instruments/new.html", shown, status=400 if faults else 200)
