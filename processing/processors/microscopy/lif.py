"""Leica LIF and LOF: the planes of every image, by time, depth and channel, and what LAS says of them."""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from xml.etree.ElementTree import Element, ParseError

import liffile
import numpy as np

from processing.complaints import gather_complaints
from processing.facts import Facts
from processing.formats.stack import MAX_CHANNELS, Channel, Stack
from processing.formats.trace_facts import round_fact
from processing.processors.image.pixels import Pixels
from processing.processors.microscopy.acquisitions import (
    MAX_IMAGES,
    Acquisition,
    Planes,
    build_acquisition_output,
    check_plane,
    count_of_kind,
)
from processing.readings import Input, Output, Unreadable

READ_ERRORS = (ValueError, KeyError, OSError, struct.error, ParseError, AssertionError)
LUT_COLORS = {
    "red": "#ff0000",
    "green": "#00ff00",
    "blue": "#0000ff",
    "cyan": "#00ffff",
    "magenta": "#ff00ff",
    "yellow": "#ffff00",
}
LENGTHS_IN_UM = {"m": 1e6, "meter": 1e6, "mm": 1e3, "um": 1.0, "µm": 1.0, "nm": 1e-3}
ATTRIBUTES = (
    ("objective", "ObjectiveName"),
    ("instrument_model", "SystemTypeName"),
    ("microscope", "MicroscopeModel"),
    ("serial_number", "SystemSerialNumber"),
    ("analyst", "UserName"),
)
NUMBERS = (("magnification", "Magnification"), ("numerical_aperture", "NumericalAperture"), ("zoom", "Zoom"))


def read(given: Input) -> Output:
    with gather_complaints("liffile") as complaints:
        try:
            file = liffile.LifFile(given.path)
        except READ_ERRORS as error:
            raise Unreadable(f"Its description is missing or damaged: it may be cut off ({error}).") from error
        with file:
            output = build_acquisition_output(given, gather_images(file, given))
    said = [f"Parts of the file cannot be read ({complaints[0][:160]})."] if complaints else []
    return replace(output, warnings=[*output.warnings, *said])


def gather_images(file: Any, given: Input) -> Acquisition:
    facts = Facts()
    facts.add("format", "LIF")
    facts.add("manufacturer", "Leica")
    found, images = Acquisition(facts, []), list(file.images)
    left_out = 0
    for image in images:
        try:
            stack = build_stack(image, title=f"{given.filename}, {image.name}" if len(images) > 1 else given.filename)
        except (*READ_ERRORS, NotImplementedError, AttributeError):
            left_out += 1
            continue
        found.images += 1
        if len(found.stacks) < MAX_IMAGES:
            found.stacks.append(stack)
            facts.add("image", image.name)
            describe(facts, image.xml_element)
    if left_out:
        found.warnings.append(
            f"{left_out} of {len(images)} images cannot be read: their data is missing, or of a kind that is not known."
        )
    if found.stacks:
        add_sizes(facts, found.stacks[0])
    facts.add("images", len(images))
    found.taken_at = find_time(file, images)
    return found


