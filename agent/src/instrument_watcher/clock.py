"""Time as the service writes it."""

from datetime import datetime, timedelta, timezone

EARLIEST = datetime(2000, 1, 1, tzinfo=timezone.utc)


def utc_now() -> datetime:
    return datetime.now(timezone.utc)


def stamp(moment: datetime) -> str:
    """ISO 8601 UTC with milliseconds and Z."""
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def plausible_stamp(nanoseconds: int) -> str | None:
    """The time of a file; None where its clock was plainly wrong, before this century or tomorrow."""
    try:
        moment = datetime.fromtimestamp(nanoseconds / 1_000_000_000, timezone.utc)
    except (OverflowError, OSError, ValueError):
        return None
    return stamp(moment) if EARLIEST <= moment <= utc_now() + timedelta(days=1) else None
