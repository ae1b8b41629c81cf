"""The content policy of pages. Scripts come from /static/ alone: no answer that carries stored bytes is ever one."""

from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from csp.constants import HEADER
from csp.middleware import CheckableLazyObject, CSPMiddleware, PolicyParts
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

ADMIN_SITE = "/admin/"
WORDS_OF_ADMIN_SITE = "/admin/jsi18n/"  # a script that Django writes: what its lists say while rows are picked


class PagePolicy(CSPMiddleware):
    """The settings' policy, with the place of scripts spelled out for the host that was asked.

    It is written once a host for all answers that ask for no other.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if any(name.startswith("_csp") for name in (*vars(response), *vars(request))):
            return super().process_response(request, response)
        policy = write_policy(request.get_host(), settings.PUBLIC_URL, list_script_places(request.path))
        response.headers.setdefault(HEADER, policy)
        request.csp_nonce = CheckableLazyObject(self._csp_nonce_post_response)  # type: ignore[attr-defined]  # as its parent does
        return response

    def get_policy_parts(self, request: HttpRequest, response: Any, report_only: bool = False) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if not report_only:
            sources = list_script_sources(request.get_host(), list_script_places(request.path))
            parts.replace = {"script-src": sources} | (parts.replace or {})
        return parts


@lru_cache(100)
def write_policy(host: str, public_url: str, places: tuple[str, ...]) -> str:
    directives = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    return build_policy(config=dict(directives), replace={"script-src": list_script_sources(host, places)})


def list_script_places(path: str) -> tuple[str, ...]:
    return (settings.STATIC_URL, WORDS_OF_ADMIN_SITE) if path.startswith(ADMIN_SITE) else (settings.STATIC_URL,)


def list_script_sources(host: str, places: tuple[str, ...]) -> list[str]:
    """Without a scheme, so that they hold behind a proxy that ends TLS. A policy cannot spell an IPv6 address."""
    if host.startswith("["):
        return ["'self'"]
    hosts = dict.fromkeys((host, urlsplit(settings.PUBLIC_URL).netloc))
    return [f"{one}{place}" for one in hosts if one[:1] != "[" for place in places]
