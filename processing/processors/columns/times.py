"""Times in columns: hours of an experiment, or moments of the day; only spellings that can be read in one way.

1/2/2023 is read where the column says elsewhere which of the two is the month: a 13 can only be a day.
"""

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from enum import Enum

DURATION = re.compile(r"(?:(\d{1,4})[. ])?(\d{1,4}):([0-5]\d):([0-5]\d)(?:[.,](\d{1,9}))?")
YEAR_FIRST = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?"
)
DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?()")
SLASHED = re.compile(
    r"(\d{1,2})/(\d{1,2})/(\d{4})(?:[T, ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s*([AaPp])\.?[Mm]\.?)?)?"
)
CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::([0-5]\d))?\s*([AaPp])\.?[Mm]\.?")
MAX_MONTH = 12
DISPLAY_UNITS = ((300.0, "s", 1.0), (3 * 3600.0, "min", 60.0), (math.inf, "h", 3600.0))


class DateOrder(Enum):
    """Of the parts of 1/13/2023."""

    MONTH_FIRST = 1
    DAY_FIRST = 2


def find_date_order(cells: Iterable[str]) -> DateOrder | None:
    """What the dates among these cells agree on; None where none of them decides, or they contradict each other."""
    dates = [(int(found[1]), int(found[2])) for cell in cells if (found := SLASHED.fullmatch(cell))]
    month_first = any(second > MAX_MONTH for _, second in dates)
    day_first = any(first > MAX_MONTH for first, _ in dates)
    if month_first == day_first:
        return None
    return DateOrder.MONTH_FIRST if month_first else DateOrder.DAY_FIRST


def seconds_of(cell: str) -> float | None:
    """Of 00:10:00, 125:00:00.5 or 1.02:30:00; of 9:05 AM since midnight."""
    found = DURATION.fullmatch(cell)
    if found is None:
        return seconds_of_clock(cell)
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[:4])
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds + parse_fraction(found[5])


def seconds_of_clock(cell: str) -> float | None:
    found = CLOCK.fullmatch(cell)
    if found is None or not 1 <= int(found[1]) <= 12:
        return None
    return (hour_of_day(int(found[1]), found[4]) * 60 + int(found[2])) * 60 + int(found[3] or 0)


def hour_of_day(hour: int, half: str | None) -> int:
    """12 AM is midnight, 12 PM is noon; without either the hour is one of 24."""
    return hour if half is None else hour % 12 + 12 * (half in "Pp")


def date_of(cell: str) -> datetime | None:
    """The midnight of 2026-03-14, 14.03.2026 or, where it decides itself, 3/14/2026."""
    return moment_of(f"{cell} 00:00", order=find_date_order([cell]))


def slashed_moment_of(cell: str, order: DateOrder) -> datetime | None:
    found = SLASHED.fullmatch(cell)
    if found is None:
        return None
    first, second, year, hour, minute, seconds = (int(part or 0) for part in found.groups()[:6])
    month, day = (first, second) if order is DateOrder.MONTH_FIRST else (second, first)
    try:
        fraction = round(parse_fraction(found[7]) * 1e6) % 1_000_000
        return datetime(year, month, day, hour_of_day(hour, found[8]), minute, seconds, fraction)
    except ValueError:
        return None


def moment_of(cell: str, *, order: DateOrder | None = None) -> datetime | None:
    """Of 2026-03-14 09:26:53 or 14.03.2026 09:26; naive where no offset is stated.

    Of 3/14/2026 9:26 AM where the order of its parts is known, or the 14 says it.
    """
    order = order or find_date_order([cell])
    if order is not None and (slashed := slashed_moment_of(cell, order)):
        return slashed
    year_first, day_first = YEAR_FIRST.fullmatch(cell), DAY_FIRST.fullmatch(cell)
    found = year_first or day_first
    if found is None:
        return None
    first, month, last, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    year, day = (first, last) if year_first else (last, first)
    stated = found[8].replace("Z", "+00:00") if found[8] else ""
    try:
        moment = datetime(year, month, day, hour, minute, second, round(parse_fraction(found[7]) * 1e6) % 1_000_000)
        return datetime.fromisoformat(moment.isoformat() + stated) if stated else moment
    except ValueError:
        return None


def parse_fraction(digits: str | None) -> float:
    return float(f"0.{digits}") if digits else 0.0


def assume_zone(moment: datetime, zone: tzinfo) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def since_epoch(moment: datetime) -> float:
    """For differences only: naive moments count as UTC."""
    return assume_zone(moment, UTC).timestamp()


def choose_unit(span: float) -> tuple[str, float]:
    """The unit in which so many seconds are read best, and its length."""
    return next((unit, length) for most, unit, length in DISPLAY_UNITS if span <= most)
