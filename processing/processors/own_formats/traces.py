"""Traces of openreadout as curves: those that share their axes are drawn together."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import openreadout
from numpy.typing import NDArray

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.formats.trace_facts import add_trace_facts
from processing.processors.own_formats.electrochemistry import draw_field
from processing.readings import Output

MOST_POINTS = 20_000_000  # of all traces together: what is read is held
MOST_POINTS_OF_TRACE = 5_000_000
MOST_NAMES = 2  # of channels in the label of an axis
MOST_OF_FIELD = 12  # views of a measurement with many techniques
IMAGINARY, ELECTROCHEMISTRY = "imag", "electrochemistry"
LABELS = {"two_theta": "2θ", "uv": "UV"}
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Channel:
    place: int
    name: str
    unit: str | None


@dataclass(frozen=True)
class Trace:
    """As the library describes it, without the channel that holds the abscissa of the others."""

    index: int
    name: str
    samples: int
    sweeps: int
    rate_hz: float
    start_s: float
    axis: dict[str, Any]
    channels: tuple[Channel, ...]
    kind: str = ""

    @property
    def axis_label(self) -> str:
        return label_of(self.axis.get("label") or self.axis.get("quantity") or "x")


@dataclass
class Group:
    x: Axis
    unit: str | None
    series: list[Series] = field(default_factory=list)
    traces: dict[str, None] = field(default_factory=dict)  # in order
    channels: dict[str, None] = field(default_factory=dict)

    def as_curve(self) -> Curve:
        label = " / ".join(map(label_of, self.channels)) if len(self.channels) <= MOST_NAMES else "Signal"
        title = next(iter(self.traces)) if len(self.traces) == 1 else label
        return Curve(label_of(title), self.x, Axis(label, self.unit), self.series)


@dataclass
class Reading:
    """What is read so far, and what is left of the room for it."""

    room: int
    groups: dict[tuple[Any, ...], Group] = field(default_factory=dict)
    of_field: list[Curve] = field(default_factory=list)  # drawn from the same values
    warnings: list[str] = field(default_factory=list)


def draw_traces(file: openreadout.File) -> Output:
    reading, described = Reading(MOST_POINTS), file.traces
    for place, one in enumerate(described):
        if reading.room <= 0:
            reading.warnings.append(f"Of {len(described):,} traces the first {place:,} are shown: they are long.")
            break
        read_trace(file, describe_trace(one), reading)
    groups, facts = list(reading.groups.values()), Facts()
    if len(groups) == 1 and len(groups[0].series) == 1:
        (series,) = groups[0].series
        add_trace_facts(facts, np.asarray(series.x, float), np.asarray(series.y, float))
    first = [
        replace(curve.artefact(f"field-{place}.json"), datasets=())
        for place, curve in enumerate(reading.of_field[:MOST_OF_FIELD], start=1)
    ]
    curves = [group.as_curve().artefact(f"curves-{place}.json") for place, group in enumerate(groups, start=1)]
    return Output(
        run=facts.as_json(),
        artefacts=[*first, *curves],
        warnings=reading.warnings,
    )


def describe_trace(given: Any) -> Trace:
    """What a file does not say is left out there."""
    axis = given.get("extra", {}).get("axis") or {}
    channels = [
        Channel(place, one.get("name", ""), one.get("unit") or None) for place, one in enumerate(given["channels"])
    ]
    return Trace(
        index=given["index"],
        name=given.get("name", ""),
        samples=given["sample_count"],
        sweeps=max(1, given["sweep_count"]),
        rate_hz=given.get("sample_rate_hz") or 0.0,
        start_s=given.get("start_s") or 0.0,
        axis=axis,
        channels=tuple(one for one in channels if one.place != axis.get("channel")),
        kind=given.get("extra", {}).get("kind") or "",
    )


def read_trace(file: openreadout.File, trace: Trace, reading: Reading) -> None:
    most = min(trace.samples, MOST_POINTS_OF_TRACE, reading.room // max(1, len(trace.channels)) or 1)
    called = f"“{trace.name}”" if trace.name else "a trace"
    if most < trace.samples:
        reading.warnings.append(f"Of {trace.samples:,} points of {called} the first {most:,} are shown.")
    axis, x = find_abscissa(file, trace, most)
    for sweep in range(trace.sweeps):
        if reading.room <= 0:
            reading.warnings.append(f"Of {trace.sweeps:,} sweeps of {called} the first {sweep:,} are shown.")
            return
        add_sweep(reading, trace, sweep, axis, x, file.read_trace(trace.index, sweep, max_samples=most))
        reading.room -= most * max(1, len(trace.channels))


def add_sweep(reading: Reading, trace: Trace, sweep: int, axis: Axis, x: Floats, values: Floats) -> None:
    """What has one unit is drawn together; without a unit what has the same channels."""
    if trace.kind == ELECTROCHEMISTRY:
        named = {channel.name: (np.asarray(values[channel.place], float), channel.unit) for channel in trace.channels}
        reading.of_field += draw_field(trace.name, axis, np.asarray(x, float), named)
    names = tuple(channel.name for channel in trace.channels)
    for channel, label in zip(trace.channels, name_series(trace, sweep), strict=True):
        group = reading.groups.setdefault((axis, channel.unit or names), Group(axis, channel.unit))
        group.series.append(Series(label, x, values[channel.place], is_hidden=channel.name == IMAGINARY))
        group.traces[trace.name or channel.name] = None
        group.channels[channel.name] = None


def find_abscissa(file: openreadout.File, trace: Trace, most: int) -> tuple[Axis, Floats]:
    """Its own; of samples at a rate their times; else their numbers."""
    own = file.trace_axis(trace.index, max_samples=most)
    if own is not None:
        return Axis(trace.axis_label, trace.axis.get("unit") or None), own
    if trace.rate_hz:
        return Axis("Time", "s"), trace.start_s + np.arange(most) / trace.rate_hz
    return Axis("Point"), np.arange(most, dtype=np.float64)


def name_series(trace: Trace, sweep: int) -> Iterator[str]:
    number = f" {sweep + 1}" if trace.sweeps > 1 else ""
    for channel in trace.channels:
        is_named_by_trace = trace.name and len(trace.channels) == 1
        parts = [trace.name] if is_named_by_trace else [trace.name, label_of(channel.name)]
        yield f"{', '.join(dict.fromkeys(filter(None, parts))) or 'Signal'}{number}"


def label_of(name: str) -> str:
    """`raman_shift` as a person writes it; names of the file stay as they are."""
    if known := LABELS.get(name):
        return known
    return name.replace("_", " ").capitalize() if name == name.lower() and name.isascii() else name
