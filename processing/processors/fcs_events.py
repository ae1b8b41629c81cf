"""The events of an FCS file: how each channel's values are spread, as curves."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from processing.formats.curve import Axis, Curve, Series
from processing.formats.events import EventChannel, Events
from processing.processors.fcs_datasets import EventBlock, widen_rows
from processing.processors.fcs_strays import count_strays
from processing.readings import Artefact, Unreadable

MOST_EVENTS = 200_000
MOST_CHANNELS = 60
MOST_DECADES = 9.0  # of an amplifier that exists
FEWEST_BINS, MOST_BINS = 32, 256
FLOATS = {"F": "f4", "D": "f8"}
BYTES = {8: "u1", 16: "u2", 32: "u4", 64: "u8"}
ODD_BYTES = {bits: f"({bits // 8},)u1" for bits in (24, 40, 48, 56)}  # joined once they are read
NOT_SPREAD = re.compile(r"time|event|index", re.IGNORECASE)
SCATTER = re.compile(r"(fsc|ssc|fs|ss|fwd|side|width|area|height)\b|fsc|ssc", re.IGNORECASE)
Floats = NDArray[np.float64]
Span = tuple[int, int]  # of bytes, the last one included


@dataclass(frozen=True)
class StoredEvents:
    """Every n-th of them as they are stored, and least, greatest and mean of each channel over all."""

    sample: Floats
    total: int
    summary: list[tuple[float, float, float]]
    block: EventBlock
    strays: int  # events that no cytometer writes


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


def spreads(channels: Sequence[Channel], events: Floats, *, total: int) -> list[Artefact]:
    """Histograms: scatter on a linear axis, fluorescence on a logarithmic one."""
    made = []
    counted = f"{total:,} events" if total == len(events) else f"{len(events):,} of {total:,} events"
    shown = [place for place, channel in enumerate(channels[:MOST_CHANNELS]) if not NOT_SPREAD.match(channel.name)]
    for title, is_log in (("Scatter", False), ("Fluorescence", True)):
        chosen = [place for place in shown if channels[place].is_scatter is not is_log]
        series = [one for place in chosen if (one := spread(channels[place], events[:, place], is_log=is_log))]
        if series:
            x, y = Axis("Intensity", is_log=is_log), Axis("Events", "per bin")
            made.append(Curve(f"{title}, {counted}", x, y, series).artefact(f"{title.lower()}.json"))
    return made


def show_events(channels: Sequence[Channel], events: Floats, *, total: int) -> list[Artefact]:
    """A sample of the events over all channels; amplifiers' decades and fluorescence are shown as logicle first."""
    shown = [
        EventChannel(
            channel.name,
            is_logicle=not (channel.is_scatter or NOT_SPREAD.match(channel.name)),
            reach=reach_of(channel),
        )
        for channel in channels
    ]
    if len(channels) < 2 or not np.isfinite(events).all(axis=1).any():
        return []
    return [Events(f"{total:,} events", shown, events, total).artefact("events.json")]


def reach_of(channel: Channel) -> float:
    """The greatest value that the channel can show."""
    if not channel.decades:
        return channel.reach
    return float((channel.lowest or 1.0) * 10 ** min(channel.decades, MOST_DECADES))


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
    """Nothing that the standard counts is below zero or without end."""
    try:
        number = float(text)
    except ValueError:
        return 0.0
    return number if 0 < number < float("inf") else 0.0


def amplify_events(stored: Floats, channels: Sequence[Channel], kind: str) -> Floats:
    """What the amplifiers took in, of what they put out."""
    return np.stack([amplified(stored[:, place], channel, kind) for place, channel in enumerate(channels)], axis=1)


