"""Deliveries. The outbox row is the truth; every task may run twice."""

from celery import shared_task

from notifications import announcements, delivery
from wire.clock import now


@shared_task(name="notifications.deliver")
def deliver(*, announcement_id: int) -> None:
    announcements.deliver_announcement(announcement_id=announcement_id, at=now())


@shared_task(name="notifications.sweep")
def sweep() -> None:
    at = now()
    for announcement_id in announcements.waiting_announcements(at=at):
        announcements.deliver_announcement(announcement_id=announcement_id, at=at)


@shared_task(name="notifications.forget")
def forget() -> None:
    announcements.forget_delivered(at=now())
    delivery.forget_ended(at=now())


@shared_task(name="notifications.sweep_chat")
def sweep_chat() -> None:
    """Whatever waits for the chat, one after the other: a second sweep at the same time finds other rows."""
    for delivery_id in delivery.due_deliveries(at=now()):
        delivery.deliver_to_chat(delivery_id, at=now())
