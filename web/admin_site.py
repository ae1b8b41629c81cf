"""The maintainers' admin site."""

import logging
from functools import wraps
from typing import Any

from django.contrib.admin import AdminSite
from django.db import DataError, ProgrammingError
from django.http import HttpRequest, HttpResponse
from django.template.response import SimpleTemplateResponse
from django.urls import reverse

from accounts.access import MAINTAINERS
from accounts.authentication import caller_of_page
from dashboard.accounts.confirmation import ask_to_confirm
from dashboard.guard import SAFE_METHODS
from wire.errors import ValidationError

log = logging.getLogger(__name__)
FAULTS_OF_FILTERS = (ValueError, ArithmeticError, LookupError, DataError, ProgrammingError)


class MaintainersSite(AdminSite):
    """Leaves a mark on what it guards, so that a view which a ModelAdmin adds unguarded is noticed."""

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        checked = refuse_bad_filters(ask_before_change(view))
        guarded: Any = super().admin_view(checked, cacheable)
        guarded.access = MAINTAINERS
        return guarded


def ask_before_change(view: Any) -> Any:
    """Whoever changes something here signed in lately, or says who they are once more. Leaving is free."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method in SAFE_METHODS or request.path == reverse("admin:logout"):
            return view(request, *args, **kwargs)
        question = ask_to_confirm(request, caller_of_page(request))
        return question or view(request, *args, **kwargs)

    return checked


def refuse_bad_filters(view: Any) -> Any:
    """Whoever holds the site may filter by any lookup of any column; a value that none can take is theirs, not ours."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "GET" or not request.GET:
            return view(request, *args, **kwargs)
        try:
            response = view(request, *args, **kwargs)
            return response.render() if isinstance(response, SimpleTemplateResponse) else response
        except FAULTS_OF_FILTERS as fault:
            log.warning("a filter of the admin site cannot be used", exc_info=fault)
            raise ValidationError("A filter in this address cannot be used.") from None

    return checked
