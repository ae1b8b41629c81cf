"""The form for feedback, one's own reports, and for admins everybody's."""

from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.authentication import caller_of_page
from accounts.integrations import find_connection
from accounts.models import IntegrationKind
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from feedback import access
from feedback.errors import TrackerUnavailable
from feedback.models import FeedbackKind, FeedbackStatus, Report
from feedback.reports import FeedbackNotConfigured, NewReport, delete_draft, list_stored_reports, send_report
from feedback.serializers import NewReportSerializer
from wire.clock import now
from wire.errors import ValidationError
from wire.inputs import read_body
from wire.lists.pagination import paginate, read_window

PER_PAGE = 50
FORM_FIELDS = ("kind", "title", "description", "page_url")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(access.REPORT)
def feedback_page(request: HttpRequest) -> HttpResponse:
    """What was typed stays in the form, and as a draft, until the tracker has it."""
    typed = (
        {name: request.POST.get(name, "") for name in FORM_FIELDS}
        if request.method == "POST"
        else _read_initial_values(request)
    )
    if request.method == "POST":
        try:
            return _send_report(request, typed)
        except ValidationError as refused:
            return _render_form(request, typed, errors=(refused.details or {}).get("fields", {}), status=400)
        except (FeedbackNotConfigured, TrackerUnavailable) as fault:
            return _render_form(request, typed, fault=fault.message, status=fault.status)
    return _render_form(request, typed)


@never_cache
@require_POST
@page(access.REPORT)
def discard_draft(request: HttpRequest, report_id: UUID) -> HttpResponse:
    delete_draft(report_id, by=caller_of_page(request))
    add_notice(request, Notice("The draft is gone."))
    return HttpResponseRedirect("/feedback")


@never_cache
@require_safe
@page(access.LIST_ALL)
def feedback_list(request: HttpRequest) -> HttpResponse:
    found = paginate(list_stored_reports(by=caller_of_page(request)), read_window(request.GET, per_page=PER_PAGE))
    return render(request, "feedback/list.html", {"page": found, "query": request.GET, "at": now()})


def _send_report(request: HttpRequest, typed: dict[str, str]) -> HttpResponse:
    given = read_body(
        NewReportSerializer, {name: value for name, value in typed.items() if value or name != "page_url"}
    )
    given["page_url"] = given.get("page_url") or ""
    sent = send_report(NewReport(**given), by=caller_of_page(request), at=now())
    add_notice(request, Notice(f"“{sent.title}” is with those who can help."))
    return HttpResponseRedirect("/feedback")


def _read_initial_values(request: HttpRequest) -> dict[str, str]:
    """A draft to go on with, or an empty form that knows the page one came from."""
    draft = next((row for row in _list_own_reports(request) if str(row.pk) == request.GET.get("draft")), None)
    if draft is not None and draft.status == FeedbackStatus.DRAFT:
        return {name: getattr(draft, name) for name in FORM_FIELDS}
    came_from = request.META.get("HTTP_REFERER", "")
    ours = url_has_allowed_host_and_scheme(came_from, allowed_hosts={request.get_host()})
    path = request.GET.get("page", "")
    page_url = settings.PUBLIC_URL + path if path.startswith("/") and not path.startswith("//") else ""
    return {
        "kind": FeedbackKind.BUG,
        "title": "",
        "description": "",
        "page_url": page_url or (came_from if ours else ""),
    }


def _list_own_reports(request: HttpRequest) -> list[Report]:
    by = caller_of_page(request)
    return list(list_stored_reports(by=by).filter(created_by=by.user)[:PER_PAGE])


def _render_form(
    request: HttpRequest,
    typed: dict[str, str],
    *,
    errors: dict[str, list[str]] | None = None,
    fault: str = "",
    status: int = 200,
) -> HttpResponse:
    shown = {
        "typed": typed,
        "errors": errors or {},
        "fault": fault,
        "kinds": FeedbackKind,
        "mine": _list_own_reports(request),
        "is_connected": find_connection(IntegrationKind.TRACKER) is not None,
        "at": now(),
    }
    return render(request, "feedback/form.html", shown, status=status)
