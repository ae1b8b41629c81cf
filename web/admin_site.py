"""The maintainers' admin site."""

import logging
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.admin import AdminSite
from django.db import DataError, ProgrammingError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import SimpleTemplateResponse
from django.urls import reverse
from django.utils import timezone

from accounts.access import MAINTAINERS
from accounts.authentication import caller_of_page
from dashboard.accounts.confirmation import ask_to_confirm
from dashboard.guard import SAFE_METHODS
from dashboard.viewer_zone import zone_of_viewer
from wire.errors import ValidationError

log = logging.getLogger(__name__)
SECTIONS = (
    *("runs", "files", "datasets", "instruments", "watchers", "accounts", "notifications", "processing", "archives"),
    *("changes", "feedback", "overview"),
)
FAULTS_OF_FILTERS = (ValueError, ArithmeticError, LookupError, DataError, ProgrammingError)


class MaintainersSite(AdminSite):
    """Leaves a mark on what it guards, so that a view which a ModelAdmin adds unguarded is noticed."""

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        checked = refuse_bad_filters(show_times_of_viewer(ask_before_change(view)))
        guarded: Any = super().admin_view(checked, cacheable)
        guarded.access = MAINTAINERS
        return guarded

    def get_app_list(self, request: HttpRequest, app_label: Any = None) -> list[Any]:
        """What people ask for first, the libraries' rows last; within a section the changes of its things last."""
        sections = super().get_app_list(request, app_label)
        for section in sections:
            section["models"].sort(key=lambda one: hasattr(one["model"], "pgh_tracked_model"))
        places = {label: place for place, label in enumerate(SECTIONS)}
        return sorted(sections, key=lambda section: places.get(section["app_label"], len(places)))

    def password_change(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """One page counts what is guessed there."""
        return HttpResponseRedirect(reverse("password"))

    def password_change_done(self, request: HttpRequest, extra_context: Any = None) -> Any:
        return HttpResponseRedirect(reverse("password"))

    def logout(self, request: HttpRequest, extra_context: Any = None) -> Any:
        left = super().logout(request, extra_context)
        return HttpResponseRedirect(settings.LOGIN_URL) if left.status_code == HTTPStatus.OK else left


def ask_before_change(view: Any) -> Any:
    """Whoever changes something here signed in lately, or says who they are once more. Leaving is free."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method in SAFE_METHODS or request.path == reverse("admin:logout"):
            return view(request, *args, **kwargs)
        question = ask_to_confirm(request, caller_of_page(request))
        return question or view(request, *args, **kwargs)

    return checked


def show_times_of_viewer(view: Any) -> Any:
    """Times and days are those of whoever looks, as on the dashboard."""

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with timezone.override(zone_of_viewer(request, caller_of_page(request))):
            response = view(request, *args, **kwargs)
            return response.render() if isinstance(response, SimpleTemplateResponse) else response

    return shown


def refuse_bad_filters(view: Any) -> Any:
    """Whoever holds the site may filter by any lookup of any column; a value that none can take is theirs, not ours."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "GET" or not request.GET:
            return view(request, *args, **kwargs)
        try:
            return view(request, *args, **kwargs)
        except FAULTS_OF_FILTERS as fault:
            log.warning("a filter of the admin site cannot be used", exc_info=fault)
            raise ValidationError("A filter in this address cannot be used.") from None

    return checked
