"""Messages that scripts send to people."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.callers import Caller
from accounts.sight import keep_those_who_see
from notifications.inbox import store_notifications
from notifications.models import NotificationKind
from notifications.senders import sender_of
from runs.lifecycle import find_run


@dataclass(frozen=True)
class RunLink:
    instrument_id: str
    run_id: str


@dataclass(frozen=True)
class Dispatched:
    """Who was told, and who was not: unknown, inactive, not to see the run, or with the message unread. As asked."""

    notified_user_ids: list[str]
    skipped_user_ids: list[str]


@transaction.atomic
def dispatch_message(
    *, user_ids: Sequence[str], message: str, run: RunLink | None, by: Caller, at: datetime
) -> Dispatched:
    """Send one message to each of these people, or raise RunMissing. A repeat of an unread one is skipped."""
    linked = find_run(instrument=run.instrument_id, run_id=run.run_id, by=by) if run else None
    known = {text: person for text in user_ids if (person := parse_uuid(text))}
    people = set(known.values())
    told = store_notifications(
        recipients=keep_those_who_see(people, linked.instrument_id) if linked else people,
        kind=NotificationKind.GENERIC,
        message=message,
        sender=sender_of(by),
        run_id=linked.pk if linked else None,
        at=at,
    )
    asked = list(dict.fromkeys(user_ids))
    notified = [text for text in asked if known.get(text) in told]
    return Dispatched(notified, [text for text in asked if text not in notified])


def parse_uuid(text: str) -> UUID | None:
    """Whatever is no UUID is nobody's id."""
    try:
        return UUID(text) if len(text) == 36 else None
    except ValueError:
        return None
