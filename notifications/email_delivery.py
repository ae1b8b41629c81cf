"""Messages on their way to mailboxes: leased before the call, tried again with growing pauses."""

import smtplib
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db.models import Q
from django.template.loader import render_to_string

from jobs.leases import JobQueue, Lease, end_attempt, end_job, lease_next_job, rest_queue
from notifications.grouping import split_joined
from notifications.models import EmailDelivery, Notification, NotificationKind
from notifications.recipients import GIVEN_UP, find_obstacle
from runs.addresses import run_address

NOT_SET_UP = "Mail is not set up any more."
MAX_ATTEMPTS = 10
EMAIL_DELIVERIES = JobQueue(
    task="notifications.deliver_by_email",
    unfinished=EmailDelivery.objects.filter(sent_at__isnull=True, refused_at__isnull=True, is_daily=False),
    requested_at="notification__created_at",
    lease=timedelta(minutes=2),  # a conversation takes seconds
    max_attempts=MAX_ATTEMPTS,
    pause=timedelta(seconds=30),  # doubles: the last attempt is about four hours after the first
)
SERVER_REST = timedelta(seconds=45)  # of all that waits, once the server was away
KEPT = timedelta(days=14)
MAX_SUBJECT_CHARS = 120
PERMANENT = range(500, 600)


def deliver_next_by_email(*, at: datetime) -> bool:
    """Send the one that has waited longest, or write down why not."""
    lease = lease_next_job(EMAIL_DELIVERIES, at=at)
    if lease is None:
        return False
    if lease.is_exhausted:
        end_job(lease, {"refused_at": at, "error_message": GIVEN_UP})
        return False
    row = EmailDelivery.objects.select_related("notification__recipient", "notification__run").get(pk=lease.job.pk)
    if reason := find_obstacle(row.notification) if settings.EMAIL_URL else NOT_SET_UP:
        end_job(lease, {"refused_at": at, "error_message": reason})
        return False
    try:
        build_mail(row.notification).send()
    except (smtplib.SMTPException, OSError) as fault:
        note_failure(lease, fault, at=at)
        return False
    end_job(lease, {"sent_at": at, "error_message": ""})
    return True


def build_mail(notification: Notification) -> EmailMultiAlternatives:
    """Plain text and HTML that say the same; no picture, nothing that is loaded from elsewhere."""
    path = run_address(notification.run) if notification.run else "/inbox"
    headline, joined = split_joined(NotificationKind(notification.kind), notification.message)
    shown = {
        "message": notification.message,
        "headline": headline,
        "joined": joined,
        "sender": notification.worded_by,
        "kind": NotificationKind(notification.kind).label,
        "link": f"{settings.PUBLIC_URL}{path}",
        "opens": "Open the run" if notification.run else "Open the inbox",
        "settings": f"{settings.PUBLIC_URL}/settings/notifications",
        "name": notification.recipient.name,
    }
    mail = EmailMultiAlternatives(
        subject=_build_subject(notification),
        body=render_to_string("notifications/mail.txt", shown),
        to=[notification.recipient.email],
        headers={
            "Message-ID": f"<message.{notification.pk}@{urlsplit(settings.PUBLIC_URL).hostname}>",  # of every attempt
            "Auto-Submitted": "auto-generated",
        },
    )
    mail.attach_alternative(render_to_string("notifications/mail.html", shown), "text/html")
    return mail


def forget_ended(*, at: datetime) -> int:
    ended = Q(sent_at__lt=at - KEPT) | Q(refused_at__lt=at - KEPT)
    return EmailDelivery.objects.filter(ended).delete()[0]


def _build_subject(notification: Notification) -> str:
    headline, _ = split_joined(NotificationKind(notification.kind), notification.message)
    line = " ".join(headline.split())
    text = f"{NotificationKind(notification.kind).label}: {line}"
    return text if len(text) <= MAX_SUBJECT_CHARS else text[: MAX_SUBJECT_CHARS - 1] + "…"


def note_failure(lease: Lease[Any], fault: Exception, *, at: datetime) -> None:
    """What the server refuses for good is not tried again. One that is away is left alone by all for a while."""
    reason = f"The mail server did not take it ({type(fault).__name__})."
    if is_final(fault) or lease.attempt >= MAX_ATTEMPTS:
        end_job(lease, {"refused_at": at, "error_message": reason})
    else:
        end_attempt(lease, reason=reason, at=at, wait=lease.queue.pause * 2 ** (lease.attempt - 1))
    if is_away(fault):
        rest_queue(lease.queue, at=at, wait=SERVER_REST)


def is_final(fault: Exception) -> bool:
    """The mailbox or the text is refused. Anything else, such as a sender that may not, is for an admin to mend."""
    if isinstance(fault, smtplib.SMTPDataError):
        return fault.smtp_code in PERMANENT
    codes = [code for code, _ in fault.recipients.values()] if isinstance(fault, smtplib.SMTPRecipientsRefused) else []
    return bool(codes) and all(code in PERMANENT for code in codes)


def is_away(fault: Exception) -> bool:
    """Whether the next message would fare the same: no connection, or none that lasted."""
    return isinstance(fault, smtplib.SMTPServerDisconnected | smtplib.SMTPConnectError) or not isinstance(
        fault, smtplib.SMTPException
    )
