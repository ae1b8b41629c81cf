"""Settings: the services outside that the workspace is connected to."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from accounts.authentication import caller_of_page
from accounts.integrations import (
    DEFAULT_ADDRESSES,
    IntegrationChange,
    connect_integration,
    disconnect_integration,
    list_integrations,
    parse_integration_kind,
)
from accounts.models import IntegrationKind
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from notifications.delivery import refused_deliveries
from overview import access
from overview.integrations import check_integration
from runs.eln.links import read_template
from wire.clock import now
from wire.errors import Conflict, ValidationError
from wire.input_gate import text_fault

MAX_REFUSED_SHOWN = 10
DESCRIPTIONS = {
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
def integrations_page(request: HttpRequest) -> HttpResponse:
    return render_integrations(request)


@never_cache
@sensitive_post_parameters("token")
@require_POST
@page(access.INTEGRATIONS)
def integration_settings(request: HttpRequest, kind: str) -> HttpResponse:
    """Connect, test or disconnect one of them."""
    chosen, by, at = parse_integration_kind(kind), caller_of_page(request), now()
    match request.POST.get("do"):
        case "disconnect":
            disconnect_integration(chosen, by=by)
            add_notice(request, Notice(f"{chosen.label} is disconnected; its token is forgotten."))
        case "test":
            try:
                name = check_integration(chosen, by=by, at=at)
            except Conflict as fault:
                add_notice(request, Notice(fault.message, is_bad=True))
            else:
                add_notice(request, Notice(f"{chosen.label} answers: {name}."))
        case _:
            try:
                connect_integration(chosen, wanted=_read_connection(request), by=by, at=at)
            except ValidationError as refused:
                return render_integrations(request, wrong=chosen, errors=(refused.details or {}).get("fields", {}))
            add_notice(request, Notice(f"{chosen.label} is connected. Test it."))
    return HttpResponseRedirect("/settings/integrations")


def _read_connection(request: HttpRequest) -> IntegrationChange:
    given = {name: request.POST.get(name, "").strip() for name in ("base_url", "repository", "token")}
    for name, text in given.items():
        if len(text) > 500 or text_fault(text, multiline=False):
            raise ValidationError(fields={name: ["This is too long, or holds signs that cannot be."]})
    return IntegrationChange(base_url=given["base_url"], target=given["repository"], secret=given["token"])


def render_integrations(
    request: HttpRequest,
    *,
    wrong: IntegrationKind | None = None,
    errors: dict[str, list[str]] | None = None,
    eln: dict[str, Any] | None = None,
) -> HttpResponse:
    """The page; with what was refused in its form it is 400."""
    shown: dict[str, Any] = {
        "rows": [
            _build_row(request, kind, row, errors=errors if kind is wrong else None)
            for kind, row in list_integrations().items()
        ],
        "refused": refused_deliveries()[:MAX_REFUSED_SHOWN],
        "eln": eln or {"template": read_template()},
        "at": now(),
    }
    return render(request, "settings/integrations.html", shown, status=400 if errors or eln else 200)


def _build_row(
    request: HttpRequest, kind: IntegrationKind, row: Any, *, errors: dict[str, list[str]] | None
) -> dict[str, Any]:
    """What the form shows: what was typed where it was wrong, else what is stored. Never the token."""
    stored = {"base_url": row.base_url if row else "", "repository": row.target if row else ""}
    typed = {name: request.POST.get(name, "") for name in stored} if errors else stored
    about = {"kind": kind, "row": row, "about": DESCRIPTIONS[kind], "default": DEFAULT_ADDRESSES[kind]}
    return about | {"typed": typed, "errors": errors or {}}
