"""Nikon ND2: the planes of each position, by time, depth and channel, and what NIS-Elements says of them."""

import io
import re
import struct
import warnings
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import nd2
import numpy as np
from nd2.structures import Metadata

from processing.facts import Facts
from processing.formats.stack import MAX_CHANNELS, Channel, Stack
from processing.formats.trace_facts import round_fact
from processing.processors.image.pixels import Pixels
from processing.processors.microscopy.acquisitions import (
    MAX_IMAGES,
    Acquisition,
    PlaneNotTaken,
    Planes,
    build_acquisition_output,
    check_plane,
    count_of_kind,
    number_of_place,
)
from processing.readings import Input, Output, Unreadable, Unrecognised

LOOP_KINDS = {"TimeLoop": "T", "NETimeLoop": "T", "XYPosLoop": "P"}  # all others are depths
CHUNK_HEADER = struct.Struct("<IIQ")
CHUNK_MARK = 0x0ABECEDA
UNIX_EPOCH_DAY = 2440587.5  # Julian
EXPOSURE = re.compile(r"Exposure:\s*([\d.,]+)\s*(ms|s)\b", re.IGNORECASE)
MODEL = re.compile(r"^\s*(?:Microscope|Device):\s*(\S[^\r\n]*)", re.MULTILINE)
CAMERA = re.compile(r"^\s*Camera Name:\s*(\S[^\r\n]*)", re.MULTILINE)


class PlainFile(io.RawIOBase):
    """A file that the library does not map into memory, which would count against the reader's limit."""

    def __init__(self, path: Path) -> None:
        self.file, self.mode = path.open("rb"), "rb"

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()

    def read(self, size: int | None = -1) -> bytes:
        return self.file.read(size)


def read(given: Input) -> Output:
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        try:
            file = nd2.ND2File(PlainFile(given.path))
            axes = list_axes(file)
        except (ValueError, KeyError, struct.error, OSError) as error:
            raise Unreadable(f"The map of its parts is missing or damaged: it may be cut off ({error}).") from error
        check_kind(file)
        found = Acquisition(describe(file, axes), list_stacks(file, axes, title=given.filename))
        found.images = count_of_kind(axes, "P")
        found.taken_at = find_time(file)
        taken, planned = file.attributes.sequenceCount, int(np.prod([size for _, size in axes]))
        if taken < planned:
            found.warnings.append(f"Of {planned:,} frames that were planned the file has {taken:,}.")
        return build_acquisition_output(given, found)


def check_kind(file: nd2.ND2File) -> None:
    about = file.attributes
    if about.compressionType == "lossy" and not file.is_legacy:
        raise Unrecognised(
            "It is kept, and not read: its planes are compressed with losses, in a way that is not known."
        )
    check_plane(about.widthPx or 0, about.heightPx, np.dtype(file.dtype), samples=max(1, about.componentCount))


def list_axes(file: nd2.ND2File) -> list[tuple[str, int]]:
    """Kind and length of each loop of the experiment, the outermost first; times where the file names no loop."""
    axes = [(LOOP_KINDS.get(loop.type, "Z"), loop.count) for loop in file.experiment]
    count = file.attributes.sequenceCount
    return axes if axes or count <= 1 else [("T", count)]


def list_stacks(file: nd2.ND2File, axes: Sequence[tuple[str, int]], *, title: str) -> list[Stack]:
    positions = count_of_kind(axes, "P")
    names = list_positions(file)
    stacks = []
    for position in range(min(positions, MAX_IMAGES)):
        name = names[position] if position < len(names) else ""
        part = name or f"position {position + 1} of {positions}"
        stacks.append(build_stack(file, axes, position, title=f"{title}, {part}" if positions > 1 else title))
    return stacks


