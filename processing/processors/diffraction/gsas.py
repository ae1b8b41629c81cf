"""GSAS powder data: banks of counts in degrees of constant steps, or triples of place, intensity and its deviation."""

import re
from collections.abc import Sequence

import numpy as np

from processing.facts import Facts
from processing.processors.diffraction.scans import (
    TIME_OF_FLIGHT,
    TWO_THETA,
    Floats,
    Scan,
    build_output,
    parse_numbers,
)
from processing.readings import Input, Output, Unreadable

BANK = re.compile(
    r"^BANK +(?P<bank>\d+) +(?P<points>\d+) +\d+ +(?P<kind>CONST?|CONQ|SLOG|RALF|LOG6|LPSD|EDS|TIME_MAP|COND)\b"
    r"(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
CENTIDEGREES = 100
FORMS = ("STD", "ESD", "FXYE", "FXY", "ALT")
NOT_READ = "Its bank {} is written as {} {}, which is not read."
COLUMNS = {"FXYE": 3, "FXY": 2}


def read_gsas(given: Input, text: str) -> Output:
    """Unreadable: a bank is of a kind that is not read."""
    banks = list(BANK.finditer(text))
    ends = [bank.start() for bank in banks[1:]] + [len(text)]
    facts = Facts()
    facts.add("technique", "powder diffraction")
    facts.add("format", "GSAS powder data")
    facts.add("title", text[: banks[0].start()].strip().split("\n")[0].strip())
    scans = [read_bank(bank, text[bank.end() : end]) for bank, end in zip(banks, ends, strict=True)]
    return build_output(given, facts, scans)


def read_bank(bank: re.Match[str], body: str) -> Scan:
    kind, rest = bank["kind"], bank["rest"].split()
    form = next((word for word in reversed(rest) if word in FORMS), "STD")
    lines = [line for line in body.split("\n") if line.strip() and not line.startswith("#")]
    points = int(bank["points"])
    if form in COLUMNS:
        rows = parse_rows(lines, COLUMNS[form])
        is_time = not kind.startswith("CON")
        x = rows[:, 0] if is_time else rows[:, 0] / CENTIDEGREES
        return Scan(x, rows[:, 1], TIME_OF_FLIGHT if is_time else TWO_THETA, announced=points)
    if not kind.startswith("CONS") or form == "ALT":
        raise Unreadable(NOT_READ.format(bank["bank"], kind, form))
    start, step = parse_numbers(rest[:2], what="angle") / CENTIDEGREES
    counts = split_fields(lines, form, points=points)[:points]
    return Scan(start + step * np.arange(len(counts)), counts, announced=points)


def parse_rows(lines: Sequence[str], width: int) -> Floats:
    rows = [line.replace(",", " ").split() for line in lines]
    if not rows or any(len(row) < width for row in rows):
        raise Unreadable("A row of a bank is too short.")
    return parse_numbers([word for row in rows for word in row[:width]]).reshape(-1, width)


def split_fields(lines: Sequence[str], form: str, *, points: int) -> Floats:
    """STD: ten of two places for the detectors and six for the counts. ESD: five pairs of counts and deviation.

    Programs that keep to no places put blanks between the numbers.
    """
    each = 2 if form == "ESD" else 1
    words = [word for line in lines for word in line.split()]
    if len(words) == points * each:
        return parse_numbers(words[::each])
    fields = [line[at : at + 8] for line in lines for at in range(0, len(line.rstrip()), 8)]
    places = [field[2:] for field in fields] if form == "STD" else fields[::2]
    return parse_numbers([place.strip() or "0" for place in places])
