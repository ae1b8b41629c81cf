"""Timing: warm, at least seven times, in turn with the partner it is compared with; medians in milliseconds."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

Work = Callable[[], object]
WARM_UPS, ROUNDS = 2, 9


@dataclass(frozen=True)
class ResultLine:
    """One measure as it is printed. `passed` is None where a figure is reported, not required."""

    name: str
    what: str
    figure: str
    partner: str = ""
    ratio: float | None = None
    target: str = ""
    passed: bool | None = None

    def __str__(self) -> str:
        verdict = {True: "pass", False: "FAIL", None: "reported"}[self.passed]
        ratio = "" if self.ratio is None else f"x {self.ratio:.2f}"
        return (
            f"{self.name:<5}{self.what:<56}{self.figure:>12}{self.partner:>14}{ratio:>10}  {self.target:<22}{verdict}"
        )


def build_ratio_line(name: str, what: str, ours: float, partner: float, *, at_most: float) -> ResultLine:
    """A line that passes while `ours` is at most so many times its partner."""
    ratio = ours / partner
    return ResultLine(
        name,
        what,
        format_milliseconds(ours),
        format_milliseconds(partner),
        ratio,
        f"<= {at_most:g} times",
        ratio <= at_most,
    )


def build_limit_line(name: str, what: str, ours: float, *, at_most: float) -> ResultLine:
    """A line that passes within so many milliseconds."""
    return ResultLine(name, what, format_milliseconds(ours), target=f"<= {at_most:g} ms", passed=ours <= at_most)


def measure_median(work: Work, *, rounds: int = ROUNDS) -> float:
    """The median of a warm piece of work."""
    return measure_medians(work, rounds=rounds)[0]


def measure_medians(*works: Work, rounds: int = ROUNDS) -> tuple[float, ...]:
    """Of several pieces of work done in turn, so that what disturbs one disturbs its partners too."""
    for work in works * WARM_UPS:
        work()
    times = [[measure_once(work) for work in works] for _ in range(rounds)]
    return tuple(median(column) for column in zip(*times, strict=True))


def measure_once(work: Work) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def format_milliseconds(value: float) -> str:
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"
