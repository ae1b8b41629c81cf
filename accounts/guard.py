"""Who may open a page: the same policies as REST, asked with a page's manners."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse

from accounts.access import Access
from accounts.authentication import caller_of_page
from accounts.models import User

Page = Callable[..., HttpResponse]


def page(access: Access) -> Callable[[Page], Page]:
    """A page for signed-in people whom `access` lets in. Others go to sign in first, or read why not."""

    def guard(view: Page) -> Page:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not isinstance(request.user, User):
                return redirect_to_login(request.get_full_path())
            access.check(caller_of_page(request))
            return view(request, *args, **kwargs)

        return guarded

    return guard
