"""The service's clock. Read at the edge and passed down as `at=`."""

from datetime import UTC, datetime


def now() -> datetime:
    """The present moment in UTC, cut to milliseconds as everything that is stored."""
    return truncate_to_milliseconds(datetime.now(UTC))


def truncate_to_milliseconds(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def format_timestamp(moment: datetime | None) -> str | None:
    """The wire form of a time: ISO 8601, UTC, milliseconds, `Z`."""
    if moment is None:
        return None
    in_utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return in_utc.isoformat(timespec="milliseconds")[:-6] + "Z"
