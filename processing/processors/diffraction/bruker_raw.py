"""Bruker RAW of version 3 (RAW1.01, DIFFRAC plus): scans of diffractometers, counts against 2θ.

The places are those at which public readers look. Tried with made files only.
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.local_times import as_utc, describe_zone
from processing.readings import Input, Json, Output, Unreadable

FILE_HEADER_BYTES, RANGE_HEADER_BYTES = 712, 304
MAX_POINTS = 10_000_000
STATES = {2: "is still being measured", 3: "was aborted", 4: "was interrupted"}
TEXTS = {"analyst": (36, 72), "site": (108, 218), "sample_id": (326, 60), "comment": (386, 160), "anode": (608, 4)}
DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{2,4})")
CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")


@dataclass(frozen=True)
class Scan:
    angles: NDArray[np.float64]
    counts: NDArray[np.float64]
    step_deg: float
    seconds_per_step: float
    wavelength: float


def read(given: Input) -> Output:
    """Unreadable: a scan is not there as its header announces it."""
    content = given.path.read_bytes()
    if len(content) < FILE_HEADER_BYTES:
        raise Unreadable("It ends within its header.")
    state, announced = struct.unpack_from("<II", content, 8)
    scans = list(read_scans(content, announced))
    facts = Facts()
    facts.add("technique", "XRD")
    facts.add("format", "Bruker RAW 1.01")
    facts.add("manufacturer", "Bruker")
    for key, (place, length) in TEXTS.items():
        facts.add(key, text_at(content, place, length))
    facts.add("wavelength_angstrom", round(scans[0].wavelength, 6) or None)
    facts.add("counting_time_s", round(scans[0].seconds_per_step, 6))
    started = find_start(content, given)
    facts.add_times([started] if started else [])
    series = [Series(f"Scan {number}", scan.angles, scan.counts) for number, scan in enumerate(scans, start=1)]
    curve = Curve("Diffractogram", Axis("2θ", "°"), Axis("Intensity", "counts"), series)
    return Output(
        run=facts.as_json(),
        file={**describe_scan(scans[0]), "scans": len(scans), **describe_zone(started, given)},
        acquired_at=as_utc(started),
        artefacts=[curve.artefact("scan-1.json")],
        warnings=[f"The measurement {STATES[state]}."] if state in STATES else [],
    )


def read_scans(content: bytes, announced: int) -> Iterator[Scan]:
    place = FILE_HEADER_BYTES
    for number in range(1, announced + 1):
        if place + RANGE_HEADER_BYTES > len(content):
            raise Unreadable(f"It announces {announced} scans, and ends before scan {number}.")
        length, points = struct.unpack_from("<II", content, place)
        record, more = struct.unpack_from("<II", content, place + 252)
        (start,) = struct.unpack_from("<d", content, place + 16)
        (step,) = struct.unpack_from("<d", content, place + 176)
        if length != RANGE_HEADER_BYTES or record < 4 or record % 4 or not 0 < points <= MAX_POINTS:
            raise Unreadable(f"The header of scan {number} is damaged.")
        if not (0 < abs(step) < 360 and abs(start) <= 360):
            raise Unreadable(f"The angles of scan {number} are no angles.")
        begin = place + length + more
        place = begin + points * record
        if place > len(content):
            raise Unreadable(f"Scan {number} announces {points:,} points; the file ends before the last of them.")
        counts = np.frombuffer(content[begin:place], "<f4").reshape(points, -1)[:, 0].astype(np.float64)
        if not np.isfinite(counts).all() or (counts < 0).any():
            raise Unreadable(f"Scan {number} holds what are no counts: it is damaged.")
        (seconds,) = struct.unpack_from("<f", content, begin - more - length + 192)
        (wavelength,) = struct.unpack_from("<d", content, begin - more - length + 240)
        yield Scan(start + step * np.arange(points), counts, step, seconds, wavelength)
    if not announced:
        raise Unreadable("It holds no scan.")


def text_at(content: bytes, place: int, length: int) -> str:
    return content[place : place + length].partition(b"\0")[0].decode("latin-1").strip()


def find_start(content: bytes, given: Input) -> datetime | None:
    """The date is month/day/year, the year of two digits in this century."""
    date, clock = DATE.fullmatch(text_at(content, 16, 10)), CLOCK.fullmatch(text_at(content, 26, 10))
    if date is None or clock is None:
        return None
    year = int(date[3]) + (2000 if len(date[3]) == 2 else 0)
    try:
        moment = datetime(year, int(date[1]), int(date[2]), int(clock[1]), int(clock[2]), int(clock[3] or 0))
    except ValueError:
        return None
    return moment.replace(tzinfo=given.time_zone)


def describe_scan(scan: Scan) -> dict[str, Json]:
    highest = int(scan.counts.argmax())
    return {
        "points": len(scan.counts),
        "two_theta_start_deg": float(scan.angles[0]),
        "two_theta_end_deg": round(float(scan.angles[-1]), 6),
        "max_counts": float(scan.counts[highest]),
        "two_theta_at_max_deg": round(float(scan.angles[highest]), 6),
    }
