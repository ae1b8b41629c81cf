"""Run facts as readers gather them: a set for each key, bounded, and nothing that says "not known"."""

from collections.abc import Iterable
from datetime import UTC, datetime

from processing.formats.numbers import plain
from processing.readings import MOST_CHARACTERS, MOST_FACTS, MOST_VALUES, Json

ABSENT = {"", "n/a", "na", "unknown", "none", "null", "nan", "-", "--", "not applicable", "not available"}
Fact = bool | int | float | str


def is_absent(text: str) -> bool:
    return text.strip().lower() in ABSENT


class Facts:
    """One value becomes a scalar, several a sorted list, so that a filter matches a member."""

    def __init__(self) -> None:
        self.values: dict[str, set[Fact]] = {}

    def add(self, key: str, value: Fact | None) -> None:
        if isinstance(value, str):
            value = "" if is_absent(value) else cleaned(value)
        if value is None or value == "":
            return
        self.values.setdefault(key, set()).add(value if isinstance(value, str | bool) else plain(value))

    def add_all(self, key: str, values: Iterable[Fact | None]) -> None:
        for value in values:
            self.add(key, value)

    def add_times(self, times: Iterable[datetime]) -> None:
        known = sorted(times)
        if known:
            self.add("measured_from", as_text(known[0]))
            self.add("measured_to", as_text(known[-1]))

    def as_json(self) -> dict[str, Json]:
        return {key: single_or_list(values) for key, values in list(self.values.items())[:MOST_FACTS]}


def single_or_list(values: set[Fact]) -> Json:
    ordered = sorted(values, key=lambda value: (isinstance(value, str), value))
    return ordered[0] if len(ordered) == 1 else ordered[:MOST_VALUES]


def as_text(time: datetime) -> str:
    return (
        time.astimezone(UTC)
        .isoformat(timespec="seconds" if not time.microsecond else "milliseconds")
        .replace("+00:00", "Z")
    )


def cleaned(text: str) -> str:
    """Printable, LF and tab kept, at most 200 characters."""
    kept = "".join(c if c.isprintable() or c in "\n\t" else " " for c in text).strip()
    lines = (line.strip() for line in kept.split("\n"))
    return "\n".join(lines)[:MOST_CHARACTERS].strip()
