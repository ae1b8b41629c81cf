"""Scans of diffractometers that texts hold: how they are drawn, described, and compared with what is announced."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.local_times import as_utc, describe_zone
from processing.readings import Input, Json, Output, Unreadable

Floats = NDArray[np.float64]
TWO_THETA, TIME_OF_FLIGHT = Axis("2θ", "°"), Axis("Time of flight", "µs")
COUNTS, RATE = "counts", "counts/s"
WHOLE_STEPS = 0.02  # of a step: so far from a whole number of them a range still is one
HALF = 0.5000001
MAX_POINTS = 5_000_000


@dataclass(frozen=True)
class Scan:
    x: Floats  # degrees, or µs
    y: Floats
    axis: Axis = TWO_THETA
    unit: str = COUNTS
    announced: int | None = None  # points


def build_output(given: Input, facts: Facts, scans: Sequence[Scan], *, started: datetime | None = None) -> Output:
    """Unreadable: there is no scan, or one without points."""
    if not scans or not all(len(scan.y) for scan in scans):
        raise Unreadable("It holds no scan, or one without points.")
    facts.add_times([started] if started else [])
    return Output(
        run=facts.as_json(),
        file={**describe_scan(scans[0]), "scans": len(scans), **describe_zone(started, given)},
        acquired_at=as_utc(started),
        artefacts=[curve.artefact(f"scan-{number}.json") for number, curve in enumerate(draw_scans(scans), start=1)],
        warnings=list(list_doubts(scans)),
    )


def describe_scan(scan: Scan) -> dict[str, Json]:
    """How far, how high, and where it is highest."""
    highest = int(scan.y.argmax())
    x, end = ("two_theta", "deg") if scan.axis == TWO_THETA else ("x", scan.axis.unit or "")
    unit = f"_{end}" if end == "deg" else ""
    return {
        "points": len(scan.y),
        f"{x}_start{unit}": round(float(scan.x[0]), 6),
        f"{x}_end{unit}": round(float(scan.x[-1]), 6),
        "max_counts": float(scan.y[highest]),
        f"{x}_at_max{unit}": round(float(scan.x[highest]), 6),
    }


def draw_scans(scans: Sequence[Scan]) -> Iterator[Curve]:
    """One curve for each axis that was scanned, and unit."""
    for axis, unit in dict.fromkeys((scan.axis, scan.unit) for scan in scans):
        series = [
            Series(f"Scan {number}", scan.x, scan.y)
            for number, scan in enumerate(scans, start=1)
            if (scan.axis, scan.unit) == (axis, unit)
        ]
        yield Curve("Diffractogram", axis, Axis("Intensity", unit), series)


def list_doubts(scans: Sequence[Scan]) -> Iterator[str]:
    for number, scan in enumerate(scans, start=1):
        if scan.announced is not None and scan.announced != len(scan.y):
            yield f"Scan {number} announces {scan.announced:,} points, and holds {len(scan.y):,}."


def count_steps(start: float, end: float, step: float, *, found: int) -> int:
    """The points that a range announces. A step that was rounded as it was written announces those that are there.

    Unreadable: its angles are no angles, or of far too many points.
    """
    if not (step > 0 and end > start and (end - start) / step < MAX_POINTS):
        raise Unreadable("The angles of its head are no range of a scan.")
    steps = (end - start) / step
    if abs(steps - round(steps)) <= WHOLE_STEPS:
        return round(steps) + 1
    return found if reaches_end(start, end, step, count=found) else int(steps) + 1


def reaches_end(start: float, end: float, step: float, *, count: int) -> bool:
    """Whether so many points do, by steps that are written as this one when rounded as it is."""
    digits = len(f"{step:.10f}".rstrip("0").partition(".")[2])
    return count > 1 and abs((end - start) / (count - 1) - step) <= HALF * 10**-digits


def spread_angles(start: float, end: float, step: float, *, count: int) -> Floats:
    """From the start to the end, or as far as the points go."""
    if reaches_end(start, end, step, count=count) and count_steps(start, end, step, found=count) == count:
        return np.linspace(start, end, count)
    return np.asarray(start + step * np.arange(count), dtype=np.float64)


def parse_numbers(words: Sequence[str], *, what: str = "count") -> Floats:
    """Unreadable: one of them is no number."""
    try:
        numbers = np.array([float(word) for word in words])
    except ValueError as error:
        raise Unreadable(f"Among its numbers stands what is no {what}.") from error
    if not np.isfinite(numbers).all():
        raise Unreadable(f"Among its numbers stands what is no {what}.")
    return numbers


def parse_number(text: str | None) -> float | None:
    try:
        return float((text or "").replace(",", "."))
    except ValueError:
        return None
