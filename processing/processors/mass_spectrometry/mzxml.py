"""Mass spectrometry in mzXML: every scan holds its points as pairs, big-endian, in base 64."""

import base64
import binascii
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
from defusedxml.ElementTree import ParseError, iterparse

from processing.facts import Facts
from processing.processors.mass_spectrometry.scans import Floats, Scan, summarise_scans
from processing.processors.mzml.arrays import local, unpacked
from processing.readings import Input, Output, Unreadable

DURATION = re.compile(r"P(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)$")
NUMBER_TYPES = {"32": ">f4", "64": ">f8"}
MASSES, INTENSITIES = "m/z", "intensity"  # of points that are packed apart
PAIRS = {None, "m/z-int"}
POLARITIES = {"+": "positive", "-": "negative"}
INSTRUMENT_FACTS = {
    "msModel": "instrument_model",
    "msManufacturer": "manufacturer",
    "msIonisation": "ionization_mode",
    "msMassAnalyzer": "mass_analyzer",
    "msDetector": "detector",
}


def read(given: Input) -> Output:
    facts = Facts()
    facts.add("technique", "mass spectrometry")
    announced: list[int] = []
    try:
        summary = summarise_scans(iterate_scans(given.path, facts, announced))
    except ParseError as error:
        raise Unreadable("The XML is damaged, or ends too early.") from error
    summary.add_facts(facts)
    found = summary.levels.total()
    return Output(
        run=facts.as_json(),
        artefacts=summary.build_artefacts(),
        warnings=[
            *(
                f"The header announces {count:,} scans; the file holds {found:,}."
                for count in announced
                if count != found
            ),
            *summary.list_doubts(),
        ],
    )


def iterate_scans(path: Path, facts: Facts, announced: list[int]) -> Iterator[Scan]:
    """One pass. A scan may hold those that it caused; each is forgotten as soon as it was read."""
    parents: list[Element] = []
    for event, element in iterparse(path, events=("start", "end"), forbid_dtd=True):
        name = local(element)
        if event == "start":
            parents.append(element)
            describe(name, element, facts, announced)
            continue
        parents.pop()
        if name == "peaks" and parents and element.get("contentType") != MASSES:
            yield build_scan(parents[-1], element)
            element.text = None
        elif name == "scan" and parents:
            parents[-1].remove(element)


def describe(name: str, element: Element, facts: Facts, announced: list[int]) -> None:
    if name == "mzXML":
        version = re.search(r"mzXML_([\d.]+)", element.tag)
        facts.add("format", f"mzXML {version[1] if version else ''}".strip())
    elif name == "msRun" and (element.get("scanCount") or "").isdigit():
        announced.append(int(element.get("scanCount", "0")))
    elif name in INSTRUMENT_FACTS:
        facts.add(INSTRUMENT_FACTS[name], element.get("value"))
    elif name == "software" and element.get("type") == "acquisition":
        facts.add("software", element.get("name"))
        facts.add("software_version", element.get("version"))
    elif name == "scan":
        facts.add("polarity", POLARITIES.get(element.get("polarity", "")))


def build_scan(scan: Element, peaks: Element) -> Scan:
    name = scan.get("num", "?")
    points = decode_pairs(scan, peaks, name=name) if peaks.get("contentType") == INTENSITIES else None
    points = decode_points(peaks, scan=name) if points is None else points
    expected = scan.get("peaksCount", "")
    if expected.isdigit() and int(expected) != len(points):
        raise Unreadable(f"Scan {name} announces {int(expected):,} points and holds {len(points):,}.")
    precursor = next((child for child in scan if local(child) == "precursorMz"), None)
    return Scan(
        name,
        level=int(scan.get("msLevel") or 1),
        time=minutes_of(scan.get("retentionTime")),
        mz=points[:, 0],
        intensities=points[:, 1],
        is_profile=scan.get("centroided") == "0",
        precursor_mz=None if precursor is None else float(precursor.text or "nan"),
        charge=None if precursor is None else precursor.get("precursorCharge"),
        total=float(scan.get("totIonCurrent", "nan")) if scan.get("totIonCurrent") else None,
    )


def decode_pairs(scan: Element, intensities: Element, *, name: str) -> Floats:
    """Masses and intensities, each packed alone."""
    masses = next((child for child in scan if child.get("contentType") == MASSES), None)
    if masses is None:
        raise Unreadable(f"Scan {name} has intensities and no masses.")
    mz, heights = (decode_numbers(one, scan=name) for one in (masses, intensities))
    if len(mz) != len(heights):
        raise Unreadable(f"Scan {name} has {len(mz):,} masses and {len(heights):,} intensities.")
    return np.column_stack([mz, heights])


def decode_points(peaks: Element, *, scan: str) -> Floats:
    if (peaks.get("pairOrder") or peaks.get("contentType")) not in PAIRS:
        raise Unreadable(f"The points of scan {scan} are packed in a way that is not known.")
    numbers = decode_numbers(peaks, scan=scan)
    if len(numbers) % 2:
        raise Unreadable(f"The points of scan {scan} are damaged.")
    return numbers.reshape(-1, 2)


def decode_numbers(peaks: Element, *, scan: str) -> Floats:
    try:
        content = base64.b64decode("".join((peaks.text or "").split()), validate=True)
        content = unpacked(content) if peaks.get("compressionType") == "zlib" else content
        numbers = np.frombuffer(content, NUMBER_TYPES[peaks.get("precision", "32")])
        return numbers.astype(np.float64)
    except (binascii.Error, zlib.error, ValueError, KeyError) as error:
        raise Unreadable(f"The points of scan {scan} are damaged.") from error


def minutes_of(duration: str | None) -> float | None:
    """PT353.43S"""
    found = DURATION.match(duration or "")
    if found is None:
        return None
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return 60 * hours + minutes + seconds / 60
