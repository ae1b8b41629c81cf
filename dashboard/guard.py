"""Who may open a page: the same policies as REST. Whoever has not signed in is sent to do so by the middleware."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from accounts.access import Access
from accounts.authentication import caller_of_page
from dashboard.accounts.confirmation import ask_to_confirm
from dashboard.viewer_zone import zone_of_viewer

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
Page = Callable[..., HttpResponseBase]


def page(access: Access, *, asks_at_once: bool = False) -> Callable[[Page], Page]:
    """A page for signed-in people whom `access` lets in; others read why not. The page carries its policy, and its
    days are those of who looks.

    Where it wants a recent sign-in, who changes something is asked to confirm who they are; with `asks_at_once` also
    who only looks.
    """

    def guard(view: Page) -> Page:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            caller = caller_of_page(request)
            access.check(caller)
            if access.recent_sign_in and (asks_at_once or request.method not in SAFE_METHODS):
                question = ask_to_confirm(request, caller)
                if question is not None:
                    return question
            with timezone.override(zone_of_viewer(request, caller)):
                return view(request, *args, **kwargs)

        guarded.access = access  # type: ignore[attr-defined]
        return guarded

    return guard
