"""Reports of people: kept here first, then sent to the tracker. What somebody typed is never lost."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from accounts.callers import Caller
from accounts.integrations import IntegrationConnection, find_connection, record_call_result
from accounts.models import IntegrationKind
from feedback.errors import TrackerUnavailable
from feedback.models import FeedbackStatus, Report, ReportQuerySet
from feedback.signals import feedback_updated
from feedback.tracker import Issue, create_issue, read_issue
from wire.errors import NotFound, ServiceError, Unauthorized

log = logging.getLogger(__name__)
SYNC_INTERVAL = timedelta(minutes=30)
MAX_REPORTS_PER_SYNC = 20


class FeedbackNotConfigured(ServiceError):
    status, code = 503, "FEEDBACK_NOT_CONFIGURED"

    def __init__(self, **details: str) -> None:
        super().__init__("No issue tracker is connected yet. An admin can do that in the settings.", **details)


class ReportMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such report.")


@dataclass(frozen=True)
class NewReport:
    kind: str
    title: str
    description: str
    page_url: str = ""


def send_report(new: NewReport, *, by: Caller, at: datetime) -> Report:
    """Keep it, then open an issue. Raises FeedbackNotConfigured, TrackerUnavailable; the draft stays all the same."""
    draft = save_draft(new, by=by, at=at)
    connection = find_connection(IntegrationKind.TRACKER)
    if connection is None:
        raise FeedbackNotConfigured(draft_id=str(draft.pk))
    try:
        issue = create_issue(connection, title=draft.title, body=build_issue_body(draft), label=draft.kind)
    except TrackerUnavailable as fault:
        record_call_result(IntegrationKind.TRACKER, error=fault.message, at=at)
        Report.objects.filter(pk=draft.pk).update(error_message=fault.message)
        raise TrackerUnavailable(fault.message, draft_id=str(draft.pk)) from None
    record_call_result(IntegrationKind.TRACKER, error=None, at=at)
    return _mark_sent(draft, issue, connection=connection, at=at)


def save_draft(new: NewReport, *, by: Caller, at: datetime) -> Report:
    """The same title by the same person that was not sent yet is the same draft: trying again makes no second one."""
    if by.user is None:
        raise Unauthorized("Only people send feedback.")
    values = {"kind": new.kind, "description": new.description, "page_url": new.page_url, "error_message": ""}
    with transaction.atomic():
        drafts = Report.objects.select_for_update().filter(
            created_by=by.user, status=FeedbackStatus.DRAFT, title=new.title
        )
        known = drafts.order_by("-created_at").first()
        if known is None:
            return Report.objects.create(title=new.title, created_by=by.user, created_at=at, **values)
        for name, value in values.items():
            setattr(known, name, value)
        known.save(update_fields=list(values))
        return known


def list_reports(*, by: Caller) -> ReportQuerySet:
    """Newest first. Raises FeedbackNotConfigured."""
    if find_connection(IntegrationKind.TRACKER) is None:
        raise FeedbackNotConfigured
    return list_stored_reports(by=by)


def list_stored_reports(*, by: Caller) -> ReportQuerySet:
    """As list_reports, whether or not a tracker is connected: drafts are somebody's own."""
    return Report.objects.visible_to(by).select_related("created_by").order_by("-created_at", "-id")


def find_report(report_id: UUID, *, by: Caller) -> Report:
    """Raises FeedbackNotConfigured, ReportMissing."""
    report = list_reports(by=by).filter(pk=report_id).first()
    if report is None:
        raise ReportMissing
    return report


def delete_draft(report_id: UUID, *, by: Caller) -> None:
    """Only one's own, and only what was never sent."""
    Report.objects.filter(pk=report_id, created_by=by.user, status=FeedbackStatus.DRAFT).delete()


def sync_reports(*, at: datetime) -> int:
    """Ask the tracker what became of open reports, the longest unasked first; how many were closed."""
    connection = find_connection(IntegrationKind.TRACKER)
    if connection is None:
        return 0
    due = Q(synced_at__isnull=True) | Q(synced_at__lte=at - SYNC_INTERVAL)
    rows = Report.objects.filter(due, status=FeedbackStatus.OPEN, repository=connection.target)
    return sum(
        _sync_report(row, connection, at=at)
        for row in rows.order_by(F("synced_at").asc(nulls_first=True))[:MAX_REPORTS_PER_SYNC]
    )


def build_issue_body(report: Report) -> str:
    page = f"\n\nOn {report.page_url}" if report.page_url else ""
    return f"{report.description}{page}\n\nReported by {report.created_by.name} in {settings.PUBLIC_URL}"


def _mark_sent(draft: Report, issue: Issue, *, connection: IntegrationConnection, at: datetime) -> Report:
    draft.status, draft.issue_number, draft.url = FeedbackStatus.OPEN, issue.number, issue.url
    draft.repository, draft.synced_at, draft.error_message = connection.target, at, ""
    draft.save(update_fields=["status", "issue_number", "url", "repository", "synced_at", "error_message"])
    return draft


def _sync_report(report: Report, connection: IntegrationConnection, *, at: datetime) -> bool:
    Report.objects.filter(pk=report.pk).update(synced_at=at)
    try:
        issue = read_issue(connection, repository=report.repository, number=report.issue_number or 0)
    except TrackerUnavailable as fault:
        log.warning("a report could not be followed", extra={"report": str(report.pk), "reason": fault.message})
        return False
    if not issue.is_closed:
        return False
    with transaction.atomic():
        closed = Report.objects.filter(pk=report.pk, status=FeedbackStatus.OPEN).update(status=FeedbackStatus.CLOSED)
        if closed:
            feedback_updated.send(Report, report=report, at=at)
    return bool(closed)
