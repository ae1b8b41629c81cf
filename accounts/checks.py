"""A route that declares no access is a failed start, not an open door."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.core.checks import CheckMessage, Error, register
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.viewsets import ViewSetMixin

from accounts.access import Access, Public


@register()
def every_route_declares_access(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    return [
        Error(f"{pattern}: {view.__name__}.{action} declares no access.", id="accounts.E001")
        for pattern, view, _, action in rest_routes()
        if not isinstance(getattr(view, "access", {}).get(action), Access | Public)
    ]


def rest_routes() -> Iterator[tuple[str, Any, str, str]]:
    """(path pattern, viewset, method, action) of every REST route."""
    for pattern, callback in walk(get_resolver().url_patterns, ""):
        view = getattr(callback, "cls", None)
        if view is not None and issubclass(view, ViewSetMixin):
            for method, action in callback.actions.items():
                if method != "head":
                    yield pattern, view, method.upper(), action


def walk(patterns: Iterable[URLPattern | URLResolver], prefix: str) -> Iterator[tuple[str, Any]]:
    for entry in patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from walk(entry.url_patterns, path)
        else:
            yield path, entry.callback
