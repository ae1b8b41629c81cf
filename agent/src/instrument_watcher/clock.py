"""Time as the service writes it."""

from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
EARLIEST = datetime(2000, 1, 1, tzinfo=timezone.utc)


def utc_now() -> datetime:
    return datetime.now(timezone.utc)


def stamp(moment: datetime) -> str:
    """ISO 8601 UTC with milliseconds and Z."""
    return moment.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def plausible_stamp(nanoseconds: int) -> str | None:
    """The time of a file; None where its clock was plainly wrong, before this century or tomorrow."""
    try:
        seconds, rest = divmod(nanoseconds, 1_000_000_000)
        moment = datetime.fromtimestamp(seconds, timezone.utc) + timedelta(microseconds=rest // 1000)
    except (OverflowError, OSError, ValueError):
        return None
    return stamp(moment) if EARLIEST <= moment <= utc_now() + timedelta(days=1) else None


def parse_stamp(text: str | None) -> int | None:
    """Milliseconds since 1970 of a time as the service writes it."""
    if text is None:
        return None
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (moment - EPOCH) // timedelta(milliseconds=1)
