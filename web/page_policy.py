"""The content policy of pages. Scripts come from /static/ alone: no answer that carries stored bytes is ever one."""

from typing import Any
from urllib.parse import urlsplit

from csp.middleware import CSPMiddleware, PolicyParts
from django.conf import settings
from django.http import HttpRequest

ADMIN_SITE = "/admin/"
WORDS_OF_ADMIN_SITE = "/admin/jsi18n/"  # a script that Django writes: what its lists say while rows are picked


class PagePolicy(CSPMiddleware):
    """The settings' policy, with the place of scripts spelled out for the host that was asked."""

    def get_policy_parts(self, request: HttpRequest, response: Any, report_only: bool = False) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if not report_only:
            places = [settings.STATIC_URL]
            if request.path.startswith(ADMIN_SITE):
                places.append(WORDS_OF_ADMIN_SITE)
            sources = list_script_sources(request.get_host(), places)
            parts.replace = {"script-src": sources} | (parts.replace or {})
        return parts


def list_script_sources(host: str, places: list[str]) -> list[str]:
    """Without a scheme, so that they hold behind a proxy that ends TLS. A policy cannot spell an IPv6 address."""
    if host.startswith("["):
        return ["'self'"]
    hosts = dict.fromkeys((host, urlsplit(settings.PUBLIC_URL).netloc))
    return [f"{one}{place}" for one in hosts if one[:1] != "[" for place in places]
