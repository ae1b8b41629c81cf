"""The inbox as people read it: by day, and what says the same of one instrument on one line."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby

from django.utils.timezone import localtime

from notifications.grouping import split_joined
from notifications.models import Notification, NotificationKind
from runs.addresses import run_address

ICONS = {
    NotificationKind.RUN_CREATED: "runs",
    NotificationKind.RUN_FAILED: "s-failed",
    NotificationKind.COMMENT: "comment",
    NotificationKind.MENTION: "comment",
    NotificationKind.GENERIC: "key",
    NotificationKind.WATCHER_OFFLINE: "s-offline",
    NotificationKind.WATCHER_ONLINE: "s-online",
    NotificationKind.FOLDER_AWAY: "warning",
    NotificationKind.NO_FILES: "warning",
    NotificationKind.INSTANCE_CONFLICT: "warning",
    NotificationKind.FEEDBACK_UPDATED: "info",
    NotificationKind.RUN_COMPLETED: "s-completed",
    NotificationKind.FILE_FAILED: "s-failed",
    NotificationKind.ARCHIVE_READY: "download",
}
WATCHER_TROUBLES = {
    NotificationKind.WATCHER_OFFLINE,
    NotificationKind.FOLDER_AWAY,
    NotificationKind.NO_FILES,
    NotificationKind.INSTANCE_CONFLICT,
}
WATCHER_KINDS = WATCHER_TROUBLES | {NotificationKind.WATCHER_ONLINE}
BAD_KINDS = WATCHER_TROUBLES | {NotificationKind.RUN_FAILED, NotificationKind.FILE_FAILED}
SPOKEN_KINDS = {NotificationKind.COMMENT, NotificationKind.MENTION}
MIN_GROUPED_RUNS = 3  # from so many on, new runs of one instrument are one line


@dataclass(frozen=True)
class InboxLine:
    """One message, or several new runs of one instrument: `rows` newest first."""

    rows: Sequence[Notification]

    @property
    def first(self) -> Notification:
        return self.rows[0]

    @property
    def icon(self) -> str:
        return ICONS[NotificationKind(self.first.kind)]

    @property
    def is_bad(self) -> bool:
        return self.first.kind in BAD_KINDS

    @property
    def is_unread(self) -> bool:
        return any(row.read_at is None for row in self.rows)

    @property
    def is_grouped(self) -> bool:
        return len(self.rows) > 1

    @property
    def instrument_name(self) -> str:
        return self.first.run.instrument.display_name if self.first.run else ""

    @property
    def headline(self) -> str:
        """The message, shorter where the run is named beside it."""
        if self.first.run is not None:
            match self.first.kind:
                case NotificationKind.COMMENT:
                    return f"{self.first.sender_name} commented"
                case NotificationKind.MENTION:
                    return f"{self.first.sender_name} mentioned you"
                case NotificationKind.RUN_FAILED:
                    return f"A run on {self.instrument_name} has a failed file"
                case NotificationKind.RUN_CREATED:
                    return f"New run on {self.instrument_name}"
        return split_joined(NotificationKind(self.first.kind), self.first.message)[0]

    @property
    def joined(self) -> Sequence[str]:
        """What a message of many watchers says of each."""
        return split_joined(NotificationKind(self.first.kind), self.first.message)[1]

    @property
    def quote(self) -> str:
        """What the comment begins with."""
        run = self.first.run
        if run is None or self.first.kind not in SPOKEN_KINDS:
            return ""
        return self.first.message.partition(f" on {run.run_id}: ")[2]

    @property
    def path(self) -> str:
        """Where it leads."""
        if self.first.run is not None:
            return run_address(self.first.run) + ("#comments" if self.first.kind in SPOKEN_KINDS else "")
        return "/watchers" if self.first.kind in WATCHER_KINDS else "/inbox"

    @property
    def has_target(self) -> bool:
        return self.first.run is not None or self.first.kind in WATCHER_KINDS


@dataclass(frozen=True)
class InboxDay:
    date: date
    label: str
    lines: Sequence[InboxLine]


def group_by_day(rows: Iterable[Notification], *, at: datetime) -> Iterator[InboxDay]:
    """In the order of the rows, newest first; the days are those of the current time zone."""
    today = localtime(at).date()
    for day, group in groupby(rows, key=lambda row: localtime(row.created_at).date()):
        label = {0: "Today", 1: "Yesterday"}.get((today - day).days, f"{day:%A, %-d %B}")
        yield InboxDay(day, label, list(_group_lines(list(group))))


def _group_lines(rows: Sequence[Notification]) -> Iterator[InboxLine]:
    """A line stands where its newest message stood."""
    families: dict[str, list[Notification]] = {}
    for row in rows:
        families.setdefault(_group_key(row), []).append(row)
    for row in rows:
        family = families.get(_group_key(row), [])
        if len(family) < MIN_GROUPED_RUNS:
            yield InboxLine([row])
        elif family[0] is row:
            yield InboxLine(family)


def _group_key(row: Notification) -> str:
    is_new_run = row.kind == NotificationKind.RUN_CREATED and row.run is not None
    return f"{row.run.instrument_id} {row.read_at is None}" if is_new_run and row.run else str(row.pk)
