"""Zeiss CZI: every scene put together from its tiles at full size, by time, depth and channel."""

import struct
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import czifile
import numpy as np

from processing.formats.stack import MAX_CHANNELS, Channel, Stack
from processing.processors.image.pixels import Pixels
from processing.processors.microscopy.acquisitions import (
    MAX_IMAGES,
    Acquisition,
    PlaneNotTaken,
    Planes,
    build_acquisition_output,
    check_plane,
)
from processing.processors.microscopy.czi_facts import CziDescription, describe
from processing.processors.microscopy.czi_pixels import decode_pixels
from processing.readings import Input, Output, Unreadable, Unrecognised

ROWS_AT_ONCE = 512
PLANE_AXES = "YX0SM"
READ_ERRORS = (
    ValueError,
    KeyError,
    IndexError,
    AssertionError,
    OSError,
    struct.error,
    czifile.czifile.SegmentNotFoundError,
)


def read(given: Input) -> Output:
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always")
        with open_file(given.path) as file:
            tiles = list_tiles(file)
            about = describe(file, zone=given.time_zone)
            found = Acquisition(about.facts, [], taken_at=about.taken_at)
            scenes = group_by_scene(tiles)
            found.images = len(scenes)
            for number, (scene, members) in enumerate(scenes.items()):
                if number < MAX_IMAGES:
                    part = about.scenes.get(scene, f"scene {number + 1} of {len(scenes)}")
                    title = f"{given.filename}, {part}" if len(scenes) > 1 else given.filename
                    found.stacks.append(build_stack(members, about, title=title))
            add_sizes(found, scenes)
            output = build_acquisition_output(given, found)
    if any("not found" in str(one.message) or "pending" in str(one.message) for one in complaints):
        said = "A directory of the file is missing or was not finished: it may be damaged."
        return Output(output.run, output.file, output.acquired_at, output.artefacts, [*output.warnings, said])
    return output


def open_file(path: Path) -> Any:
    """Unreadable: what names its parts is not there."""
    try:
        file = czifile.CziFile(str(path), multifile=False)
        if file.header.file_part:
            raise Unrecognised("It is kept, and not read: it is one part of a CZI in several files.")
        file.subblock_directory  # noqa: B018  (read here, where a file that is cut off shows itself)
    except READ_ERRORS as error:
        raise Unreadable(f"The directory of its parts is missing or damaged: it may be cut off ({error}).") from error
    return file


@dataclass(frozen=True)
class Tile:
    """A subblock at full size: where it lies in its plane, and in which."""

    entry: Any
    top: int
    left: int
    height: int
    width: int
    scene: int
    time: int
    channel: int
    depth: tuple[int, ...]  # Z, and what else counts through as depths
    order: int  # the later one lies above

    @property
    def bottom(self) -> int:
        return self.top + self.height


def list_tiles(file: Any) -> list[Tile]:
    """Those of full size: others are the smaller copies of a pyramid. Unreadable: there is none."""
    found = [tile_of(entry) for entry in file.subblock_directory if is_full_size(entry)]
    if not found:
        raise Unreadable("It holds no image.")
    return sorted(found, key=lambda tile: tile.order)


def is_full_size(entry: Any) -> bool:
    sizes = {dim.dimension: (dim.size, dim.stored_size) for dim in entry.dimension_entries}
    return all(axis in sizes and sizes[axis][0] == sizes[axis][1] > 0 for axis in "YX")


def tile_of(entry: Any) -> Tile:
    starts = {dim.dimension: dim.start for dim in entry.dimension_entries}
    sizes = {dim.dimension: dim.size for dim in entry.dimension_entries}
    others = tuple(starts[axis] for axis in sorted(starts) if axis not in f"{PLANE_AXES}TC")
    return Tile(
        entry,
        top=starts["Y"],
        left=starts["X"],
        height=sizes["Y"],
        width=sizes["X"],
        scene=starts.get("S", 0),
        time=starts.get("T", 0),
        channel=starts.get("C", 0),
        depth=others,
        order=starts.get("M", 0),
    )


def group_by_scene(tiles: list[Tile]) -> dict[int, list[Tile]]:
    scenes: dict[int, list[Tile]] = {}
    for tile in tiles:
        scenes.setdefault(tile.scene, []).append(tile)
    return dict(sorted(scenes.items()))


