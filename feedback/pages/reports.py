"""The form for feedback, one's own reports, and for admins everybody's."""

from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.authentication import caller_of_page
from accounts.guard import page
from accounts.integrations import find_connection
from accounts.models import IntegrationKind
from feedback import access
from feedback.models import Report, ReportKind, ReportStatus
from feedback.reports import FeedbackNotConfigured, NewReport, forget_draft, kept_reports, send_report
from feedback.serializers import NewReportSerializer
from feedback.tracker import TrackerUnavailable
from wire.clock import now
from wire.errors import ValidationError
from wire.inputs import read_body
from wire.notices import Notice, tell
from wire.pagination import page_of, read_window

PER_PAGE = 50
FIELDS = ("kind", "title", "description", "page_url")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(access.REPORT)
def feedback(request: HttpRequest) -> HttpResponse:
    """What was typed stays in the form, and as a draft, until the tracker has it."""
    typed = {name: request.POST.get(name, "") for name in FIELDS} if request.method == "POST" else _begun(request)
    if request.method == "POST":
        try:
            return _send(request, typed)
        except ValidationError as refused:
            return _form(request, typed, errors=(refused.details or {}).get("fields", {}), status=400)
        except (FeedbackNotConfigured, TrackerUnavailable) as fault:
            return _form(request, typed, fault=fault.message, status=fault.status)
    return _form(request, typed)


@never_cache
@require_POST
@page(access.REPORT)
def forget(request: HttpRequest, report_id: UUID) -> HttpResponse:
    forget_draft(report_id, by=caller_of_page(request))
    tell(request, Notice("The draft is gone."))
    return HttpResponseRedirect("/feedback")


@never_cache
@require_safe
@page(access.LIST_ALL)
def feedback_list(request: HttpRequest) -> HttpResponse:
    found = page_of(kept_reports(by=caller_of_page(request)), read_window(request.GET, per_page=PER_PAGE))
    return render(request, "feedback/list.html", {"page": found, "query": request.GET, "at": now()})


def _send(request: HttpRequest, typed: dict[str, str]) -> HttpResponse:
    given = read_body(
        NewReportSerializer, {name: value for name, value in typed.items() if value or name != "page_url"}
    )
    given["page_url"] = given.get("page_url") or ""
    sent = send_report(NewReport(**given), by=caller_of_page(request), at=now())
    tell(request, Notice(f"“{sent.title}” is with those who can help."))
    return HttpResponseRedirect("/feedback")


def _begun(request: HttpRequest) -> dict[str, str]:
    """A draft to go on with, or an empty form that knows the page one came from."""
    draft = next((row for row in _mine(request) if str(row.pk) == request.GET.get("draft")), None)
    if draft is not None and draft.status == ReportStatus.DRAFT:
        return {name: getattr(draft, name) for name in FIELDS}
    came_from = request.META.get("HTTP_REFERER", "")
    ours = url_has_allowed_host_and_scheme(came_from, allowed_hosts={request.get_host()})
    path = request.GET.get("page", "")
    page_url = settings.PUBLIC_URL + path if path.startswith("/") and not path.startswith("//") else ""
    return {"kind": ReportKind.BUG, "title": "", "description": "", "page_url": page_url or (came_from if ours else "")}


def _mine(request: HttpRequest) -> list[Report]:
    by = caller_of_page(request)
    return list(kept_reports(by=by).filter(created_by=by.user)[:PER_PAGE])


def _form(
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
        "kinds": ReportKind,
        "mine": _mine(request),
        "is_connected": find_connection(IntegrationKind.TRACKER) is not None,
        "at": now(),
    }
    return render(request, "feedback/form.html", shown, status=status)
