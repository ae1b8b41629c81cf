"""Messages on their way to the chat: leased before the call, tried again with growing pauses, refused for good once."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q, QuerySet

from accounts.integrations import find_connection, record_call_result
from accounts.models import IntegrationKind
from jobs.leases import RELEASED, JobQueue, Lease, end_attempt, end_job, lease_job, lease_next_job, rest_queue
from notifications.chat import ChatSendFailed, send_direct_message
from notifications.models import ChatDelivery, Notification
from notifications.recipients import GIVEN_UP, find_obstacle
from runs.addresses import run_address

MAX_ATTEMPTS = 8
CHAT_DELIVERIES = JobQueue(
    task="notifications.deliver_to_chat",
    unfinished=ChatDelivery.objects.filter(sent_at__isnull=True, refused_at__isnull=True),
    requested_at="notification__created_at",
    lease=timedelta(minutes=1),  # a call takes seconds
    max_attempts=MAX_ATTEMPTS,
    pause=timedelta(seconds=15),  # doubles: the last attempt is about an hour after the first
)
UNANSWERED_PAUSE = timedelta(minutes=10)  # before the only further attempt of a message that may be there
CHAT_REST = timedelta(seconds=30)  # of all that waits, once the chat was away
KEPT = timedelta(days=14)
NOT_CONNECTED = "No chat is connected any more."


def deliver_to_chat(delivery_id: int, *, at: datetime) -> bool:
    """Send it, or write down why not. Of two who try at once one does; no transaction is open during the call."""
    return _deliver(lease_job(CHAT_DELIVERIES, delivery_id, at=at), at=at)


def deliver_next_to_chat(*, at: datetime) -> bool:
    """The same with the one that has waited longest."""
    return _deliver(lease_next_job(CHAT_DELIVERIES, at=at), at=at)


def _deliver(lease: Lease[ChatDelivery] | None, *, at: datetime) -> bool:
    if lease is None:
        return False
    if lease.is_exhausted:
        end_job(lease, {"refused_at": at, "error_message": GIVEN_UP})
        return False
    row = ChatDelivery.objects.select_related("notification__recipient", "notification__run").get(pk=lease.job.pk)
    connection = find_connection(IntegrationKind.CHAT)
    obstacle = NOT_CONNECTED if connection is None else find_obstacle(row.notification)
    if connection is None or obstacle:
        end_job(lease, {"refused_at": at, "error_message": obstacle})
        return False
    try:
        send_direct_message(connection, email=row.notification.recipient.email, text=text_of(row.notification))
    except ChatSendFailed as fault:
        _note_failure(lease, fault, at=at)
        return False
    end_job(lease, {"sent_at": at, "error_message": ""})
    record_call_result(IntegrationKind.CHAT, error=None, at=at)
    return True


def text_of(notification: Notification) -> str:
    """The message, whose words it is where they are not the service's, and where it leads."""
    sender = f"{notification.worded_by}: " if notification.worded_by else ""
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
    return deliveries.filter(refused_at__isnull=False).update(attempts=0, refused_at=None, error_message="", **RELEASED)


def _note_failure(lease: Lease[ChatDelivery], fault: ChatSendFailed, *, at: datetime) -> None:
    if fault.is_connection_fault or not fault.is_final:
        record_call_result(IntegrationKind.CHAT, error=fault.reason, at=at)
    if fault.is_final or lease.attempt >= MAX_ATTEMPTS:
        end_job(lease, {"refused_at": at, "error_message": fault.reason})
    elif fault.may_be_there:
        end_attempt(lease, reason=fault.reason, at=at, wait=UNANSWERED_PAUSE)
        ChatDelivery.objects.filter(pk=lease.job.pk, sent_at__isnull=True).update(attempts=MAX_ATTEMPTS - 1)
    else:
        pause = fault.wait or CHAT_DELIVERIES.pause * 2 ** (lease.attempt - 1)
        end_attempt(lease, reason=fault.reason, at=at, wait=pause)
    if fault.is_away:  # the next message would fare the same, and hold up whatever waits for the same threads
        rest_queue(CHAT_DELIVERIES, at=at, wait=fault.wait or CHAT_REST)
