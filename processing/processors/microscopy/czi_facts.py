"""What the XML of a CZI says: channels, scaling, microscope, objective, exposure, scenes and when it was taken."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import ParseError, fromstring

from processing.facts import Facts
from processing.formats.stack import Channel
from processing.formats.trace_facts import round_fact
from processing.processors.image.tiff import parse_iso_time

ARGB = re.compile(r"#(?:[0-9A-Fa-f]{2})?([0-9A-Fa-f]{6})")
FRACTION = re.compile(r"(\.\d{6})\d+")  # of a second: ZEN writes seven digits


@dataclass
class CziDescription:
    facts: Facts = field(default_factory=Facts)
    channels: list[Channel] = field(default_factory=list)
    scenes: dict[int, str] = field(default_factory=dict)
    pixel_size_um: float | None = None
    z_step_um: float | None = None
    interval_s: float | None = None
    taken_at: datetime | None = None


def describe(file: Any, *, zone: tzinfo) -> CziDescription:
    """Little, where the file holds no XML."""
    found = CziDescription()
    found.facts.add("format", "CZI")
    found.facts.add("manufacturer", "Zeiss")
    root = read_metadata(file)
    if root is None:
        return found
    add_scaling(found, root)
    add_channels(found, root)
    add_microscope(found.facts, root)
    for number, scene in enumerate(root.iterfind(".//Information/Image/Dimensions/S/Scenes/Scene")):
        index, name = scene.get("Index", ""), scene.get("Name", "")
        if name:
            found.scenes[int(index) if index.isdigit() else number] = name
    found.facts.add_all("scene", found.scenes.values())
    found.interval_s = number_of(root, ".//Information/Image/Dimensions/T/Positions/Interval/Increment")
    found.taken_at = find_time(root, zone=zone)
    return found


def read_metadata(file: Any) -> Element | None:
    try:
        text = file.metadata(raw=True)
        return fromstring(text, forbid_dtd=True) if text else None
    except (ParseError, UnicodeDecodeError):
        return None


def add_scaling(found: CziDescription, root: Element) -> None:
    """Metres in the file."""
    sizes = {one.get("Id"): number_of(one, "Value") for one in root.iterfind(".//Scaling/Items/Distance")}
    across, step = sizes.get("X"), sizes.get("Z")
    found.pixel_size_um = round_fact(across * 1e6) if across else None
    found.z_step_um = round_fact(step * 1e6) if step else None
    found.facts.add("pixel_size_um", found.pixel_size_um)
    found.facts.add("z_step_um", found.z_step_um)


def add_channels(found: CziDescription, root: Element) -> None:
    colors = {one.get("Id"): color_of(one) for one in root.iterfind(".//DisplaySetting/Channels/Channel")}
    for number, one in enumerate(root.iterfind(".//Information/Image/Dimensions/Channels/Channel"), start=1):
        name = one.get("Name") or text_of(one, "Fluor") or f"Channel {number}"
        found.channels.append(Channel(name, color_of(one) or colors.get(one.get("Id"), "")))
        found.facts.add("channel", name)
        found.facts.add("fluorophore", text_of(one, "Fluor"))
        if exposure := number_of(one, "ExposureTime"):
            found.facts.add("exposure_ms", round_fact(exposure / 1e6))  # the file has nanoseconds
        for key, tag in (("excitation_nm", "ExcitationWavelength"), ("emission_nm", "EmissionWavelength")):
            if stated := number_of(one, tag):
                found.facts.add(key, round_fact(stated))


def color_of(channel: Element) -> str:
    match = ARGB.fullmatch(text_of(channel, "Color"))
    return f"#{match[1].lower()}" if match and match[1].lower() not in ("ffffff", "000000") else ""


def add_microscope(facts: Facts, root: Element) -> None:
    for key, path in (
        ("instrument_model", ".//Information/Instrument/Microscopes/Microscope"),
        ("objective", ".//Information/Instrument/Objectives/Objective"),
        ("camera", ".//Information/Instrument/Detectors/Detector"),
    ):
        for one in root.iterfind(path):
            facts.add(key, text_of(one, "Manufacturer/Model") or one.get("Name") or text_of(one, "System"))
    for one in root.iterfind(".//Information/Instrument/Objectives/Objective"):
        facts.add("magnification", number_of(one, "NominalMagnification"))
        facts.add("numerical_aperture", number_of(one, "LensNA"))
    for key, path in (
        ("software", ".//Information/Application/Name"),
        ("software_version", ".//Information/Application/Version"),
        ("analyst", ".//Information/Document/UserName"),
        ("title", ".//Information/Document/Title"),
    ):
        facts.add(key, text_of(root, path))


def find_time(root: Element, *, zone: tzinfo) -> datetime | None:
    for path in (".//Information/Image/AcquisitionDateAndTime", ".//Information/Document/CreationDate"):
        if stated := text_of(root, path):
            return parse_iso_time(FRACTION.sub(r"\1", stated), zone=zone)
    return None


def text_of(element: Element, path: str) -> str:
    found = element.find(path)
    return (found.text or "").strip() if found is not None else ""


def number_of(element: Element, path: str) -> float | None:
    return next(numbers_in(text_of(element, path)), None)


def numbers_in(text: str) -> Iterator[float]:
    try:
        yield float(text)
    except ValueError:
        return
