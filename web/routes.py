"""Every route of the service, and what each says of who may use it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.contrib.admin import AdminSite, ModelAdmin
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.viewsets import ViewSetMixin

from accounts.access import Access, Maintainers, Public
from accounts.permissions import DeclaredAccess
from web.public_routes import PUBLIC_ROUTES


def all_routes() -> Iterator[tuple[str, Any]]:
    """(path pattern, view) of everything that Django answers."""
    yield from walk(get_resolver().url_patterns, "")


def walk(patterns: Iterable[URLPattern | URLResolver], prefix: str) -> Iterator[tuple[str, Any]]:
    for entry in patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from walk(entry.url_patterns, path)
        else:
            yield path, entry.callback


def rest_routes() -> Iterator[tuple[str, Any, str, str]]:
    """(path pattern, viewset, method, action) of every REST route."""
    for path, view in all_routes():
        if is_rest(view):
            for method, action in view.actions.items():
                if method != "head":
                    yield path, view.cls, method.upper(), action


def is_rest(view: Any) -> bool:
    return issubclass(getattr(view, "cls", object), ViewSetMixin)


def is_page(view: Any) -> bool:
    """It went through the dashboard's guard, which left its policy on it."""
    return isinstance(getattr(view, "access", None), Access)


def is_of_admin_site(view: Any) -> bool:
    """The admin site judges it: Django marks its own views so, our site those that a ModelAdmin adds."""
    return (
        isinstance(getattr(view, "admin_site", None), AdminSite)
        or isinstance(getattr(view, "model_admin", None), ModelAdmin)
        or isinstance(getattr(view, "access", None), Maintainers)
    )


def access_faults(path: str, view: Any) -> list[str]:
    """Why nobody may use this route, in sentences that name it. Empty where it says who may."""
    if is_rest(view):
        actions = list(view.actions.items())  # HEAD joins GET at first request, which may be another thread's
        asked = {action: method for method, action in reversed(actions)}
        faults = (_action_fault(path, view, method, action) for action, method in asked.items())
        return [fault for fault in faults if fault]
    if path in PUBLIC_ROUTES or is_page(view) or is_of_admin_site(view):
        return []
    return [f"/{path} declares no access ({name_of(view)})."]


def mount_faults(mounts: Mapping[str, Any]) -> list[str]:
    """Likewise for what the front door hands to other applications than Django, by path."""
    return [
        f"{path} declares no access ({name_of(app)})."
        for path, app in mounts.items()
        if path.lstrip("/") not in PUBLIC_ROUTES and not isinstance(getattr(app, "access", None), Access)
    ]


def name_of(answering: Any) -> str:
    named = answering if hasattr(answering, "__qualname__") else type(answering)
    return f"{named.__module__}.{named.__qualname__}"


def _action_fault(path: str, view: Any, method: str, action: str) -> str:
    declared = getattr(view.cls, "access", {}).get(action)
    route = f"{method.upper()} /{path}"
    if not isinstance(declared, Access | Public):
        return f"{route} declares no access ({name_of(view.cls)}.{action})."
    if isinstance(declared, Public):
        return "" if path in PUBLIC_ROUTES else f"{route} is public, but not in the list of public routes."
    asks = DeclaredAccess in view.cls.permission_classes
    return "" if asks else f"{route} declares an access that nothing asks ({name_of(view.cls)})."
