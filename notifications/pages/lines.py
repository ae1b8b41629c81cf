"""The inbox as people read it: by day, and what says the same of one instrument on one line."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby

from django.utils.timezone import localtime

from notifications.models import Kind, Notification

SIGNS = {
    Kind.RUN_CREATED: "runs",
    Kind.RUN_FAILED: "s-failed",
    Kind.COMMENT: "comment",
    Kind.GENERIC: "key",
    Kind.WATCHER_OFFLINE: "s-offline",
    Kind.WATCHER_ONLINE: "s-online",
    Kind.FEEDBACK_UPDATED: "info",
}
BAD = {Kind.RUN_FAILED, Kind.WATCHER_OFFLINE}
FOLDED = 3  # from so many on, new runs of one instrument are one line


@dataclass(frozen=True)
class Line:
    """One message, or several new runs of one instrument: `rows` newest first."""

    rows: Sequence[Notification]

    @property
    def first(self) -> Notification:
        return self.rows[0]

    @property
    def sign(self) -> str:
        return SIGNS[Kind(self.first.kind)]

    @property
    def is_bad(self) -> bool:
        return self.first.kind in BAD

    @property
    def is_unread(self) -> bool:
        return any(row.read_at is None for row in self.rows)

    @property
    def is_folded(self) -> bool:
        return len(self.rows) > 1

    @property
    def instrument_name(self) -> str:
        return self.first.run.instrument.display_name if self.first.run else ""

    @property
    def headline(self) -> str:
        """The message, shorter where the run is named beside it."""
        if self.first.run is not None:
            match self.first.kind:
                case Kind.COMMENT:
                    return f"{self.first.sender_name} commented"
                case Kind.RUN_FAILED:
                    return f"A run on {self.instrument_name} has a failed file"
                case Kind.RUN_CREATED:
                    return f"New run on {self.instrument_name}"
        return self.first.message

    @property
    def quote(self) -> str:
        """What the comment begins with."""
        run = self.first.run
        if run is None or self.first.kind != Kind.COMMENT:
            return ""
        return self.first.message.partition(f" on {run.run_id}: ")[2]

    @property
    def leads_somewhere(self) -> bool:
        return self.first.run is not None or self.first.kind in (Kind.WATCHER_OFFLINE, Kind.WATCHER_ONLINE)


@dataclass(frozen=True)
class Day:
    date: date
    label: str
    lines: Sequence[Line]


def days_of(rows: Iterable[Notification], *, at: datetime) -> Iterator[Day]:
    """In the order of the rows, newest first; the days are those of the service's time zone."""
    today = localtime(at).date()
    for day, group in groupby(rows, key=lambda row: localtime(row.created_at).date()):
        label = {0: "Today", 1: "Yesterday"}.get((today - day).days, f"{day:%A, %-d %B}")
        yield Day(day, label, list(_lines(list(group))))


def _lines(rows: Sequence[Notification]) -> Iterator[Line]:
    """A line stands where its newest message stood."""
    families: dict[str, list[Notification]] = {}
    for row in rows:
        families.setdefault(_family(row), []).append(row)
    for row in rows:
        family = families.get(_family(row), [])
        if len(family) < FOLDED:
            yield Line([row])
        elif family[0] is row:
            yield Line(family)


def _family(row: Notification) -> str:
    is_new_run = row.kind == Kind.RUN_CREATED and row.run is not None
    return f"{row.run.instrument_id} {row.read_at is None}" if is_new_run and row.run else str(row.pk)
