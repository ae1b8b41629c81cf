"""How much of the network uploads may take, by hours of the day."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, time

MIB = 1024 * 1024


@dataclass(frozen=True)
class Hours:
    """From a time of the day up to another, perhaps across midnight, in the computer's own time."""

    begin: time
    end: time

    def contains(self, moment: time) -> bool:
        if self.begin < self.end:
            return self.begin <= moment < self.end
        return moment >= self.begin or moment < self.end


def hours(text: str) -> Hours:
    """07:00-19:00. Raises ValueError."""
    begin, dash, end = text.partition("-")
    try:
        span = Hours(time.fromisoformat(begin.strip()), time.fromisoformat(end.strip()))
    except ValueError:
        raise ValueError(f"{text!r} must be two times such as 07:00-19:00") from None
    if not dash or span.begin == span.end:
        raise ValueError(f"{text!r} must be two different times")
    return span


@dataclass(frozen=True)
class Bandwidth:
    """MiB a second; None is no limit. The first of `by_hours` that contains the time counts."""

    otherwise: float | None
    by_hours: Mapping[Hours, float | None]
    now: Callable[[], datetime] = datetime.now

    def bytes_per_second(self) -> float | None:
        moment = self.now().time()
        limits = (limit for span, limit in self.by_hours.items() if span.contains(moment))
        limit = next(limits, self.otherwise)
        return None if limit is None else limit * MIB
