"""Mass spectra as bare numbers: DTA (SEQUEST) and PKL (Micromass), each spectrum behind a line for its precursor."""

import re
from collections.abc import Iterator
from pathlib import PurePath

import numpy as np

from processing.facts import Facts
from processing.processors.mass_spectrometry.scans import Scan, summarise_scans
from processing.readings import Input, Output, Unreadable
from processing.text_encoding import decode_text

PROTON = 1.00727646688  # Da
NAMED_PART = re.compile(r"=+ *\"?([^\"=\n]+?)\"? *=+")  # of several DTA in one file
SCAN_NAME = re.compile(r"(?P<base>.+)\.(?P<first>\d+)\.(?P<last>\d+)\.(?P<charge>\d)")
CUT_OFF = "The last line has no end: the file may have been cut off."
NO_POINTS = "A spectrum has no points: a part may be missing."


def read(given: Input) -> Output:
    """DTA says the mass of its precursor with one proton and the charge, PKL its m/z, intensity and charge.

    Unreadable: a line holds something else.
    """
    text = decode_text(given.path.read_bytes()).text
    first = next((line.split() for line in text.split("\n") if line.strip() and not line.startswith("=")), [])
    is_pkl = len(first) == 3
    facts = Facts()
    facts.add("technique", "mass spectrometry")
    facts.add("format", "Micromass PKL" if is_pkl else "SEQUEST DTA")
    scans = list(iterate_scans(text, given, is_pkl=is_pkl))
    if not scans:
        raise Unreadable("It holds no spectra.")
    summary = summarise_scans(iter(scans), time_unit="s", unit=None)
    summary.add_facts(facts)
    doubts = [] if text.endswith("\n") else [CUT_OFF]
    doubts += [] if all(len(scan.mz) for scan in scans) else [NO_POINTS]
    return Output(run=facts.as_json(), artefacts=summary.build_artefacts(), warnings=[*doubts, *summary.list_doubts()])


def iterate_scans(text: str, given: Input, *, is_pkl: bool) -> Iterator[Scan]:
    """Spectra are apart by empty lines, or by a line with the name of the next."""
    parts = re.split(r"\n[ \t]*\n(?:[ \t]*\n)*", text.strip("\n"))
    number, name = 0, ""
    for part in parts:
        lines = [line for line in part.split("\n") if line.strip()]
        if lines and (named := NAMED_PART.fullmatch(lines[0].strip())):
            name, lines = PurePath(named[1]).stem, lines[1:]
        if not lines:
            continue
        number += 1
        own = PurePath(given.filename).stem if len(parts) == 1 and not is_pkl else ""
        yield build_scan(lines, name or own or f"Spectrum {number}", is_pkl=is_pkl)
        name = ""


def build_scan(lines: list[str], name: str, *, is_pkl: bool) -> Scan:
    head, *rows = [parse_row(line) for line in lines]
    if len(head) != (3 if is_pkl else 2) or any(len(row) != 2 for row in rows):
        raise Unreadable("A line is neither a precursor, nor a pair of mass and intensity.")
    charge = int(head[-1])
    precursor = head[0] if is_pkl else (head[0] + (charge - 1) * PROTON) / charge if charge else head[0]
    points = np.array(rows, dtype=np.float64).reshape(-1, 2)
    return Scan(
        name,
        2,
        None,
        points[:, 0],
        points[:, 1],
        precursor_mz=round(precursor, 6),
        charge=f"{charge}+" if charge else None,
    )


def parse_row(line: str) -> list[float]:
    try:
        return [float(word) for word in line.split()]
    except ValueError as error:
        raise Unreadable("Among its numbers stands a word.") from error
