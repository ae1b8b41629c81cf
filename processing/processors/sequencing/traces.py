"""Traces of a sequencer and the bases called from them, as curves, tables and facts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from processing.formats.curve import Axis, Curve, Mark, Series
from processing.formats.table import Cell, Column, Table
from processing.readings import Artefact, Json

FIRST_BASES = 20
BASES, STRETCH, MOST_STRETCHES, MARGIN = "ACGT", 60, 30, 8  # bases of a picture, pictures, scans at each end
LEAST_SCANS, MOST_BEND = 200, 1.2
USUAL_PERCENTILE, FAR_BEYOND = 95, 20  # of steps to and fro; of these, a jump: what is but noise has high ones, too


@dataclass(frozen=True)
class Trace:
    label: str
    name: str  # of the file's own
    values: Sequence[float]


@dataclass(frozen=True)
class BaseCalls:
    bases: str
    qualities: bytes = b""  # one for each base, or none
    peaks: Sequence[float] = ()  # likewise: the scan at which it stands

    def __bool__(self) -> bool:
        return bool(self.bases)

    @property
    def has_qualities(self) -> bool:
        """Zero everywhere says that nobody estimated them."""
        return len(self.qualities) == len(self.bases) and any(self.qualities)


def draw_traces(title: str, traces: Sequence[Trace]) -> Curve:
    series = [Series(trace.label, range(1, len(trace.values) + 1), trace.values) for trace in traces]
    return Curve(title, Axis("Scan"), Axis("Signal", "RFU"), series)


def draw_stretches(traces: Sequence[Trace], calls: BaseCalls) -> list[Artefact]:
    """The called bases over their peaks, so many at once as can be read; nothing where no peaks are told."""
    if len(calls.peaks) != len(calls.bases) or not set(BASES) >= {trace.label for trace in traces}:
        return []
    made: list[Artefact] = []
    for first in range(0, min(len(calls.bases), MOST_STRETCHES * STRETCH), STRETCH):
        places = [int(place) for place in calls.peaks[first : first + STRETCH]]
        low, high = max(0, min(places) - MARGIN), max(places) + MARGIN
        series = [Series(trace.label, range(low, low + len(part)), part)
                  for trace in traces if len(part := trace.values[low:high])]  # fmt: skip
        marks = [Mark(base, x=place) for base, place in zip(calls.bases[first:], places, strict=False)]
        title = f"Bases {first + 1:,} to {first + len(places):,}"
        curve = Curve(title, Axis("Scan"), Axis("Signal", "RFU"), series, marks=marks)
        made.append(replace(curve.artefact(f"bases-{len(made) + 1:02}.json"), datasets=()))
    return made


def tabulate_calls(calls: BaseCalls) -> Table:
    columns, parts = [Column("Number"), Column("Base")], [range(1, len(calls.bases) + 1), calls.bases]
    if len(calls.peaks) == len(calls.bases):
        columns, parts = [*columns, Column("Scan")], [*parts, calls.peaks]
    if calls.has_qualities:
        columns, parts = [*columns, Column("Quality")], [*parts, calls.qualities]
    rows: list[list[Cell]] = [list(row) for row in zip(*parts, strict=True)]
    return Table("Base calls", columns, rows)


def describe_calls(calls: BaseCalls) -> dict[str, Json]:
    if not calls:
        return {}
    found: dict[str, Json] = {"first_20_bases": calls.bases[:FIRST_BASES]}
    if calls.has_qualities:
        found["mean_quality"] = sum(calls.qualities) / len(calls.qualities)
    return found


def list_doubts(traces: Sequence[Trace]) -> Iterator[str]:
    """Signals come and go over several scans."""
    if jumping := [trace.name for trace in traces if jumps(trace.values)]:
        yield f"The signal of {', '.join(jumping)} jumps within one scan beyond all others: the file may be damaged."


def jumps(values: Sequence[float]) -> bool:
    """Whether it goes to and fro within three scans by more than it is high anywhere."""
    signal = np.asarray(values, dtype=np.float64)
    if len(signal) < LEAST_SCANS:
        return False
    bends = np.abs(np.diff(signal, 2))
    is_high = bends.max() > MOST_BEND * np.abs(signal).max()
    return bool(is_high and bends.max() > FAR_BEYOND * np.percentile(bends, USUAL_PERCENTILE))


def describe_traces(traces: Sequence[Trace]) -> dict[str, Json]:
    """How many points each has and how high it goes."""
    found: dict[str, Json] = {}
    for trace in traces:
        if trace.values:
            found[f"trace_{trace.name}_points"] = len(trace.values)
            found[f"trace_{trace.name}_max"] = max(trace.values)
    return found