def build_stack(image: Any, *, title: str) -> Stack:
    """ValueError, KeyError: it has no plane of rows and columns, or its data is not in the file."""
    image.memory_block  # noqa: B018  (a KeyError for data that is not in the file)
    frame = [name for name in image.frames.frame_dims if name != "S"]
    samples = image.sizes.get("S", 1)
    if len(frame) != 2 or samples not in (1, 3):
        raise ValueError("Its planes are not rows and columns.")
    axes = [(kind_of(name), size) for name, size in image.sizes.items() if name not in (*frame, "S")]
    names = [name for name in image.sizes if name not in (*frame, "S")]
    width, height, dtype = image.sizes[frame[1]], image.sizes[frame[0]], np.dtype(image.dtype)
    check_plane(width, height, dtype, samples=samples)
    groups = min(count_of_kind(axes, "C"), MAX_CHANNELS // samples)

    def read_plane(time: int, depth: int, group: int) -> Iterator[Pixels]:
        yield np.asarray(image.frame(**places_of(names, axes, {"T": time, "Z": depth, "C": group})))

    return Stack(
        title=title,
        width=width,
        height=height,
        dtype=dtype,
        channels=list(list_channels(image, groups, samples)),
        read_plane=Planes(height, width, dtype, samples, read_plane),
        depths=count_of_kind(axes, "Z"),
        times=count_of_kind(axes, "T"),
        samples=samples,
        pixel_size_um=step_of(image, frame[1]),
        z_step_um=step_of(image, "Z"),
        interval_s=step_in_seconds(image),
    )


def kind_of(name: str) -> str:
    return name if name in ("T", "C") else "Z"


def places_of(names: list[str], axes: list[tuple[str, int]], places: Mapping[str, int]) -> dict[str, int]:
    """By the image's own names of its axes; several of one kind count through, the last one first."""
    left, found = dict(places), {}
    for name, (kind, size) in zip(reversed(names), reversed(axes), strict=True):
        left[kind], found[name] = divmod(left[kind], size)
    return found


def list_channels(image: Any, groups: int, samples: int) -> Iterator[Channel]:
    described = image.xml_element.findall("./Data/Image/ImageDescription/Channels/ChannelDescription")
    for number in range(groups):
        if samples == 3:
            yield from (Channel(name) for name in ("Red", "Green", "Blue"))
            continue
        one = described[number] if number < len(described) else None
        lut = one.get("LUTName", "") if one is not None else ""
        name = next(iter(dye_names(one)), "") if one is not None else ""
        plain = lut or f"Channel {number + 1}"
        yield Channel(name or (plain if groups > 1 else lut or "Intensity"), LUT_COLORS.get(lut.lower(), ""))


def dye_names(channel: Element) -> Iterator[str]:
    for one in channel.iterfind("./ChannelProperty"):
        if (one.findtext("Key") or "") in ("DyeName", "ContrastingMethodName") and (value := one.findtext("Value")):
            yield value


def step_of(image: Any, name: str) -> float | None:
    """Micrometres from one pixel to the next: the length is that from the first to the last."""
    for dimension in image.xml_element.findall("./Data/Image/ImageDescription/Dimensions/DimensionDescription"):
        if liffile.liffile.DIMENSION_ID.get(int(dimension.get("DimID", 0))) == name:
            count, factor = int(dimension.get("NumberOfElements", 0)), LENGTHS_IN_UM.get(dimension.get("Unit", ""))
            length = abs(float(dimension.get("Length", 0)))
            return round_fact(length * factor / (count - 1)) if factor and count > 1 and length else None
    return None


def step_in_seconds(image: Any) -> float | None:
    for dimension in image.xml_element.findall("./Data/Image/ImageDescription/Dimensions/DimensionDescription"):
        if dimension.get("DimID") == "4" and dimension.get("Unit") == "s":
            count, length = int(dimension.get("NumberOfElements", 0)), float(dimension.get("Length", 0))
            return round_fact(length / (count - 1)) if count > 1 and length > 0 else None
    return None


def describe(facts: Facts, element: Element) -> None:
    """What the settings of the microscope say, each where it stands first."""
    for key, attribute in ATTRIBUTES:
        facts.add(key, next((value for one in element.iter() if (value := one.get(attribute))), None))
    for key, attribute in NUMBERS:
        facts.add(key, next((number for one in element.iter() if (number := number_of(one.get(attribute)))), None))
    for one in element.iter():
        if exposure := number_of(one.get("ExposureTime")):
            facts.add("exposure_ms", round_fact(exposure * 1000))


def number_of(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def add_sizes(facts: Facts, first: Stack) -> None:
    facts.add("size_z", first.depths)
    facts.add("size_c", first.groups)
    facts.add("size_t", first.times)
    facts.add_all("channel", [one.name for one in first.channels] if first.samples == 1 else [])
    facts.add("pixel_size_um", first.pixel_size_um)
    facts.add("z_step_um", first.z_step_um)


def find_time(file: Any, images: list[Any]) -> datetime | None:
    """Of the first plane that has one, else of the file."""
    for image in images[:MAX_IMAGES]:
        try:
            stamps = image.timestamps
        except READ_ERRORS:
            continue
        if stamps is not None and len(stamps) and not np.isnat(stamps[0]):
            return datetime.fromtimestamp(stamps[0].astype("datetime64[ms]").astype(np.int64) / 1000, UTC)
    stated = file.datetime
    return stated if stated is None or stated.tzinfo else stated.replace(tzinfo=UTC)
