"""XRDML: scans of PANalytical diffractometers, counts against the angle that was scanned."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
from defusedxml.ElementTree import ParseError, parse
from numpy.typing import NDArray

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.local_times import as_utc, describe_zone
from processing.readings import Input, Json, Output, Unreadable

NAMESPACE = re.compile(r"\{[^}]*\}")
SYSTEM = re.compile(r"Diffractometer system=\s*([^;,]+)")
RUN_TEXTS = {
    "sample_id": "sample/id",
    "sample_name": "sample/name",
    "analyst": "sample/preparedBy",
    "anode": "incidentBeamPath/xRayTube/anodeMaterial",
    "tension_kv": "incidentBeamPath/xRayTube/tension",
    "current_ma": "incidentBeamPath/xRayTube/current",
    "wavelength_k_alpha1_angstrom": "usedWavelength/kAlpha1",
    "wavelength_k_alpha2_angstrom": "usedWavelength/kAlpha2",
    "author": "header/author/name",
    "software": "header/source/applicationSoftware",
}
NUMBERS = ("_kv", "_ma", "_angstrom")
Floats = NDArray[np.float64]

COUNTS, RATE = "counts", "counts/s"


@dataclass(frozen=True)
class Scan:
    name: str
    axis: str
    angles: Floats
    counts: Floats
    unit: str
    counting_time_s: float | None
    started: str
    ended: str
    status: str


def read(given: Input) -> Output:
    """Unreadable: no scan, or one whose angles and counts do not match."""
    root = parse_without_namespaces(given.path)
    scans = [read_scan(scan, number) for number, scan in enumerate(root.iter("scan"), start=1) if has_points(scan)]
    if not scans:
        raise Unreadable("It holds no scan.")
    facts = Facts()
    facts.add("technique", "XRD")
    facts.add("format", "XRDML")
    facts.add("manufacturer", "PANalytical")
    for key, path in RUN_TEXTS.items():
        for element in root.iterfind(f".//{path}"):
            text = (element.text or "").strip()
            facts.add(key, as_float(text) if key.endswith(NUMBERS) else text)
    systems = (SYSTEM.search(entry.text or "") for entry in root.iter("entry"))
    facts.add_all("instrument_model", [found[1].strip() for found in systems if found])
    times = [time for scan in scans for text in (scan.started, scan.ended) if (time := parse_time(text, given))]
    facts.add_times(times)
    started = min(times, default=None)
    return Output(
        run=facts.as_json(),
        file={**describe_scan(scans[0]), "scans": len(scans), **describe_zone(started, given)},
        acquired_at=as_utc(started),
        artefacts=[curve.artefact(f"scan-{number}.json") for number, curve in enumerate(draw_scans(scans), start=1)],
        warnings=[f"{scan.name} was not completed." for scan in scans if scan.status not in ("", "Completed")],
    )


def parse_without_namespaces(path: Path) -> Element:
    """The version of the format stands in its namespace; the names below are the same."""
    try:
        root = parse(path, forbid_dtd=True).getroot()
    except ParseError as error:
        raise Unreadable("The XML is damaged, or ends too early.") from error
    if root is None:
        raise Unreadable("The XML holds nothing.")
    for element in root.iter():
        element.tag = NAMESPACE.sub("", element.tag)
    return root


def has_points(scan: Element) -> bool:
    return scan.find("dataPoints") is not None


def read_scan(scan: Element, number: int) -> Scan:
    points = scan.find("dataPoints")
    if points is None:
        raise Unreadable("A scan holds no points.")
    counts = read_counts(points)
    axis, angles = find_scanned_axis(scan, points, len(counts))
    time = points.find("commonCountingTime")
    return Scan(
        name=f"Scan {number}",
        axis=axis,
        angles=angles,
        counts=counts,
        unit=find_unit(points),
        counting_time_s=as_float(time.text or "") if time is not None else None,
        started=scan.findtext("header/startTimeStamp", ""),
        ended=scan.findtext("header/endTimeStamp", ""),
        status=scan.get("status", ""),
    )


def read_counts(points: Element) -> Floats:
    """Intensities; or counts, multiplied by what attenuated the beam."""
    intensities, counts = points.findtext("intensities"), points.findtext("counts")
    values = parse_numbers(intensities or counts or "")
    if not len(values):
        raise Unreadable("A scan holds no counts.")
    factors = parse_numbers(points.findtext("beamAttenuationFactors", ""))
    if intensities is None and len(factors):
        if len(factors) != len(values):
            raise Unreadable("A scan has more or fewer attenuation factors than counts.")
        return values * factors
    return values


def find_unit(points: Element) -> str:
    intensities = points.find("intensities")
    return RATE if intensities is not None and intensities.get("unit") == "cps" else COUNTS


def parse_numbers(text: str) -> Floats:
    try:
        return np.array([float(part) for part in text.split()])
    except ValueError as error:
        raise Unreadable("A list of its numbers holds something else.") from error


def find_scanned_axis(scan: Element, points: Element, count: int) -> tuple[str, Floats]:
    """2Theta where it moved, else the first axis that did."""
    moved = dict(list_moved_axes(points, count))
    if not moved:
        return "Point", np.arange(1, count + 1, dtype=np.float64)
    stated = scan.get("scanAxis", "")
    axis = next((name for name in ("2Theta", stated, *moved) if name in moved), stated)
    return axis, moved[axis]


def list_moved_axes(points: Element, count: int) -> Iterator[tuple[str, Floats]]:
    for positions in points.iterfind("positions"):
        name = positions.get("axis", "")
        listed = positions.findtext("listPositions")
        if listed is not None:
            values = parse_numbers(listed)
            if len(values) != count:
                raise Unreadable(f"A scan has {len(values)} positions of {name}, but {count} counts.")
            yield name, values
            continue
        start, end = (as_float(positions.findtext(tag, "")) for tag in ("startPosition", "endPosition"))
        if start is not None and end is not None and start != end:
            yield name, np.linspace(start, end, count)


def as_float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def parse_time(text: str, given: Input) -> datetime | None:
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=given.time_zone)


def describe_scan(scan: Scan) -> dict[str, Json]:
    """The first scan: how far, how high, and where it is highest."""
    name = "two_theta" if scan.axis == "2Theta" else re.sub(r"\W", "_", scan.axis.lower())
    highest = int(scan.counts.argmax())
    described: dict[str, Json] = {
        "points": len(scan.counts),
        f"{name}_start_deg": float(scan.angles[0]),
        f"{name}_end_deg": float(scan.angles[-1]),
        "max_counts": float(scan.counts[highest]),
        f"{name}_at_max_deg": float(scan.angles[highest]),
    }
    return described | ({"counting_time_s": scan.counting_time_s} if scan.counting_time_s is not None else {})


def draw_scans(scans: list[Scan]) -> Iterator[Curve]:
    """One curve for each axis that was scanned, and unit."""
    for axis, unit in dict.fromkeys((scan.axis, scan.unit) for scan in scans):
        series = [Series(one.name, one.angles, one.counts) for one in scans if (one.axis, one.unit) == (axis, unit)]
        label = Axis("2θ" if axis == "2Theta" else axis, "°" if axis != "Point" else None)
        yield Curve("Diffractogram", label, Axis("Intensity", unit), series)
