"""Crashes told to Sentry, or what speaks its protocol, where SENTRY_DSN names one: the error, its stack, the id of its
request and its route. No bodies, headers, addresses, names or local variables, and nothing that looks like a secret.
"""

import json
from typing import Any

import sentry_sdk
from django.conf import settings
from structlog.contextvars import get_contextvars

from web.telemetry.logs import mask_secrets
from wire.telemetry.current_work import current_route

LEFT_OUT = ("request", "user", "extra", "breadcrumbs", "modules", "server_name")


def start_crash_reports(role: str, *, dsn: str) -> None:
    """From now on, in this process. What is logged as an error is a report; it is sent from a thread."""
    sentry_sdk.init(
        dsn=dsn,
        release=settings.VERSION,
        server_name="",
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        auto_session_tracking=False,
        send_client_reports=False,
        before_send=_strip,
        in_app_exclude=["var"],
    )
    sentry_sdk.set_tag("role", role)


def _strip(event: Any, hint: Any) -> Any:
    for name in LEFT_OUT:
        event.pop(name, None)
    request_id, route = get_contextvars().get("request_id"), current_route()
    event["transaction"] = route
    event.setdefault("tags", {}).update({"route": route, **({"request_id": request_id} if request_id else {})})
    return json.loads(mask_secrets(None, "", json.dumps(event, default=str)))
