"""Sending digests: leased before the call, tried again with growing pauses, and never begun by two.

What a dying worker may have handed to the mail server is sent again under the same Message-ID, by which it is known.
"""

import smtplib
from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.utils import timezone

from jobs.leases import JobQueue, Lease, end_job, lease_next_job
from notifications.digests.gathering import TASK
from notifications.email_delivery import KEPT, MAX_ATTEMPTS, NOT_SET_UP, note_failure
from notifications.inbox_lines import group_by_day
from notifications.models import Digest, EmailDelivery, Notification
from notifications.recipients import GIVEN_UP, SWITCHED_OFF, list_seen_by
from wire.time_zones import find_time_zone

MAX_MESSAGES = 200
DIGESTS = JobQueue(
    task=TASK,
    unfinished=Digest.objects.filter(sent_at__isnull=True, refused_at__isnull=True),
    requested_at="created_at",
    lease=timedelta(minutes=2),
    max_attempts=MAX_ATTEMPTS,
    pause=timedelta(seconds=30),
)


def deliver_next_digest(*, at: datetime) -> bool:
    """Send the one that has waited longest, or write down why not."""
    lease = lease_next_job(DIGESTS, at=at)
    if lease is None:
        return False
    if lease.is_exhausted:
        _end(lease, {"refused_at": at, "error_message": GIVEN_UP})
        return False
    digest = Digest.objects.select_related("user").get(pk=lease.job.pk)
    told = list_messages(digest)
    if reason := _find_obstacle(digest, told):
        _end(lease, {"refused_at": at, "error_message": reason})
        return False
    try:
        build_digest_mail(digest, told, at=at).send()
    except (smtplib.SMTPException, OSError) as fault:
        note_failure(lease, fault, at=at)
        return False
    _end(lease, {"sent_at": at, "error_message": ""})
    return True


def list_messages(digest: Digest) -> list[Notification]:
    """What waited for it, newest first, of what its reader may still see; one more than is shown, where there is."""
    rows = list_seen_by(digest.user).filter(email_delivery__digest=digest)
    return list(rows.select_related("run__instrument").order_by("-created_at", "-id")[: MAX_MESSAGES + 1])


def build_digest_mail(digest: Digest, told: Sequence[Notification], *, at: datetime) -> EmailMultiAlternatives:
    """Plain text and HTML that say the same, by day and grouped as the inbox groups."""
    with timezone.override(find_time_zone(digest.user.time_zone)):
        days = list(group_by_day(told[:MAX_MESSAGES], at=at))
    count = f"{len(told):,}" if len(told) <= MAX_MESSAGES else f"more than {MAX_MESSAGES:,}"
    shown = {
        "name": digest.user.name,
        "days": days,
        "is_cut": len(told) > MAX_MESSAGES,
        "public_url": settings.PUBLIC_URL,
    }
    mail = EmailMultiAlternatives(
        subject=f"Your day in the lab: {count} message{'' if len(told) == 1 else 's'}, {digest.day:%-d %B}",
        body=render_to_string("notifications/digest.txt", shown),
        to=[digest.user.email],
        headers={
            "Message-ID": f"<digest.{digest.pk}.{digest.day}@{urlsplit(settings.PUBLIC_URL).hostname}>",
            "Auto-Submitted": "auto-generated",
        },
    )
    mail.attach_alternative(render_to_string("notifications/digest.html", shown), "text/html")
    return mail


def forget_ended(*, at: datetime) -> int:
    ended = Q(sent_at__lt=at - KEPT) | Q(refused_at__lt=at - KEPT)
    return Digest.objects.filter(ended).delete()[0]


def _find_obstacle(digest: Digest, told: Sequence[Notification]) -> str:
    if not settings.EMAIL_URL:
        return NOT_SET_UP
    if not digest.user.is_active:
        return SWITCHED_OFF
    return "" if told else "Nothing of it may be seen any more."


@transaction.atomic
def _end(lease: Lease[Digest], values: dict[str, object]) -> None:
    """The digest, and with it all that it holds."""
    if end_job(lease, values):
        EmailDelivery.objects.filter(digest=lease.job.pk).update(**values)
