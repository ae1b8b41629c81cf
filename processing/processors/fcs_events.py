"""The events of an FCS file: how each channel's values are spread, as curves."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from processing.formats.curve import Axis, Curve, Series
from processing.readings import Artefact, Unreadable

MOST_EVENTS = 200_000
MOST_CHANNELS = 60
FEWEST_BINS, MOST_BINS = 32, 256
FLOATS = {"F": "f4", "D": "f8"}
BYTES = {8: "u1", 16: "u2", 32: "u4", 64: "u8"}
NOT_SPREAD = re.compile(r"time|event|index", re.IGNORECASE)
SCATTER = re.compile(r"(fsc|ssc|fs|ss|fwd|side|width|area|height)\b|fsc|ssc", re.IGNORECASE)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Channel:
    name: str
    bits: int
    decades: float  # of a logarithmic amplifier; 0: linear
    lowest: float  # what it shows as nothing
    reach: float

    @property
    def is_scatter(self) -> bool:
        return SCATTER.match(self.name) is not None


def spreads(path: Path, keywords: Mapping[str, str], *, begin: int, end: int, names: Sequence[str]) -> list[Artefact]:
    """Histograms: scatter on a linear axis, fluorescence on a logarithmic one. None where events are no list."""
    channels = [channel_of(keywords, number, name) for number, name in enumerate(names, start=1)]
    events = events_of(path, keywords, channels, begin=begin, end=end)
    if events is None or not len(events):
        return []
    made = []
    shown = [place for place, channel in enumerate(channels[:MOST_CHANNELS]) if not NOT_SPREAD.match(channel.name)]
    for title, is_log in (("Scatter", False), ("Fluorescence", True)):
        chosen = [place for place in shown if channels[place].is_scatter is not is_log]
        series = [one for place in chosen if (one := spread(channels[place], events[:, place], is_log=is_log))]
        if series:
            x, y = Axis("Intensity", is_log=is_log), Axis("Events", "per bin")
            made.append(Curve(f"{title}, {len(events):,} events", x, y, series).artefact(f"{title.lower()}.json"))
    return made


def spread(channel: Channel, values: Floats, *, is_log: bool) -> Series | None:
    """How many events fall into each bin, more bins for more events; on a logarithmic axis those above nothing."""
    known = values[np.isfinite(values) & ((values > 0) if is_log else np.isfinite(values))]
    if not len(known):
        return None
    low, high = np.percentile(known, [0.1, 99.9]) if len(known) > 1000 else (known.min(), known.max())
    low = max(low, high / 1e6) if is_log else low
    if not high > low:
        return None
    bins = min(MOST_BINS, max(FEWEST_BINS, int(2 * len(known) ** 0.5)))
    edges = np.geomspace(low, high, bins + 1) if is_log else np.linspace(low, high, bins + 1)
    counts, _ = np.histogram(known, edges)
    middles = np.sqrt(edges[1:] * edges[:-1]) if is_log else (edges[1:] + edges[:-1]) / 2
    return Series(channel.name, middles, counts)


def channel_of(keywords: Mapping[str, str], number: int, name: str) -> Channel:
    bits, reach = keywords.get(f"$P{number}B", ""), keywords.get(f"$P{number}R", "")
    decades, _, lowest = keywords.get(f"$P{number}E", "0,0").partition(",")
    return Channel(
        name or f"Channel {number}", int(as_number(bits)), as_number(decades), as_number(lowest), as_number(reach)
    )


def as_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def events_of(
    path: Path, keywords: Mapping[str, str], channels: Sequence[Channel], *, begin: int, end: int
) -> Floats | None:
    """The first 200,000 events, in the units of the file; None where they are stored in some other way."""
    if keywords.get("$MODE", "L").upper() != "L" or begin <= 0 or not channels:
        return None
    kind = keywords.get("$DATATYPE", "").upper()
    order = "<" if keywords.get("$BYTEORD", "1,2,3,4").startswith("1") else ">"
    widths = [FLOATS.get(kind) if kind in FLOATS else BYTES.get(channel.bits) for channel in channels]
    if kind not in (*FLOATS, "I") or not all(widths):
        return None
    row = np.dtype([(str(place), f"{order}{width}") for place, width in enumerate(widths)])
    stated = as_number(keywords.get("$TOT", ""))
    count = int(stated) if stated else (end - begin + 1) // row.itemsize
    if begin + count * row.itemsize > path.stat().st_size:
        raise Unreadable("It ends within its events: a part of the file is missing.")
    with path.open("rb") as file:
        file.seek(begin)
        content = file.read(min(count, MOST_EVENTS) * row.itemsize)
    rows = np.frombuffer(content, dtype=row)
    columns = [amplified(rows[str(place)].astype(np.float64), channel, kind) for place, channel in enumerate(channels)]
    return np.stack(columns, axis=1)


def amplified(values: Floats, channel: Channel, kind: str) -> Floats:
    """Channel numbers of a logarithmic amplifier are decades; bits beyond the stated range mean nothing."""
    if kind != "I" or channel.reach <= 0:
        return values
    mask = (1 << max(0, int(channel.reach - 1).bit_length())) - 1
    masked = (values.astype(np.uint64) & np.uint64(mask)).astype(np.float64)
    if channel.decades <= 0:
        return masked
    return (channel.lowest or 1.0) * 10 ** (channel.decades * masked / channel.reach)
