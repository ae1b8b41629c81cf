"""Diffractograms as text: Philips UDF, Sietronics CPI, Rigaku's exports, and counts below a start, a step and a stop.

Made from what public readers say of the formats. Tried with made files only.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from processing.facts import Facts
from processing.local_times import parse_local_time
from processing.processors.diffraction.gsas import BANK, read_gsas
from processing.processors.diffraction.scans import (
    Scan,
    build_output,
    count_steps,
    parse_number,
    parse_numbers,
    spread_angles,
)
from processing.processors.diffraction.uxd import UXD_START, read_uxd
from processing.readings import Input, Output, Unreadable, Unrecognised
from processing.text_encoding import decode_text

UDF_START, CPI_START, RIGAKU_START = "SampleIdent,", "SIETRONICS XRD SCAN", re.compile(r"\*TYPE\s*=")
UDF_FACTS = {
    "SampleIdent": "sample_id",
    "Title1": "title",
    "DiffrType": "instrument_model",
    "Anode": "anode",
}
UDF_NUMBERS = {
    "LabdaAlpha1": "wavelength_k_alpha1_angstrom",
    "LabdaAlpha2": "wavelength_k_alpha2_angstrom",
    "GeneratorVoltage": "tension_kv",
    "TubeCurrent": "current_ma",
    "ScanStepTime": "counting_time_s",
}
CUT_OFF = "It has no stroke behind its last count: the file may have been cut off."
UDF_TIMES = ("%d-%b-%Y %H:%M:%S", "%d-%b-%Y %H:%M", "%d-%b-%Y, %H:%M")
RIGAKU_FACTS = {"SAMPLE": "sample_id", "GONIO": "instrument_model", "OPERATOR": "analyst", "TARGET": "anode"}
RIGAKU_TIMES = ("%d-%b-%y %H:%M", "%d-%b-%Y %H:%M", "%d-%b-%y %H:%M:%S", "%d-%b-%Y %H:%M:%S")
RIGAKU_PAIR = re.compile(r"\*(\w+)\s*=[ \t]*(.*)")
CPI_HEAD_LINES = 30
OLDEST_YEAR = 1950  # CPI files that know no date have one of 1900
STEP_LINE = re.compile(r"\s*([\d.]+)[\s,]+([\d.]+)[\s,]+([\d.]+)(?:[\s,]+(\S.*?))?\s*")
STEP_HEAD_LINES = 6
CELLS_OF_HEAD = 3
MIN_STEPS = 20
LEAST_SHARE = 0.5  # of what is announced: fewer numbers are something else
MAX_STEP_DEG = 0.5
Reader = Callable[[Input, str], Output]


def read(given: Input) -> Output:
    """Unreadable: it begins as one of these, and is none. Unrecognised: it does not."""
    text = decode_text(given.path.read_bytes()).text
    reader = next((reader for matches, reader in FORMATS if matches(text)), None)
    output = reader(given, text) if reader else read_stepped(given, text)
    if output is None:
        raise Unrecognised("It is no diffractogram of a kind that is known.")
    return output


def read_udf(given: Input, text: str) -> Output:
    """Philips and PANalytical: lines of `Key,value,/`, then all counts, the last with a stroke behind it."""
    head, mark, body = text.partition("RawScan")
    if not mark:
        raise Unreadable("It ends within its head.")
    pairs = dict(split_udf_line(line) for line in head.split("\n") if "," in line)
    start, end = read_range(pairs.get("DataAngleRange", "").split(","))
    step = parse_number(pairs.get("ScanStepSize"))
    if step is None:
        raise Unreadable("Its head does not say how far a step goes.")
    counts = parse_numbers(re.split(r"[\s,]+", body.partition("/")[0].strip(" \n\t,")))
    facts = Facts()
    facts.add("technique", "XRD")
    facts.add("format", "Philips UDF")
    facts.add("manufacturer", "PANalytical")
    for key, name in UDF_FACTS.items():
        facts.add(name, pairs.get(key, "").strip("? "))
    for key, name in UDF_NUMBERS.items():
        facts.add(name, parse_number(pairs.get(key)))
    announced = count_steps(start, end, step, found=len(counts))
    scan = Scan(spread_angles(start, end, step, count=len(counts)), counts, announced=announced)
    started = parse_local_time(pairs.get("FileDateTime", ""), *UDF_TIMES, given=given)
    output = build_output(given, facts, [scan], started=started)
    return output if "/" in body or output.warnings else replace(output, warnings=[CUT_OFF])


def split_udf_line(line: str) -> tuple[str, str]:
    key, _, value = line.partition(",")
    return key.strip(), value.strip().removesuffix("/").rstrip().removesuffix(",").strip()


def read_range(words: Sequence[str]) -> tuple[float, float]:
    start, end = ([parse_number(word) for word in words] + [None, None])[:2]
    if start is None or end is None:
        raise Unreadable("Its head does not say from where to where it goes.")
    return start, end


def read_cpi(given: Input, text: str) -> Output:
    """Sietronics: nine lines of a head in fixed order, SCANDATA, and a count a line."""
    lines = [line.strip() for line in text.split("\n")]
    if "SCANDATA" not in lines[:CPI_HEAD_LINES]:
        raise Unreadable("It ends within its head.")
    mark = lines.index("SCANDATA")
    start, end = read_range(lines[1:3])
    step = parse_number(lines[3])
    if step is None:
        raise Unreadable("Its head does not say how far a step goes.")
    counts = parse_numbers([line.replace(",", ".") for line in lines[mark + 1 :] if line])
    facts = Facts()
    facts.add("technique", "XRD")
    facts.add("format", "Sietronics CPI")
    facts.add("anode", lines[4])
    facts.add("wavelength_angstrom", parse_number(lines[5]))
    facts.add("measured_on", read_day(lines[6]))
    facts.add("sample_id", " ".join(lines[8:mark]))
    announced = count_steps(start, end, step, found=len(counts))
    return build_output(
        given, facts, [Scan(spread_angles(start, end, step, count=len(counts)), counts, announced=announced)]
    )


def read_day(text: str) -> str | None:
    """Day, month and year; nothing where the program knew no date."""
    for form in ("%d-%m-%Y", "%d/%m/%Y", "%d/%m/%y %H:%M:%S"):
        try:
            day = datetime.strptime(text, form)
        except ValueError:
            continue
        return day.date().isoformat() if day.year >= OLDEST_YEAR else None
    return None


def read_rigaku(given: Input, text: str) -> Output:
    """Lines of `*KEY = value`, and counts behind the number of them; several groups, each with its own range."""
    facts = Facts()
    facts.add("technique", "XRD")
    facts.add("format", "Rigaku text")
    facts.add("manufacturer", "Rigaku")
    pairs: dict[str, str] = {}
    words: list[str] = []
    scans: list[Scan] = []
    for line in [*text.split("\n"), "*END"]:
        if not line.startswith("*"):
            words += re.split(r"[\s,]+", line.strip(" \t,")) if line.strip(" \t,") else []
            continue
        if words:
            scans.append(build_rigaku_scan(pairs, words))
            words = []
        if found := RIGAKU_PAIR.match(line):
            pairs[found[1]] = found[2].strip()
    for key, name in RIGAKU_FACTS.items():
        facts.add(name, pairs.get(key))
    facts.add("wavelength_angstrom", parse_number(pairs.get("WAVE_LENGTH1")))
    started = parse_local_time(pairs.get("DATE", ""), *RIGAKU_TIMES, given=given)
    return build_output(given, facts, scans, started=started)


def build_rigaku_scan(pairs: dict[str, str], words: list[str]) -> Scan:
    start, step, count = (parse_number(pairs.get(key)) for key in ("START", "STEP", "COUNT"))
    if start is None or not step:
        raise Unreadable("A group of counts does not say where it begins, and how far a step goes.")
    counts = parse_numbers(words)
    announced = int(count) if count else None
    unit = "counts/s" if pairs.get("YUNIT", "").lower() == "cps" else "counts"
    end = start + step * (len(counts) - 1)
    return Scan(spread_angles(start, end, step, count=len(counts)), counts, unit=unit, announced=announced)


def read_stepped(given: Input, text: str) -> Output | None:
    """Counts in rows below a line with start, step and stop, as programs of refinement take them; None: it is no such.

    So it is where the numbers below are as many as these announce, or fewer: then a part is missing.
    """
    lines = text.rstrip().split("\n")
    for place, line in enumerate(lines[:STEP_HEAD_LINES]):
        found = STEP_LINE.fullmatch(line)
        if found is None:
            continue
        start, second, third = (parse_number(found[number]) for number in (1, 2, 3))
        if start is None or second is None or third is None:
            return None
        step, end = sorted((second, third))
        rows = [re.split(r"[\s,]+", line.strip()) for line in lines[place + 1 :] if line.strip()]
        words = [word for row in rows for word in row]
        if rows and len(rows[0]) == CELLS_OF_HEAD:
            return None  # a table of three columns
        if not (0 < step <= MAX_STEP_DEG and start < end <= 180 and (end - start) / step >= MIN_STEPS):
            return None
        return build_stepped(given, (start, end, step), words, title=found[4] or "", above=lines[:place])
    return None


def build_stepped(
    given: Input, of_head: tuple[float, float, float], words: list[str], *, title: str, above: list[str]
) -> Output | None:
    start, end, step = of_head
    announced = count_steps(start, end, step, found=len(words))
    if not announced * LEAST_SHARE <= len(words) <= announced:
        return None
    try:
        counts = parse_numbers(words)
    except Unreadable:
        return None
    facts = Facts()
    facts.add("technique", "powder diffraction")
    facts.add("format", "start, step, stop")
    facts.add("title", title or next((line.strip() for line in above if line.strip()), ""))
    scan = Scan(spread_angles(start, end, step, count=len(counts)), counts, announced=announced)
    return build_output(given, facts, [scan])


FORMATS: tuple[tuple[Callable[[str], object], Reader], ...] = (
    (lambda text: text.lstrip().startswith(UDF_START), read_udf),
    (lambda text: text.lstrip().startswith(CPI_START), read_cpi),
    (RIGAKU_START.match, read_rigaku),
    (UXD_START.search, read_uxd),
    (BANK.search, read_gsas),
)
