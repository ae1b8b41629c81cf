"""Images of many planes as artefacts: the format ids-stack/1 and, beside it, one file with the tiles of all planes."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from processing.formats.numbers import encode_document, round_number
from processing.formats.plane_rows import Maxima, reduce_rows, regroup, split_samples
from processing.formats.tile_coding import exact_coding, rooted_coding
from processing.formats.tiles import TILE, Grid, PlaneWriter, Seen, TileFile, TilesTooLarge
from processing.readings import MAX_TILES_BYTES, Artefact, Json, Kind

FORMAT = "ids-stack/1"
TILES_TYPE = "application/octet-stream"
MAX_TILES = 150_000
MAX_PROJECTED_PIXELS = 64_000_000
MAX_SURVEYED_PIXELS = 100_000_000
MAX_CHANNELS = 32
SURVEYED_PLANES = 3
ROWS_AT_ONCE = 512
HISTOGRAM_STEPS = 64
COLORS = ("#58a6ff", "#3ddc84", "#ff6bd6", "#ffd23f", "#2fd6d6", "#ff5c5c")
GREY = "#ffffff"
QUALITIES = (85, 70)
LEAST_SPREAD = 128  # of bytes: one that uses less than half of its range is stretched
Pixels = NDArray[Any]


@dataclass(frozen=True)
class Channel:
    name: str
    color: str = ""  # "#58a6ff"; one is chosen where there is none
    slope: float = 1.0  # what is shown of a number: slope * number + intercept, as Hounsfield units are
    intercept: float = 0.0
    window: tuple[float, float] | None = None  # black and white of what is shown; by percentiles where there is none


@dataclass(frozen=True)
class Stack:
    """Planes of one size. `read_plane(time, depth, group)` yields their rows from top to bottom, some at a time.

    A group is one channel or, with `samples`, as many as stand together in a pixel: then rows have a third axis.
    """

    title: str
    width: int
    height: int
    dtype: np.dtype[Any]
    channels: Sequence[Channel]
    read_plane: Callable[[int, int, int], Iterator[Pixels]]
    depths: int = 1
    times: int = 1
    samples: int = 1
    pixel_size_um: float | None = None
    z_step_um: float | None = None
    interval_s: float | None = None
    is_inverted: bool = False  # the least number is white
    said: Sequence[str] = field(default_factory=tuple)

    @property
    def groups(self) -> int:
        return len(self.channels) // self.samples

    @property
    def has_projection(self) -> bool:
        return self.depths > 1 and self.width * self.height * self.samples <= MAX_PROJECTED_PIXELS

    @property
    def shown_depths(self) -> int:
        """Depths as they are stored: the maximum of all of them is the last."""
        return self.depths + self.has_projection

    @property
    def planes(self) -> int:
        return self.times * self.shown_depths * len(self.channels)

    def write(self, name: str, *, most_bytes: int = MAX_TILES_BYTES) -> tuple[list[Artefact], list[str]]:
        """The document and its tiles, in no more bytes than these, and what a person should know of them."""
        stack, said = fit_planes(self)
        survey = survey_values(stack)
        for quality, halvings in list_choices(stack):
            path = Path(tempfile.mkdtemp()) / "tiles"
            try:
                with path.open("wb") as file:
                    written = StackWriter(stack, survey, quality=quality, halvings=halvings)
                    document = written.write(file, most_bytes=most_bytes)
            except TilesTooLarge:
                path.unlink()
                continue
            document["tiles"] = f"{name}.tiles"
            made = Artefact(f"{name}.json", Kind.STACK, "application/json", encode_document(document), self.title)
            tiles = Artefact(f"{name}.tiles", Kind.TILES, TILES_TYPE, b"", self.title, path=path)
            return [made, tiles], [*said, *describe_losses(quality, halvings)]
        return [], [*said, "Its planes are too many and too large to be shown: a picture stands for them."]


def describe_losses(quality: int, halvings: int) -> Iterator[str]:
    if halvings:
        yield f"The image is large: it is shown with every {2**halvings} by {2**halvings} pixels as one."
    elif quality:
        yield "The image is large: it is shown compressed; the file has the numbers."


def fit_planes(stack: Stack) -> tuple[Stack, list[str]]:
    """No more times, then depths, than there may be tiles; a word where some are left out."""
    most = max(1, MAX_TILES // (Grid(stack.width, stack.height).tiles * len(stack.channels)))
    if stack.times * stack.shown_depths <= most:
        return stack, list(stack.said)
    times = max(1, min(stack.times, most // stack.shown_depths))
    depths = stack.depths if times > 1 else max(1, min(stack.depths, most - 1))
    said = f"The first {times} of {stack.times} times and {depths} of {stack.depths} depths are shown."
    return replace(stack, times=times, depths=depths), [*stack.said, said]


def list_choices(stack: Stack) -> Iterator[tuple[int, int]]:
    """Quality of JPEG and how often the width is halved; exact first where that can fit."""
    pixels = stack.width * stack.height * stack.planes
    if pixels * min(2, stack.dtype.itemsize) <= 4 * MAX_TILES_BYTES:
        yield 0, 0
    for halvings in range(9):
        if pixels / 4**halvings <= 12 * MAX_TILES_BYTES:
            yield from ((quality, halvings) for quality in QUALITIES)


def survey_values(stack: Stack) -> list[tuple[float, float]]:
    """Least and greatest of each channel: of all planes where those are few, else of the first, middle and last."""
    found = [(np.inf, -np.inf)] * len(stack.channels)
    if stack.dtype.name == "uint8":
        return [(0.0, 255.0)] * len(stack.channels)
    planes = [(time, depth) for time in range(stack.times) for depth in range(stack.depths)]
    if stack.width * stack.height * len(planes) * len(stack.channels) > MAX_SURVEYED_PIXELS:
        planes = [planes[round(share * (len(planes) - 1))] for share in (0, 0.5, 1)]
    for time, depth in dict.fromkeys(planes):
        for group in range(stack.groups):
            for rows in stack.read_plane(time, depth, group):
                for sample in range(stack.samples):
                    place = group * stack.samples + sample
                    found[place] = widen(found[place], rows[..., sample] if stack.samples > 1 else rows)
    return [edges if edges[0] <= edges[1] else (0.0, 1.0) for edges in found]


def widen(edges: tuple[float, float], rows: Pixels) -> tuple[float, float]:
    known = rows[np.isfinite(rows)] if rows.dtype.kind == "f" else rows
    return (min(edges[0], float(known.min())), max(edges[1], float(known.max()))) if known.size else edges


class StackWriter:
    """One attempt to write all planes of a stack in one way."""

    def __init__(self, stack: Stack, survey: Sequence[tuple[float, float]], *, quality: int, halvings: int) -> None:
        self.stack, self.halvings = stack, halvings
        self.grid = Grid(-(-stack.width // 2**halvings), -(-stack.height // 2**halvings))
        self.codings = [
            rooted_coding(low=low, high=high, quality=quality)
            if quality
            else exact_coding(stack.dtype, low=low, high=high)
            for low, high in survey
        ]
        self.seen = [Seen(np.zeros(256**coding.code_bytes, dtype=np.int64)) for coding in self.codings]

    def write(self, file: Any, *, most_bytes: int) -> dict[str, Json]:
        tiles = TileFile(file, self.grid, self.stack.planes, most_bytes)
        for time in range(self.stack.times):
            for group in range(self.stack.groups):
                self.write_depths(tiles, time=time, group=group)
        return self.document(tiles)

    def write_depths(self, tiles: TileFile, *, time: int, group: int) -> None:
        stack = self.stack
        maxima = Maxima(self.grid, stack.samples) if stack.has_projection else None
        for depth in range(stack.depths):
            writers = self.open_planes(tiles, time=time, depth=depth, group=group)
            top = 0
            for rows in self.reduced_rows(time, depth, group):
                bands = [
                    writer.coding.codes_of(band) for writer, band in zip(writers, split_samples(rows), strict=True)
                ]
                for place, (writer, codes) in enumerate(zip(writers, bands, strict=True)):
                    writer.add(codes)
                    if maxima is not None:
                        maxima.add(codes, place=place, top=top)
                top += len(rows)
            for writer in writers:
                writer.finish()
        if maxima is not None:
            for writer, plane in zip(
                self.open_planes(tiles, time=time, depth=stack.depths, group=group), maxima.planes, strict=True
            ):
                writer.add(plane)
                writer.finish()

    def open_planes(self, tiles: TileFile, *, time: int, depth: int, group: int) -> list[PlaneWriter]:
        first = (time * self.stack.shown_depths + depth) * len(self.stack.channels)
        places = range(group * self.stack.samples, (group + 1) * self.stack.samples)
        return [
            PlaneWriter(tiles, plane=first + place, coding=self.codings[place], seen=self.seen[place])
            for place in places
        ]

    def reduced_rows(self, time: int, depth: int, group: int) -> Iterator[Pixels]:
        """Rows of the plane, as many at a time as can be halved as often as was chosen."""
        for rows in regroup(self.stack.read_plane(time, depth, group), max(ROWS_AT_ONCE, 2**self.halvings)):
            for _ in range(self.halvings):
                rows = reduce_rows(rows)
            yield rows

    def document(self, tiles: TileFile) -> dict[str, Json]:
        stack, coding = self.stack, self.codings[0]
        return {
            "format": FORMAT,
            "title": stack.title,
            "width": self.grid.width,
            "height": self.grid.height,
            "reduced_by": 2**self.halvings,
            "tile_size": TILE,
            "levels": len(self.grid.levels),
            "depths": stack.depths,
            "times": stack.times,
            "has_projection": stack.has_projection,
            "is_color": stack.samples >= 3,
            "is_inverted": stack.is_inverted,
            "coding": "jpeg" if coding.quality else "deflate",
            "code_bytes": coding.code_bytes,
            "channels": [self.describe_channel(place) for place in range(len(stack.channels))],
            "pixel_size_um": stack.pixel_size_um and round_number(stack.pixel_size_um * 2**self.halvings),
            "z_step_um": stack.z_step_um and round_number(stack.z_step_um),
            "interval_s": stack.interval_s and round_number(stack.interval_s),
            "offsets": tiles.offsets,
            "lengths": tiles.lengths,
        }

    def describe_channel(self, place: int) -> dict[str, Json]:
        channel, coding, seen = self.stack.channels[place], self.codings[place], self.seen[place]
        low: float = seen.percentile(0.002)
        high: float = seen.percentile(0.998)
        least, greatest = min(seen.least, seen.greatest), seen.greatest
        if self.stack.dtype.name == "uint8" and high - low >= LEAST_SPREAD:
            low, high = 0, 255
        if high <= low:
            low, high = least, max(greatest, least + 1)
        offset, scale = channel.slope * coding.offset + channel.intercept, channel.slope * coding.scale
        if channel.window is not None and coding.power == 1:
            low, high = ((edge - offset) / scale for edge in channel.window)
        return {
            "name": channel.name[:200],
            "color": channel.color or choose_color(self.stack, place),
            "offset": float(offset),
            "scale": float(scale),
            "power": coding.power,
            "low": low,
            "high": high,
            "least": min(least, low),
            "greatest": max(greatest, high),
            "histogram": draw_histogram(seen, least=min(least, low), greatest=max(greatest, high)),
        }


def choose_color(stack: Stack, place: int) -> str:
    if stack.samples >= 3:
        return ("#ff0000", "#00ff00", "#0000ff")[place % 3]
    return COLORS[place % len(COLORS)] if len(stack.channels) > 1 else GREY


def draw_histogram(seen: Seen, *, least: float, greatest: float) -> list[Json]:
    """Shares of the most frequent step, logarithmic, between these two codes."""
    edges = np.linspace(least, greatest + 1, HISTOGRAM_STEPS + 1).astype(int)
    sums = np.array([seen.counts[max(a, 0) : max(b, a + 1, 0)].sum() for a, b in pairwise(edges)])
    logs = np.log1p(sums)
    return [round(float(share), 3) for share in logs / max(logs.max(), 1)]
