"""What recurs. Every task may run twice."""

from celery import shared_task

from feedback.reports import sync_reports
from wire.clock import now


@shared_task(name="feedback.sync")
def sync_feedback() -> None:
    sync_reports(at=now())
