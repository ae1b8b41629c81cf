"""The system check of who may use what: a route that does not say so is a failed start, not an open door."""

from typing import Any

from django.core.checks import CheckMessage, Error, register

from files.storage.signing import URL_PREFIX
from web.public_routes import PUBLIC_ROUTES
from web.routes import access_faults, all_routes
from web.startup import ACCESS

MOUNTED = {URL_PREFIX.lstrip("/")}  # not Django's: the front door hands these on


@register(ACCESS)
def check_every_route_declares_access(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Pages, REST, the admin site and what its models add; the front door looks at what it mounts."""
    return [Error(fault, id="web.E001") for path, view in all_routes() for fault in access_faults(path, view)]


@register(ACCESS)
def check_public_routes_exist(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """A line that is left behind would open whatever comes to its path later."""
    unknown = PUBLIC_ROUTES.keys() - {path for path, _ in all_routes()} - MOUNTED
    return [Error(f"/{path} is listed as public, but is no route.", id="web.E002") for path in sorted(unknown)]
