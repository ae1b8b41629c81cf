"""Settings: the services outside that the workspace is connected to."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from accounts.authentication import caller_of_page
from accounts.guard import page
from accounts.integrations import (
    DEFAULT_ADDRESSES,
    Wanted,
    connect_integration,
    disconnect_integration,
    list_integrations,
    require_known,
)
from accounts.models import IntegrationKind
from notifications.delivery import refused_deliveries
from overview import access
from overview.integrations import check_integration
from wire.clock import now
from wire.errors import Conflict, ValidationError
from wire.gate import text_fault
from wire.notices import Notice, tell

REFUSED = 10
ABOUT = {
    IntegrationKind.CHAT: (
        "Slack, or a service that speaks its API. Messages go to the account with a person's e-mail address. "
        "The token is that of a bot with chat:write, im:write and users:read.email."
    ),
    IntegrationKind.TRACKER: (
        "GitHub, or a service that speaks its API. Feedback becomes issues of one repository. "
        "The token may read and write the issues there, and nothing else."
    ),
}


@never_cache
@require_safe
@page(access.INTEGRATIONS)
def integrations(request: HttpRequest) -> HttpResponse:
    return _show(request)


@never_cache
@sensitive_post_parameters("token")
@require_POST
@page(access.INTEGRATIONS)
def integration_settings(request: HttpRequest, kind: str) -> HttpResponse:
    """Connect, test or disconnect one of them."""
    chosen, by, at = require_known(kind), caller_of_page(request), now()
    match request.POST.get("do"):
        case "disconnect":
            disconnect_integration(chosen, by=by)
            tell(request, Notice(f"{chosen.label} is disconnected; its token is forgotten."))
        case "test":
            try:
                name = check_integration(chosen, by=by, at=at)
            except Conflict as fault:
                tell(request, Notice(fault.message, is_bad=True))
            else:
                tell(request, Notice(f"{chosen.label} answers: {name}."))
        case _:
            try:
                connect_integration(chosen, wanted=_wanted(request), by=by, at=at)
            except ValidationError as refused:
                return _show(request, wrong=chosen, errors=(refused.details or {}).get("fields", {}))
            tell(request, Notice(f"{chosen.label} is connected. Test it."))
    return HttpResponseRedirect("/settings/integrations")


def _wanted(request: HttpRequest) -> Wanted:
    given = {name: request.POST.get(name, "").strip() for name in ("base_url", "repository", "token")}
    for name, text in given.items():
        if len(text) > 500 or text_fault(text, multiline=False):
            raise ValidationError(fields={name: ["This is too long, or holds signs that cannot be."]})
    return Wanted(base_url=given["base_url"], target=given["repository"], secret=given["token"])


def _show(
    request: HttpRequest, *, wrong: IntegrationKind | None = None, errors: dict[str, list[str]] | None = None
) -> HttpResponse:
    shown: dict[str, Any] = {
        "rows": [
            _row(request, kind, row, errors=errors if kind is wrong else None)
            for kind, row in list_integrations().items()
        ],
        "refused": refused_deliveries()[:REFUSED],
        "at": now(),
    }
    return render(request, "settings/integrations.html", shown, status=400 if errors else 200)


def _row(
    request: HttpRequest, kind: IntegrationKind, row: Any, *, errors: dict[str, list[str]] | None
) -> dict[str, Any]:
    """What the form shows: what was typed where it was wrong, else what is stored. Never the token."""
    stored = {"base_url": row.base_url if row else "", "repository": row.target if row else ""}
    typed = {name: request.POST.get(name, "") for name in stored} if errors else stored
    about = {"kind": kind, "row": row, "about": ABOUT[kind], "default": DEFAULT_ADDRESSES[kind]}
    return about | {"typed": typed, "errors": errors or {}}
