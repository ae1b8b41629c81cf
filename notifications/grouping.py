"""Announcements that come in numbers: a switch that fails silences every watcher behind it.

The first of a kind waits in the outbox, what follows within five minutes joins it, and each person gets one message.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from notifications.models import Announcement, NotificationKind

GROUPING_WINDOW = timedelta(minutes=5)
HEADLINES = {  # of the kinds that are grouped
    NotificationKind.WATCHER_OFFLINE: "{count} watchers fell silent.",
    NotificationKind.WATCHER_ONLINE: "{count} watchers are back.",
    NotificationKind.FOLDER_AWAY: "{count} watchers cannot see their folder.",
    NotificationKind.NO_FILES: "{count} watchers have found no new file for too long.",
    NotificationKind.INSTANCE_CONFLICT: "{count} watchers are reported by two computers each.",
}
GROUP_LOCK = 0x1D5_6809  # advisory lock, with the kind: of two that come at once one opens the group
REST = "\nAnd {count} more."


def place_in_group(kind: NotificationKind, *, at: datetime) -> dict[str, Any]:
    """The columns by which a new line waits for others or joins them; none where its kind is not grouped.

    The group that it joins is locked until the end of the transaction, so that it is not delivered without the line.
    """
    if kind not in HEADLINES:
        return {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [GROUP_LOCK, kind.value])
    waiting = Announcement.objects.filter(kind=kind, joined_to__isnull=True, delivered_at__isnull=True, attempts=0)
    open_now = waiting.filter(lease_id__isnull=True, lease_until__gt=at, created_at__gt=at - GROUPING_WINDOW)
    first = open_now.select_for_update().order_by("id").first()
    return {"joined_to": first} if first else {"lease_until": at + GROUPING_WINDOW}


def join_messages(kind: NotificationKind, messages: Sequence[str], *, max_length: int) -> str:
    """The message itself where it is alone; else how many they are, and a line for as many as there is room for."""
    different = list(dict.fromkeys(messages))
    if len(different) == 1:
        return different[0]
    text = HEADLINES[kind].format(count=len(different))
    room = max_length - len(text) - len(REST.format(count=len(different)))
    shown = 0
    for message in different:
        if len(message) + 1 > room:
            break
        text, room, shown = f"{text}\n{message}", room - len(message) - 1, shown + 1
    return text + (REST.format(count=len(different) - shown) if shown < len(different) else "")


def split_joined(kind: NotificationKind, message: str) -> tuple[str, Sequence[str]]:
    """How many they are, and the lines that were joined; the message and nothing where it was alone."""
    headline = HEADLINES.get(kind, "").replace("{count}", r"[\d,]+")
    found = re.match(rf"({headline})\s+", message) if headline else None
    return (found[1], message[found.end() :].split("\n")) if found else (message, [])
