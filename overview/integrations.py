"""The services outside, together: asking each whether it answers."""

from datetime import datetime

from accounts.callers import Caller
from accounts.integrations import find_connection, record_call_result
from accounts.models import IntegrationKind
from feedback.errors import TrackerUnavailable
from feedback.tracker import check_tracker
from notifications.chat import ChatSendFailed, check_chat
from wire.errors import Conflict


class NotConnected(Conflict):
    def __init__(self, kind: IntegrationKind) -> None:
        super().__init__(f"{kind.label}: nothing is connected, or its token must be given again.", kind=str(kind))


class CheckFailed(Conflict):
    def __init__(self, kind: IntegrationKind, reason: str) -> None:
        super().__init__(reason, kind=str(kind))


def check_integration(kind: IntegrationKind, *, by: Caller, at: datetime) -> str:
    """What answers, by the name it gives itself. Raises NotConnected, CheckFailed."""
    connection = find_connection(kind)
    if connection is None:
        raise NotConnected(kind)
    try:
        name = check_chat(connection) if kind is IntegrationKind.CHAT else check_tracker(connection)
    except (ChatSendFailed, TrackerUnavailable) as fault:
        record_call_result(kind, error=str(fault), at=at)
        raise CheckFailed(kind, str(fault)) from None
    record_call_result(kind, error=None, at=at)
    return name
