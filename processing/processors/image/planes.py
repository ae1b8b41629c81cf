"""The planes of a TIFF, of each of its images: by time, depth and channel, their rows one after the other."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from defusedxml.ElementTree import fromstring
from tifffile import PHOTOMETRIC, TiffFile, TiffPage, TiffPageSeries

from processing.formats.stack import MAX_CHANNELS, Channel, Stack
from processing.processors.image.large_pages import (
    MAX_SEGMENT_BYTES,
    READ_AHEAD_BYTES,
    check_stored_bytes,
    is_large,
)
from processing.processors.image.tiff import check_page, page_of, pixels_of

MAX_IMAGES = 8
ROWS_AT_ONCE = 512
MICROMETRES = {"µm": 1.0, "um": 1.0, "micron": 1.0, "microns": 1.0, "\\u00B5m": 1.0, "nm": 1e-3, "mm": 1e3, "cm": 1e4}
SECONDS = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "min": 60.0, "h": 3600.0}
WHITE_OR_NONE = {"", "-1", "4294967295"}


@dataclass
class Described:
    """What OME or ImageJ say of one image."""

    channels: list[Channel] = field(default_factory=list)
    pixel_size_um: float | None = None
    z_step_um: float | None = None
    interval_s: float | None = None


def list_stacks(file: TiffFile, *, title: str) -> tuple[list[Stack], list[str]]:
    """A stack for each image of the file; a word about those that are left out."""
    found = [series for series in file.series if is_drawable(series)]
    described = describe_images(file)
    stacks = []
    for number, series in enumerate(found[:MAX_IMAGES]):
        about = described[number] if number < len(described) else Described()
        name = f"{title}, image {number + 1} of {len(found)}" if len(found) > 1 else title
        stacks.append(build_stack(file, series, about, title=name))
    said = [f"The first {MAX_IMAGES} of {len(found)} images are shown."] if len(found) > MAX_IMAGES else []
    return stacks, said


def is_drawable(series: TiffPageSeries) -> bool:
    return series.axes.replace("S", "").endswith("YX") and series.dtype is not None and series.keyframe is not None


@dataclass(frozen=True)
class Layout:
    """Which axes stand before the rows, and how the pages follow from them."""

    axes: str  # of those before rows and columns, without samples
    sizes: tuple[int, ...]
    samples: int

    def size_of(self, kind: str) -> int:
        return math.prod(size for axis, size in zip(self.axes, self.sizes, strict=True) if kind_of(axis) == kind)

    def number_of(self, *, time: int, depth: int, channel: int) -> int:
        """The number of the page; several axes of one kind count through, the last one first."""
        left = {"T": time, "Z": depth, "C": channel}
        number, step = 0, 1
        for axis, size in zip(reversed(self.axes), reversed(self.sizes), strict=True):
            kind = kind_of(axis)
            left[kind], place = divmod(left[kind], size)
            number, step = number + place * step, step * size
        return number


def kind_of(axis: str) -> str:
    return axis if axis in "TC" else "Z"


def layout_of(series: TiffPageSeries) -> Layout:
    sizes = dict(zip(series.axes, series.shape, strict=True))
    before = [axis for axis in series.axes if axis not in "YXS"]
    samples = sizes.get("S", 1)
    return Layout("".join(before), tuple(sizes[axis] for axis in before), samples)


def build_stack(file: TiffFile, series: TiffPageSeries, about: Described, *, title: str) -> Stack:
    layout, page = layout_of(series), series.keyframe
    is_palette = page.photometric == PHOTOMETRIC.PALETTE and page.colormap is not None
    samples = 3 if is_palette or layout.samples in (3, 4) else 1
    in_pixel = layout.samples if samples == 1 else 1  # channels that stand together in a pixel and are no colours
    groups = min(layout.size_of("C") * in_pixel, MAX_CHANNELS // samples)
    named = about.channels if samples == 1 else []
    colors = ("Red", "Green", "Blue") if samples == 3 else ()
    plain = [Channel(name) for name in colors] or [Channel("Intensity")]
    channels = [
        (named[number] if number < len(named) else Channel(f"Channel {number + 1}")) for number in range(groups)
    ]
    several = groups > 1 or bool(named)
    return Stack(
        title=title,
        width=page.imagewidth,
        height=page.imagelength,
        dtype=np.dtype(np.uint8) if is_palette else real_dtype(np.dtype(series.dtype)),
        channels=channels if several and samples == 1 else [one for _ in range(groups) for one in plain],
        read_plane=PlaneReader(file, series, layout, samples, in_pixel),
        depths=layout.size_of("Z"),
        times=layout.size_of("T"),
        samples=samples,
        pixel_size_um=about.pixel_size_um or resolution_of(page),
        z_step_um=about.z_step_um,
        interval_s=about.interval_s,
    )


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float32) if dtype.kind == "c" else dtype.newbyteorder("=")


@dataclass(frozen=True)
class PlaneReader:
    """`Stack.read_plane` of one image of a file."""

    file: TiffFile
    series: TiffPageSeries
    layout: Layout
    samples: int
    in_pixel: int

    def __call__(self, time: int, depth: int, group: int) -> Iterator[Any]:
        channel, sample = divmod(group, self.in_pixel)
        number = self.layout.number_of(time=time, depth=depth, channel=channel)
        page = self.page_at(number)
        for rows in self.read_rows(page, number):
            yield self.shape_rows(rows, sample)

    def page_at(self, number: int) -> TiffPage | None:
        pages = self.series.pages
        if number < len(pages):
            page = pages[number]
            return page if page is None or isinstance(page, TiffPage) else page.aspage()
        return self.series.keyframe  # ImageJ: one directory for all planes, which follow one another

    def read_rows(self, page: TiffPage | None, number: int) -> Iterator[Any]:
        keyframe = self.series.keyframe
        if page is None:  # a plane that OME names and no file holds
            yield np.zeros((keyframe.imagelength, keyframe.imagewidth), dtype=self.series.dtype)
        elif number >= len(self.series.pages) or self.is_one_block(number):
            yield from self.read_block(number)
        elif is_large(page):
            check_stored_bytes(page)
            yield from read_large_rows(page)
        else:
            check_page(page)
            yield pixels_of(page)

    def is_one_block(self, number: int) -> bool:
        return len(self.series.pages) == 1 and number == 0 and self.layout.size_of("Z") * self.layout.size_of("T") > 1

    def read_block(self, number: int) -> Iterator[Any]:
        """Of planes that follow one another without directories."""
        page = self.series.keyframe
        if self.series.dataoffset is None:
            yield np.asarray(self.series.asarray()).reshape(-1, page.imagelength, page.imagewidth)[number]
            return
        stored = np.dtype(page.parent.byteorder + np.dtype(page.dtype).char)
        start = self.series.dataoffset + number * page.imagelength * page.imagewidth * stored.itemsize
        yield from read_stored_lines(page, stored, start=start, values=page.imagewidth)

    def shape_rows(self, rows: Any, sample: int) -> Any:
        """One of the samples, or three of them without transparency."""
        if np.iscomplexobj(rows):
            rows = np.abs(rows).astype(np.float32)
        if self.samples == 1:
            return rows[..., sample] if rows.ndim == 3 else rows
        return rows[..., :3]


def read_large_rows(page: TiffPage) -> Iterator[Any]:
    if page.is_contiguous and page.planarconfig != 2:
        stored = np.dtype(page.parent.byteorder + np.dtype(page.dtype).char)
        yield from read_stored_lines(
            page, stored, start=page.dataoffsets[0], values=page.imagewidth * page.samplesperpixel
        )
        return
    if page.chunks and math.prod(page.chunks) * np.dtype(page.dtype).itemsize > MAX_SEGMENT_BYTES:
        raise ValueError("It is stored in one piece.")
    yield from read_segment_rows(page)


def read_stored_lines(page: TiffPage, stored: np.dtype[Any], *, start: int, values: int) -> Iterator[Any]:
    for top in range(0, page.imagelength, ROWS_AT_ONCE):
        count = min(ROWS_AT_ONCE, page.imagelength - top)
        page.parent.filehandle.seek(start + top * values * stored.itemsize)
        rows = page.parent.filehandle.read_array(stored, count * values).astype(stored.newbyteorder("="), copy=False)
        samples = values // page.imagewidth
        yield rows.reshape(count, page.imagewidth, samples) if samples > 1 else rows.reshape(count, page.imagewidth)


def read_segment_rows(page: TiffPage) -> Iterator[Any]:
    """Of tiles or strips: those that begin in one line make its rows."""
    rows, top_of_rows = None, 0
    for segment, (_, _, top, left, _), (_, height, width, _) in page.segments(
        maxworkers=1, buffersize=READ_AHEAD_BYTES
    ):
        if rows is None or top != top_of_rows:
            if rows is not None:
                yield rows
            shape = (min(height, page.imagelength - top), page.imagewidth, page.samplesperpixel)
            rows, top_of_rows = np.zeros(shape, dtype=page.dtype), top
        if segment is not None:
            room = rows[:, left : left + width]  # tiles reach beyond the edges
            room[...] = segment[0, : room.shape[0], : room.shape[1]]
    if rows is not None:
        yield rows


def resolution_of(page: TiffPage) -> float | None:
    """Micrometres of a pixel, where the tags say it; inches are a screen's or a printer's, not a specimen's."""
    stated, unit = page.tags.valueof("XResolution"), page.tags.valueof("ResolutionUnit")
    if not stated or int(unit or 0) != 3 or not stated[0] or not stated[1]:
        return None
    size = 1e4 * stated[1] / stated[0]
    return size if size < 100 else None


