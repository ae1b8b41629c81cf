"""Run facts as readers gather them: a set for each key, bounded, and nothing that says "not known"."""

from collections.abc import Iterable
from datetime import UTC, datetime

from processing.formats.numbers import simplify_number
from processing.readings import MAX_CHARACTERS_PER_VALUE, MAX_FACTS, MAX_VALUES_PER_FACT, Json

ABSENT_WORDS = {"", "n/a", "na", "unknown", "none", "null", "nan", "-", "--", "not applicable", "not available"}
Fact = bool | int | float | str


def is_absent(text: str) -> bool:
    return text.strip().lower() in ABSENT_WORDS


class Facts:
    """One value becomes a scalar, several a sorted list, so that a filter matches a member."""

    def __init__(self) -> None:
        self.values: dict[str, set[Fact]] = {}

    def add(self, key: str, value: Fact | None) -> None:
        if isinstance(value, str):
            value = "" if is_absent(value) else clean_text(value)
        if value is None or value == "":
            return
        self.values.setdefault(key, set()).add(value if isinstance(value, str | bool) else simplify_number(value))

    def add_all(self, key: str, values: Iterable[Fact | None]) -> None:
        for value in values:
            self.add(key, value)

    def add_times(self, times: Iterable[datetime]) -> None:
        known = sorted(times)
        if known:
            self.add("measured_from", format_time(known[0]))
            self.add("measured_to", format_time(known[-1]))

    def as_json(self) -> dict[str, Json]:
        return {key: collapse_values(values) for key, values in list(self.values.items())[:MAX_FACTS]}


def collapse_values(values: set[Fact]) -> Json:
    ordered = sorted(values, key=lambda value: (isinstance(value, str), value))
    return ordered[0] if len(ordered) == 1 else ordered[:MAX_VALUES_PER_FACT]


def format_time(time: datetime) -> str:
    return (
        time.astimezone(UTC)
        .isoformat(timespec="seconds" if not time.microsecond else "milliseconds")
        .replace("+00:00", "Z")
    )


def clean_text(text: str) -> str:
    """Printable, LF and tab kept, at most 200 characters."""
    kept = "".join(c if c.isprintable() or c in "\n\t" else " " for c in text).strip()
    lines = (line.strip() for line in kept.split("\n"))
    return "\n".join(lines)[:MAX_CHARACTERS_PER_VALUE].strip()


def shorten_text(text: str, most: int) -> str:
    """At most so many characters; an ellipsis says where the rest is missing."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
