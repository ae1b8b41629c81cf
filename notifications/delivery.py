"""Messages on their way to the chat: leased before the call, tried again with growing pauses, refused for good once."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F, Q, QuerySet

from accounts.integrations import find_connection, note_answer
from accounts.models import IntegrationKind
from notifications.chat import NotSent, send_direct
from notifications.models import ChatDelivery, Notification
from runs.addresses import run_address

MAX_ATTEMPTS = 8
LEASE = timedelta(minutes=1)  # a call takes seconds; who died in it is followed after this
FIRST_PAUSE = timedelta(seconds=15)  # doubles: the last attempt is about an hour after the first
KEPT = timedelta(days=14)
NOT_CONNECTED = "No chat is connected any more."
AT_ONCE = 50


def due_deliveries(*, at: datetime) -> list[int]:
    due = Q(retry_at__isnull=True) | Q(retry_at__lte=at)
    return list(waiting_deliveries().filter(due).order_by("id").values_list("pk", flat=True)[:AT_ONCE])


def deliver_to_chat(delivery_id: int, *, at: datetime) -> bool:
    """Send it, or write down why not. Of two who try at once one does; no transaction is open during the call."""
    due = waiting_deliveries().filter(Q(retry_at__isnull=True) | Q(retry_at__lte=at), pk=delivery_id)
    if not due.update(attempts=F("attempts") + 1, retry_at=at + LEASE):
        return False
    row = ChatDelivery.objects.select_related("notification__recipient", "notification__run").get(pk=delivery_id)
    connection = find_connection(IntegrationKind.CHAT)
    if connection is None or not row.notification.recipient.is_active:
        _end(row, refused_at=at, error_message=NOT_CONNECTED if connection is None else "The person is switched off.")
        return False
    try:
        send_direct(connection, email=row.notification.recipient.email, text=text_of(row.notification))
    except NotSent as fault:
        _note_failure(row, fault, at=at)
        return False
    _end(row, sent_at=at, error_message="")
    note_answer(IntegrationKind.CHAT, error=None, at=at)
    return True


def text_of(notification: Notification) -> str:
    """The message, who sent it where that is not the service itself, and where it leads."""
    sender = "" if notification.sender_kind == "service" else f"{notification.sender_name}: "
    path = run_address(notification.run) if notification.run else "/inbox"
    return f"{sender}{notification.message}\n{settings.PUBLIC_URL}{path}"


def refused_deliveries() -> QuerySet[ChatDelivery]:
    """What could not be sent for good, newest first."""
    refused = ChatDelivery.objects.filter(refused_at__isnull=False).order_by("-refused_at", "-id")
    return refused.select_related("notification__recipient")


def forget_ended(*, at: datetime) -> int:
    ended = Q(sent_at__lt=at - KEPT) | Q(refused_at__lt=at - KEPT)
    return ChatDelivery.objects.filter(ended).delete()[0]


def send_again(deliveries: QuerySet[ChatDelivery]) -> int:
    """Let the sweep try refused ones from the beginning; how many they are."""
    return deliveries.filter(refused_at__isnull=False).update(
        attempts=0, retry_at=None, refused_at=None, error_message=""
    )


def waiting_deliveries() -> QuerySet[ChatDelivery]:
    """Neither sent nor refused for good."""
    return ChatDelivery.objects.filter(sent_at__isnull=True, refused_at__isnull=True)


def _note_failure(row: ChatDelivery, fault: NotSent, *, at: datetime) -> None:
    if fault.is_ours or not fault.is_final:
        note_answer(IntegrationKind.CHAT, error=fault.reason, at=at)
    if fault.is_final or row.attempts >= MAX_ATTEMPTS:
        _end(row, refused_at=at, error_message=fault.reason)
    else:
        pause = fault.wait or FIRST_PAUSE * 2 ** (row.attempts - 1)
        ChatDelivery.objects.filter(pk=row.pk).update(retry_at=at + pause, error_message=fault.reason)


def _end(row: ChatDelivery, **values: object) -> None:
    ChatDelivery.objects.filter(pk=row.pk).update(retry_at=None, **values)
