"""Bruker UXD: `_KEY=value` lines and, for each range, counts or pairs of a position and its counts."""

import re
from dataclasses import dataclass, field

import numpy as np

from processing.facts import Facts
from processing.formats.curve import Axis
from processing.local_times import parse_local_time
from processing.processors.diffraction.scans import (
    COUNTS,
    RATE,
    TWO_THETA,
    Scan,
    build_output,
    parse_number,
    parse_numbers,
)
from processing.readings import Input, Output, Unreadable

UXD_START = re.compile(r"\A\s*(?:;[^\n]*\n\s*)*_(?:FILEVERSION|SAMPLE|SITE|DRIVE)\s*=")
PAIR = re.compile(r"_(\w+)\s*=\s*(.*)")
MARKER = re.compile(r"_(2THETA)?(COUNTS|CPS)(TIME)?\s*(?:=.*)?")
FACTS = {"SAMPLE": "sample_id", "USER": "analyst", "SITE": "site", "ANODE": "anode"}
NUMBERS = {
    "WL1": "wavelength_k_alpha1_angstrom",
    "WL2": "wavelength_k_alpha2_angstrom",
    "KV": "tension_kv",
    "MA": "current_ma",
    "STEPTIME": "counting_time_s",
}
TIMES = ("%d-%b-%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S", "%d.%m.%Y %H:%M:%S", "%d-%b-%Y")
AXES = {"THETA": Axis("θ", "°"), "OMEGA": Axis("ω", "°"), "PHI": Axis("φ", "°"), "CHI": Axis("χ", "°")}


@dataclass
class Range:
    pairs: dict[str, str]
    has_positions: bool = False
    unit: str = COUNTS
    words: list[list[str]] = field(default_factory=list)


def read_uxd(given: Input, text: str) -> Output:
    """Unreadable: a line is neither a key, nor a row of numbers."""
    of_file: dict[str, str] = {}
    ranges: list[Range] = []
    is_open = False
    pending: dict[str, str] = {}
    for line in map(str.strip, text.split("\n")):
        if not line or line.startswith(";"):
            continue
        if marker := MARKER.fullmatch(line):
            unit = RATE if marker[2] == "CPS" else COUNTS
            ranges.append(Range({**of_file, **pending}, marker[1] is not None, unit))
            is_open = True
        elif pair := PAIR.fullmatch(line):
            if is_open:
                pending, is_open = {}, False
            value = pair[2].strip().strip("'\"").strip()
            pending[pair[1]] = value
            if not ranges:
                of_file[pair[1]] = value
        elif line.startswith("_"):
            raise Unreadable("It holds a list of peaks, or another block that is not read.")
        else:
            if not is_open:  # older files name no block: counts follow
                ranges.append(Range({**of_file, **pending}))
                is_open = True
            ranges[-1].words.append(line.split())
    return build_output(
        given,
        gather_facts(of_file),
        [build_scan(one) for one in ranges if one.words],
        started=parse_local_time(of_file.get("DATEMEASURED", ""), *TIMES, given=given),
    )


def gather_facts(pairs: dict[str, str]) -> Facts:
    facts = Facts()
    facts.add("technique", "XRD")
    facts.add("format", "Bruker UXD")
    facts.add("manufacturer", "Bruker")
    for key, name in FACTS.items():
        facts.add(name, pairs.get(key))
    for key, name in NUMBERS.items():
        facts.add(name, parse_number(pairs.get(key)))
    return facts


def build_scan(one: Range) -> Scan:
    """Positions stand beside the counts, or go by steps from the start."""
    axis = AXES.get(one.pairs.get("DRIVE", "").upper(), TWO_THETA)
    count = parse_number(one.pairs.get("STEPCOUNT"))
    announced = int(count) if count else None
    if one.has_positions:
        if any(len(words) < 2 for words in one.words):
            raise Unreadable("A row has a position, and no counts.")
        x = parse_numbers([words[0] for words in one.words], what="position")
        y = parse_numbers([words[1] for words in one.words])
        return Scan(x, y, axis, one.unit, announced)
    y = parse_numbers([word for words in one.words for word in words])
    start, step = parse_number(one.pairs.get("START")), parse_number(one.pairs.get("STEPSIZE"))
    if start is None:
        start = parse_number(one.pairs.get("2THETA"))
    if start is None or not step:
        raise Unreadable("A range does not say where it begins, and how far a step goes.")
    return Scan(np.asarray(start + step * np.arange(len(y)), np.float64), y, axis, one.unit, announced)
