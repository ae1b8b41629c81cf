"""Deliveries. The outbox row is the truth; every task may run twice."""

from celery import shared_task

from jobs.leases import has_abandoned_jobs
from jobs.quiet_scheduler import only_where
from jobs.sweeps import enqueue_abandoned_jobs
from notifications import announcements, delivery, email_delivery
from notifications.digests import delivery as delivery_of_digests
from notifications.digests.gathering import gather_digests, has_waiting_digests
from notifications.ending_tokens import tell_of_ending_tokens
from wire.clock import now


@shared_task(name="notifications.deliver")
def deliver_announcement(*, announcement_id: int | None = None) -> None:
    """Deliver what has waited longest. `announcement_id` came with tasks of earlier versions."""
    announcements.deliver_next_announcement(at=now())


@shared_task(name="notifications.sweep")
@only_where(lambda at: has_abandoned_jobs(announcements.ANNOUNCEMENTS, at=at))
def deliver_waiting_announcements() -> None:
    enqueue_abandoned_jobs(announcements.ANNOUNCEMENTS, at=now())


@shared_task(name="notifications.deliver_to_chat")
def deliver_to_chat() -> None:
    delivery.deliver_next_to_chat(at=now())


@shared_task(name="notifications.sweep_chat")
@only_where(lambda at: has_abandoned_jobs(delivery.CHAT_DELIVERIES, at=at))
def deliver_waiting_chats() -> None:
    enqueue_abandoned_jobs(delivery.CHAT_DELIVERIES, at=now())


@shared_task(name="notifications.deliver_by_email")
def deliver_by_email() -> None:
    email_delivery.deliver_next_by_email(at=now())


@shared_task(name="notifications.sweep_email")
@only_where(lambda at: has_abandoned_jobs(email_delivery.EMAIL_DELIVERIES, at=at))
def deliver_waiting_emails() -> None:
    enqueue_abandoned_jobs(email_delivery.EMAIL_DELIVERIES, at=now())


@shared_task(name="notifications.deliver_digest")
def deliver_digest() -> None:
    delivery_of_digests.deliver_next_digest(at=now())


@shared_task(name="notifications.sweep_digests")
@only_where(lambda at: has_waiting_digests() or has_abandoned_jobs(delivery_of_digests.DIGESTS, at=at))
def gather_and_deliver_digests() -> None:
    at = now()
    gather_digests(at=at)
    enqueue_abandoned_jobs(delivery_of_digests.DIGESTS, at=at)


@shared_task(name="notifications.warn")
def warn_of_ending_tokens() -> None:
    tell_of_ending_tokens(at=now())


@shared_task(name="notifications.forget")
def delete_old_deliveries() -> None:
    announcements.forget_delivered(at=now())
    delivery.forget_ended(at=now())
    email_delivery.forget_ended(at=now())
    delivery_of_digests.forget_ended(at=now())
