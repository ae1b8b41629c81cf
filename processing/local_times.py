"""Times without a zone, as instruments write them: of the instrument's own clock."""

from datetime import UTC, datetime

from processing.readings import Input, Json


def parse_local_time(text: str, *formats: str, given: Input) -> datetime | None:
    """The time in the instrument's zone, by the first format that fits."""
    for form in formats:
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=given.time_zone)
        except ValueError:
            continue
    return None


def as_utc(time: datetime | None) -> datetime | None:
    return time.astimezone(UTC) if time else None


def describe_zone(time: datetime | None, given: Input) -> dict[str, Json]:
    """That the zone was the instrument's setting, where the file gave none."""
    return {"assumed_time_zone": str(given.time_zone)} if time and time.tzinfo is given.time_zone else {}
