"""Times within messages. They go to mailboxes and chats, too, so the words say UTC; pages show those of who reads."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

SHAPE = "%Y-%m-%d %H:%M UTC"
WRITTEN = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d UTC)")


def write_moment(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime(SHAPE)


def split_at_moments(text: str) -> Iterator[str | datetime]:
    """The words in their order, and the times between them."""
    for piece in WRITTEN.split(text):
        yield read_moment(piece) or piece


def read_moment(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, SHAPE).replace(tzinfo=UTC)
    except ValueError:
        return None  # other words, or a day that no calendar has