def describe_images(file: TiffFile) -> list[Described]:
    if file.is_ome and file.ome_metadata:
        root = fromstring(file.ome_metadata)
        return [describe_ome(pixels) for pixels in root.iter() if pixels.tag.endswith("}Pixels")]
    if file.is_imagej and file.imagej_metadata:
        return [describe_imagej(file, file.imagej_metadata)]
    return []


def describe_ome(pixels: Element) -> Described:
    channels = [one for one in pixels.iter() if one.tag.endswith("}Channel")]
    named = [
        Channel(one.get("Name") or one.get("Fluor") or f"Channel {number}", color_of(one.get("Color") or ""))
        for number, one in enumerate(channels, start=1)
    ]
    return Described(
        channels=named,
        pixel_size_um=measure(pixels, "PhysicalSizeX", MICROMETRES, "µm"),
        z_step_um=measure(pixels, "PhysicalSizeZ", MICROMETRES, "µm"),
        interval_s=measure(pixels, "TimeIncrement", SECONDS, "s"),
    )


def measure(pixels: Element, name: str, units: dict[str, float], usual: str) -> float | None:
    factor = units.get(pixels.get(f"{name}Unit", usual))
    return positive(pixels.get(name), factor) if factor else None


def positive(stated: object, factor: float = 1.0) -> float | None:
    try:
        value = float(str(stated)) * factor
    except ValueError:
        return None
    return value if 0 < value < math.inf else None


def color_of(stated: str) -> str:
    """OME writes red, green, blue and opacity as one signed number; white is what programs write that know none."""
    if stated in WHITE_OR_NONE or not re.fullmatch(r"-?\d{1,10}", stated):
        return ""
    rgb = (int(stated) & 0xFFFFFFFF) >> 8
    return f"#{rgb:06x}" if rgb and rgb != 0xFFFFFF else ""


def describe_imagej(file: TiffFile, about: dict[str, Any]) -> Described:
    factor = MICROMETRES.get(str(about.get("unit")))
    stated = page_of(file.pages, 0).tags.valueof("XResolution")
    size = stated[1] / stated[0] * factor if factor and stated and stated[0] else None
    count = about.get("channels")
    labels = [str(label) for label in about.get("Labels") or [] if str(label).strip()]
    names = labels if isinstance(count, int) and len(labels) == count else []
    return Described(
        channels=[Channel(name) for name in names],
        pixel_size_um=positive(size),
        z_step_um=positive(about.get("spacing"), factor) if factor else None,
        interval_s=positive(about.get("finterval")),
    )
