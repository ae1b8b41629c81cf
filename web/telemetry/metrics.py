"""/metrics, for Prometheus: open to this machine, and elsewhere to API tokens that may read the system's status."""

import ipaddress

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from accounts.authentication import find_bearer_caller
from overview.access import METRICS
from web.telemetry.metrics_collectors import CurrentStateCollector, MachineCollector, register
from wire.error_responses import error_response
from wire.errors import Forbidden, ServiceError, Unauthorized
from wire.telemetry.metrics_files import format_counts

FORWARDED_HEADERS = ("HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED", "HTTP_VIA")


@require_safe
@never_cache
def metrics_page(request: HttpRequest) -> HttpResponse:
    try:
        check_reader(request)
    except ServiceError as refusal:
        return error_response(refusal)
    text = format_counts() + generate_latest(register(MachineCollector(), CurrentStateCollector()))
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


def check_reader(request: HttpRequest) -> None:
    """Raises Unauthorized, Forbidden. Whoever sends a token is judged by it, wherever it comes from."""
    caller = find_bearer_caller(request.META)
    if caller is not None:
        METRICS.check(caller)
        if caller.instrument_ids is not None:
            raise Forbidden("The figures are of the whole workspace; the token is bound to instruments.")
    elif not is_this_machine(request):
        raise Unauthorized(f"A token with the scope {METRICS.scope} is needed.")


def is_this_machine(request: HttpRequest) -> bool:
    """Asked from here, not handed on by a proxy that runs here."""
    if any(name in request.META for name in FORWARDED_HEADERS):
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
