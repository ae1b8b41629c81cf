"""Who a notification comes from."""

from dataclasses import dataclass
from uuid import UUID

from accounts.callers import Caller
from notifications.models import SenderKind


@dataclass(frozen=True)
class Sender:
    kind: SenderKind
    id: UUID | None
    name: str


SERVICE_SENDER = Sender(SenderKind.SERVICE, None, "Instrument Data Service")


def sender_of(by: Caller) -> Sender:
    """A token sends under its own name, a person under theirs."""
    if by.token:
        return Sender(SenderKind.TOKEN, by.token.pk, by.token.name)
    if by.user:
        return Sender(SenderKind.PERSON, by.user.pk, by.user.name)
    return SERVICE_SENDER