def build_stack(file: nd2.ND2File, axes: Sequence[tuple[str, int]], position: int, *, title: str) -> Stack:
    about = file.attributes
    samples = 3 if file.components_per_channel in (3, 4) else 1
    groups = min(count_groups(file), MAX_CHANNELS // samples)
    named = list_channels(file)
    plain = [Channel(name) for name in (("Red", "Green", "Blue") if samples == 3 else ("Intensity",))]
    channels = [
        one for number in range(groups) for one in (named[number : number + 1] if samples == 1 else plain) or plain
    ]
    dtype = np.dtype(file.dtype)

    def read_plane(time: int, depth: int, group: int) -> Iterator[Pixels]:
        number = number_of_place(axes, {"T": time, "Z": depth, "P": position})
        yield (
            read_frame(file, number)[group, ..., :samples].squeeze(axis=-1)
            if samples == 1
            else read_frame(file, number)[group, ..., :3]
        )

    is_calibrated = has_calibration(file)
    return Stack(
        title=title,
        width=about.widthPx or 0,
        height=about.heightPx,
        dtype=dtype,
        channels=channels,
        read_plane=Planes(about.heightPx, about.widthPx or 0, dtype, samples, read_plane),
        depths=count_of_kind(axes, "Z"),
        times=count_of_kind(axes, "T"),
        samples=samples,
        pixel_size_um=file.voxel_size().x if is_calibrated else None,
        z_step_um=find_step(file),
        interval_s=find_interval(file),
    )


def count_groups(file: nd2.ND2File) -> int:
    about = file.attributes
    return (about.channelCount or 1) if file.components_per_channel in (3, 4) else max(1, about.componentCount)


def read_frame(file: nd2.ND2File, number: int) -> Pixels:
    """Channels, rows, columns, samples. PlaneNotTaken: the file names no such frame; ValueError: it is damaged."""
    if not file.is_legacy:
        check_frame(file, number)
    groups, about = count_groups(file), file.attributes
    frame = np.asarray(file.read_frame(number))
    if (
        file.components_per_channel not in (3, 4)
        and frame.ndim == 3
        and frame.shape[-1] == groups > 1 != frame.shape[0]
    ):
        frame = np.moveaxis(frame, -1, 0) if frame.shape[0] != groups else frame
    return frame.reshape(groups, about.heightPx, about.widthPx or 0, -1)


def check_frame(file: nd2.ND2File, number: int) -> None:
    """The library fills in what is missing without a word."""
    reader: Any = file._rdr
    name = f"ImageDataSeq|{number}!".encode()
    if name not in reader.chunkmap:
        raise PlaneNotTaken
    offset = reader.chunkmap[name][0]
    reader._fh.seek(0, 2)
    size = reader._fh.tell()
    reader._fh.seek(offset)
    mark, name_length, data_length = CHUNK_HEADER.unpack(reader._fh.read(CHUNK_HEADER.size))
    is_named = mark == CHUNK_MARK and reader._fh.read(len(name)) == name
    about = file.attributes
    least = 0 if about.compressionType else about.heightPx * (about.widthBytes or 0)
    if not is_named or offset + CHUNK_HEADER.size + name_length + data_length > size or data_length < least:
        raise ValueError("The frame is not where the map says.")


def channel_data(file: nd2.ND2File) -> list[Any]:
    """Nothing where the file says less than the library asks for: a channel without a dye stops it."""
    try:
        metadata = file.metadata
    except (ValueError, KeyError, TypeError, AttributeError, NameError):
        return []
    return list(metadata.channels or []) if isinstance(metadata, Metadata) else []


def list_channels(file: nd2.ND2File) -> list[Channel]:
    found = []
    for number, one in enumerate(channel_data(file), start=1):
        color = one.channel.color
        hexadecimal = f"#{color.r:02x}{color.g:02x}{color.b:02x}"
        found.append(Channel(one.channel.name or f"Channel {number}", hexadecimal if hexadecimal != "#000000" else ""))
    return found


def list_positions(file: nd2.ND2File) -> list[str]:
    return [
        point.name or "" for loop in file.experiment if loop.type == "XYPosLoop" for point in loop.parameters.points
    ]


def has_calibration(file: nd2.ND2File) -> bool:
    channels = channel_data(file)
    return bool(channels) and bool(channels[0].volume.axesCalibrated[0])


def find_step(file: nd2.ND2File) -> float | None:
    steps = [loop.parameters.stepUm for loop in file.experiment if loop.type == "ZStackLoop"]
    return abs(steps[0]) or None if steps else None


def find_interval(file: nd2.ND2File) -> float | None:
    """Seconds between two times, as planned; None where they follow one another as fast as they can."""
    periods = [loop.parameters.periodMs for loop in file.experiment if loop.type == "TimeLoop"]
    return periods[0] / 1000 if periods and periods[0] > 0 else None


def find_time(file: nd2.ND2File) -> datetime | None:
    """The first frame's, which the file keeps as a Julian day of universal time."""
    if file.is_legacy:
        return None
    day = file._rdr._cached_global_metadata()["time"]["absoluteJulianDayNumber"]  # type: ignore[attr-defined]
    if not UNIX_EPOCH_DAY < day < UNIX_EPOCH_DAY + 100_000:
        return None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=round((day - UNIX_EPOCH_DAY) * 86_400_000))


def describe(file: nd2.ND2File, axes: Sequence[tuple[str, int]]) -> Facts:
    facts, text, channels = Facts(), file.text_info, channel_data(file)
    facts.add("format", "ND2")
    facts.add("manufacturer", "Nikon")
    facts.add("size_z", count_of_kind(axes, "Z"))
    facts.add("size_c", count_groups(file))
    facts.add("size_t", count_of_kind(axes, "T"))
    facts.add("positions", count_of_kind(axes, "P"))
    facts.add_all("position", list_positions(file))
    facts.add_all("channel", [one.channel.name for one in channels])
    facts.add_all("emission_nm", [one.channel.emissionLambdaNm for one in channels])
    facts.add_all("excitation_nm", [one.channel.excitationLambdaNm for one in channels])
    if channels:
        facts.add("objective", channels[0].microscope.objectiveName)
        facts.add("magnification", channels[0].microscope.objectiveMagnification)
        facts.add("numerical_aperture", channels[0].microscope.objectiveNumericalAperture)
    if has_calibration(file):
        facts.add("pixel_size_um", round_fact(file.voxel_size().x))
    facts.add("z_step_um", find_step(file))
    add_texts(facts, text)
    return facts


def add_texts(facts: Facts, text: Any) -> None:
    """What NIS-Elements writes as lines for people: exposure, camera, microscope, author, software."""
    about = "\n".join(str(text.get(key, "")) for key in ("description", "capturing"))
    for stated, unit in EXPOSURE.findall(about):
        facts.add("exposure_ms", round_fact(float(stated.replace(",", ".")) * (1000 if unit.lower() == "s" else 1)))
    for key, pattern in (("instrument_model", MODEL), ("camera", CAMERA)):
        if match := pattern.search(about):
            facts.add(key, match[1])
    facts.add("analyst", text.get("author"))
    facts.add("sample_id", text.get("sampleId"))
    facts.add("software", "NIS-Elements")
    facts.add("software_version", text.get("appVersion"))
