"""Times as people say them: "last week", "3 days ago", "2026-11-02", a datetime."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, timezone
from typing import TypeAlias

from instrument_data.plain import unwrap

When: TypeAlias = "str | date | datetime | timedelta"
DAY = timedelta(days=1)
NAMED = {
    "now": timedelta(0),
    "last hour": DAY / 24,
    "last day": DAY,
    "last week": 7 * DAY,
    "last month": 30 * DAY,
    "last year": 365 * DAY,
}
UNITS = {"minute": DAY / 1440, "hour": DAY / 24, "day": DAY, "week": 7 * DAY, "month": 30 * DAY, "year": 365 * DAY}
AGO = re.compile(r"(?:last )?(\d{1,6}) ?(minute|hour|day|week|month|year)s?(?: ago)?")
MIDNIGHTS = {"today": 0, "yesterday": 1}


def moment_text(when: When, *, at: datetime | None = None) -> str:
    """As a query parameter: a day as it is (the service knows its time zone), all else as a date-time in UTC."""
    when = unwrap(when)
    if isinstance(when, str):
        return _read(when.strip(), at or datetime.now().astimezone())
    if isinstance(when, timedelta):
        return _format((at or datetime.now().astimezone()) - when)
    if isinstance(when, datetime):
        return _format(when.astimezone())
    if isinstance(when, date):
        return when.isoformat()
    raise TypeError(f"{when!r} is no time: a text such as 'last week', a date, a datetime or a timedelta is needed.")


def end_text(when: When, *, at: datetime | None = None) -> str:
    """When something ends, as a date-time in UTC: a day lasts until its midnight here, a timedelta counts from now."""
    when = unwrap(when)
    if isinstance(when, timedelta):
        return _format((at or datetime.now().astimezone()) + when)
    text = moment_text(when, at=at)
    if len(text) > len("2026-11-02"):
        return text
    return _format(datetime.combine(date.fromisoformat(text) + DAY, time.min).astimezone())


def parse_moment(text: str | None) -> datetime | None:
    """A timestamp of the service."""
    return None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00"))


def _read(text: str, at: datetime) -> str:
    words = " ".join(text.lower().split())
    if words in MIDNIGHTS:
        return (at.date() - MIDNIGHTS[words] * DAY).isoformat()
    if words in NAMED:
        return _format(at - NAMED[words])
    if said := AGO.fullmatch(words):
        return _format(at - int(said[1]) * UNITS[said[2]])
    try:
        if len(text) == len("2026-11-02"):
            return date.fromisoformat(text).isoformat()
        return _format(datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone())
    except ValueError:
        raise ValueError(
            f'"{text}" is no time: "last week", "3 days ago", "yesterday", 2026-11-02 or 2026-11-02T10:00:00Z are'
        ) from None


def _format(moment: datetime) -> str:
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