def stored_events(
    path: Path, keywords: Mapping[str, str], channels: Sequence[Channel], *, spans: Sequence[Span]
) -> StoredEvents | None:
    """The events, gone through in blocks; None where they are stored in some other way than one list."""
    if keywords.get("$MODE", "L").upper() != "L" or not spans or not channels:
        return None
    kind = keywords.get("$DATATYPE", "").upper()
    order = "<" if keywords.get("$BYTEORD", "1,2,3,4").startswith("1") else ">"
    known = dict.fromkeys((channel.bits for channel in channels), FLOATS[kind]) if kind in FLOATS else BYTES | ODD_BYTES
    widths = [known.get(channel.bits) for channel in channels]
    if kind not in (*FLOATS, "I") or not all(widths):
        return None
    row = np.dtype(
        [
            (str(place), f"{order}{width}" if width not in ODD_BYTES.values() else width)
            for place, width in enumerate(widths)
        ]
    )
    stated = int(as_number(keywords.get("$TOT", "")))
    begin, end = filled(spans, size_bytes=stated * row.itemsize)
    count = stated or (end - begin + 1) // row.itemsize
    if begin + count * row.itemsize > path.stat().st_size:
        raise Unreadable("It ends within its events: a part of the file is missing.")
    if not count:
        return None
    step = -(-count // MOST_EVENTS)
    sample, summaries, strays = [], [], 0
    names, reaches = [channel.name for channel in channels], [channel.reach for channel in channels]
    for first, stored in read_blocks(path, row, begin=begin, count=count):
        rows = widen_rows(stored, is_big_endian=order == ">")
        columns = [masked(rows[str(place)], channel, kind) for place, channel in enumerate(channels)]
        block = np.stack(columns, axis=1)
        sample.append(block[-first % step :: step].copy())  # a view would keep the block
        summaries.append((len(block), summarise_events(block)))
        strays += count_strays(rows, block, names=names, reaches=reaches)
    masks = [mask_of(channel) if kind == "I" else None for channel in channels]
    block_of_all = EventBlock(path, row, begin, count, masks, is_big_endian=order == ">")
    return StoredEvents(np.concatenate(sample), count, join_summaries(summaries), block_of_all, strays)


def read_blocks(
    path: Path, row: np.dtype[np.void], *, begin: int, count: int
) -> Iterator[tuple[int, NDArray[np.void]]]:
    """Up to so many events at once as are drawn, each block with the number of its first."""
    with path.open("rb") as file:
        file.seek(begin)
        for first in range(0, count, MOST_EVENTS):
            yield first, np.frombuffer(file.read(min(MOST_EVENTS, count - first) * row.itemsize), dtype=row)


def join_summaries(blocks: Sequence[tuple[int, list[tuple[float, float, float]]]]) -> list[tuple[float, float, float]]:
    """Of all blocks together; means weigh as many events as they are of."""
    total = sum(count for count, _ in blocks)
    joined = []
    for place in range(len(blocks[0][1])):
        of_channel = [(count, summary[place]) for count, summary in blocks]
        least, greatest = min(one[0] for _, one in of_channel), max(one[1] for _, one in of_channel)
        mean = sum(count * one[2] for count, one in of_channel) / total if len(blocks) > 1 else of_channel[0][1][2]
        joined.append((least, greatest, mean))
    return joined


def filled(spans: Sequence[Span], *, size_bytes: int) -> Span:
    """Header and text may disagree; the place that the stated events fill is right, else the header's."""
    return next((span for span in spans if span[1] - span[0] + 1 == size_bytes), spans[0])


def masked(values: NDArray[np.generic], channel: Channel, kind: str) -> Floats:
    """Bits of an integer beyond the stated range mean nothing."""
    mask = mask_of(channel) if kind == "I" else None
    if mask is None:
        return values.astype(np.float64)
    return (values.astype(np.uint64) & np.uint64(mask)).astype(np.float64)


def mask_of(channel: Channel) -> int | None:
    return (1 << min(64, int(channel.reach - 1).bit_length())) - 1 if channel.reach > 0 else None


def amplified(values: Floats, channel: Channel, kind: str) -> Floats:
    """Channel numbers of a logarithmic amplifier are decades."""
    if kind != "I" or channel.reach <= 0 or channel.decades <= 0:
        return values
    with np.errstate(over="ignore"):  # what is stated may lead beyond all numbers; those are not drawn
        return (channel.lowest or 1.0) * 10 ** (channel.decades * values / channel.reach)


def summarise_events(events: Floats) -> list[tuple[float, float, float]]:
    """Least, greatest and mean of every channel."""
    with np.errstate(invalid="ignore", over="ignore"):
        return [(float(column.min()), float(column.max()), float(column.mean())) for column in events.T]