@dataclass
class ScenePlanes:
    """`Planes.read` of one scene: rows put together from the tiles that lie in them."""

    tiles: Mapping[tuple[int, tuple[int, ...], int], list[Tile]]
    times: list[int]
    depths: list[tuple[int, ...]]
    channels: list[int]
    top: int
    left: int
    height: int
    width: int
    dtype: np.dtype[Any]
    samples: int
    decoded: dict[int, Pixels] = field(default_factory=dict)

    def __call__(self, time: int, depth: int, group: int) -> Iterator[Pixels]:
        members = self.tiles.get((self.times[time], self.depths[depth], self.channels[group]))
        if not members:
            raise PlaneNotTaken
        self.decoded.clear()
        try:
            for top in range(self.top, self.top + self.height, ROWS_AT_ONCE):
                yield self.read_band(members, top, min(top + ROWS_AT_ONCE, self.top + self.height))
        except (struct.error, czifile.czifile.SegmentNotFoundError) as error:
            raise ValueError("A tile is not where the directory says.") from error
        finally:
            self.decoded.clear()

    def read_band(self, members: list[Tile], top: int, bottom: int) -> Pixels:
        shape: tuple[int, ...] = (bottom - top, self.width)
        band = np.zeros(shape if self.samples == 1 else (*shape, self.samples), dtype=self.dtype)
        for number, tile in enumerate(members):
            if tile.bottom <= top or tile.top >= bottom:
                self.decoded.pop(number, None)
                continue
            if number not in self.decoded:
                self.decoded[number] = decode_pixels(tile.entry, samples=self.samples)
            first, last = max(top, tile.top), min(bottom, tile.bottom)
            left = tile.left - self.left
            band[first - top : last - top, left : left + tile.width] = self.decoded[number][
                first - tile.top : last - tile.top
            ]
        return band


def build_stack(tiles: list[Tile], about: CziDescription, *, title: str) -> Stack:
    samples = 3 if any(np.dtype(tile.entry.dtype).shape for tile in tiles) else 1
    dtype = np.result_type(*{np.dtype(tile.entry.dtype).base for tile in tiles})
    dtype = np.dtype(np.float32) if dtype.kind == "c" else dtype
    for tile in tiles:
        check_plane(tile.width, tile.height, dtype, samples=samples)
    top, left = min(tile.top for tile in tiles), min(tile.left for tile in tiles)
    planes: dict[tuple[int, tuple[int, ...], int], list[Tile]] = {}
    for tile in tiles:
        planes.setdefault((tile.time, tile.depth, tile.channel), []).append(tile)
    source = ScenePlanes(
        planes,
        times=sorted({tile.time for tile in tiles}),
        depths=sorted({tile.depth for tile in tiles}),
        channels=sorted({tile.channel for tile in tiles})[: MAX_CHANNELS // samples],
        top=top,
        left=left,
        height=max(tile.bottom for tile in tiles) - top,
        width=max(tile.left + tile.width for tile in tiles) - left,
        dtype=dtype,
        samples=samples,
    )
    return Stack(
        title=title,
        width=source.width,
        height=source.height,
        dtype=dtype,
        channels=list(list_channels(source, about)),
        read_plane=Planes(source.height, source.width, dtype, samples, source),
        depths=len(source.depths),
        times=len(source.times),
        samples=samples,
        pixel_size_um=about.pixel_size_um,
        z_step_um=about.z_step_um,
        interval_s=about.interval_s,
    )


def list_channels(source: ScenePlanes, about: CziDescription) -> Iterator[Channel]:
    for number in source.channels:
        if source.samples == 3:
            yield from (Channel(name) for name in ("Red", "Green", "Blue"))
        elif number < len(about.channels):
            yield about.channels[number]
        else:
            yield Channel(f"Channel {number + 1}" if len(source.channels) > 1 else "Intensity")


def add_sizes(found: Acquisition, scenes: Mapping[int, list[Tile]]) -> None:
    first = found.stacks[0]
    for key, value in (
        ("size_z", first.depths),
        ("size_c", first.groups),
        ("size_t", first.times),
        ("scenes", len(scenes)),
        ("tiles", sum(map(len, scenes.values()))),
    ):
        found.facts.add(key, value)
