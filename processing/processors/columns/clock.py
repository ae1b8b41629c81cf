"""Times in columns: hours of an experiment, or moments of the day; only spellings that can be read in one way."""

import math
import re
from datetime import UTC, datetime, tzinfo

DURATION = re.compile(r"(?:(\d{1,4})[. ])?(\d{1,4}):([0-5]\d):([0-5]\d)(?:[.,](\d{1,9}))?")
YEAR_FIRST = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?"
)
DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?()")
UNITS = ((300.0, "s", 1.0), (3 * 3600.0, "min", 60.0), (math.inf, "h", 3600.0))


def seconds_of(cell: str) -> float | None:
    """Of 00:10:00, 125:00:00.5 or 1.02:30:00."""
    found = DURATION.fullmatch(cell)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[:4])
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds + fraction(found[5])


def moment_of(cell: str) -> datetime | None:
    """Of 2026-03-14 09:26:53 or 14.03.2026 09:26; naive where no offset is stated."""
    year_first, day_first = YEAR_FIRST.fullmatch(cell), DAY_FIRST.fullmatch(cell)
    found = year_first or day_first
    if found is None:
        return None
    first, month, last, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    year, day = (first, last) if year_first else (last, first)
    stated = found[8].replace("Z", "+00:00") if found[8] else ""
    try:
        moment = datetime(year, month, day, hour, minute, second, round(fraction(found[7]) * 1e6) % 1_000_000)
        return datetime.fromisoformat(moment.isoformat() + stated) if stated else moment
    except ValueError:
        return None


def fraction(digits: str | None) -> float:
    return float(f"0.{digits}") if digits else 0.0


def located(moment: datetime, zone: tzinfo) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def since_epoch(moment: datetime) -> float:
    """For differences only: naive moments count as UTC."""
    return located(moment, UTC).timestamp()


def unit_for(span: float) -> tuple[str, float]:
    """The unit in which so many seconds are read best, and its length."""
    return next((unit, length) for most, unit, length in UNITS if span <= most)
