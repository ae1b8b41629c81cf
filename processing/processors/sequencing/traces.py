"""Traces of a sequencer and the bases called from them, as curves, tables and facts."""

from collections.abc import Sequence
from dataclasses import dataclass

from processing.formats.curve import Axis, Curve, Series
from processing.formats.table import Cell, Column, Table
from processing.readings import Json

FIRST_BASES = 20


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


def describe_traces(traces: Sequence[Trace]) -> dict[str, Json]:
    """How many points each has and how high it goes."""
    found: dict[str, Json] = {}
    for trace in traces:
        if trace.values:
            found[f"trace_{trace.name}_points"] = len(trace.values)
            found[f"trace_{trace.name}_max"] = max(trace.values)
    return found
