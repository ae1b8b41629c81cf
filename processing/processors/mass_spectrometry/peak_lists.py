"""Mass spectra as text: MGF (Mascot), MS1 and MS2 (McDonald et al. 2004)."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from processing.facts import Facts
from processing.processors.mass_spectrometry.scans import Scan, summarise_scans
from processing.readings import Input, Output, Unreadable
from processing.text_encoding import decode_text

CUT_OFF = "The last line has no end: the file may have been cut off."
HEADER_FACTS = {"Extractor": "software", "Source file": "source_file", "InstrumentType": "instrument_model"}
HEADER_BELOW = re.compile(r"^S\t[\s\S]*?^H\t", re.MULTILINE)
THIRD = re.compile(r"^\d[\d.]*[ \t]+\d[\d.]*[ \t]+(\d[\d.]*)", re.MULTILINE)
BETWEEN = re.compile(r"END IONS(.*?)(?:BEGIN IONS|\Z)", re.DOTALL)
POINT = re.compile(r"\d+(?:\.\d+)?[ \t]+\d[\d.eE+]*(?:[ \t]+\d+\+?)?[ \t]*")
SPECTRUM = re.compile(r"^S\t", re.MULTILINE)
DESCRIPTION = re.compile(r"^I\t([^\t\n]+)\t", re.MULTILINE)
LEAST_SAID = 2  # things that it says of itself
COMMENTS = "#;!/"
MOST_CHARGES = 40
Parser = Callable[[Iterable[str], Facts, int], Iterator[Scan]]
LEVEL_OF_EXTENSION = {".ms1": 1, ".ms2": 2}


@dataclass
class Spectrum:
    name: str
    settings: dict[str, str] = field(default_factory=dict)
    points: list[tuple[float, float]] = field(default_factory=list)

    def build_scan(self, *, level: int, time: float | None) -> Scan:
        points = np.array(self.points, dtype=np.float64).reshape(-1, 2)
        precursor = re.match(r"[\d.]+", self.settings.get("PEPMASS", ""))
        return Scan(
            self.name,
            level,
            time,
            points[:, 0],
            points[:, 1],
            precursor_mz=float(precursor[0]) if precursor else None,
            charge=self.settings.get("CHARGE"),
            total=parse_number(self.settings.get("TIC")),
        )


def read_mgf(given: Input) -> Output:
    """Mascot generic format: spectra of fragments between BEGIN IONS and END IONS."""
    return read_text(given, form="MGF", parse=iterate_mgf, time_unit="s")


def read_ms1(given: Input) -> Output:
    """MS1 and MS2: lines that begin with S, I and Z describe a spectrum, its points follow."""
    return read_text(given, form=f"{'MS2' if level_of(given) == 2 else 'MS1'} text", parse=iterate_ms1, time_unit="min")


def read_text(given: Input, *, form: str, parse: Parser, time_unit: str) -> Output:
    text = decode_text(given.path.read_bytes()).text
    facts = Facts()
    facts.add("technique", "mass spectrometry")
    facts.add("format", form)
    summary = summarise_scans(parse(text.splitlines(), facts, level_of(given)), time_unit=time_unit, unit=None)
    if not summary.rows:
        raise Unreadable("It holds no spectra.")
    summary.add_facts(facts)
    is_whole = text.endswith("\n") or text.rstrip().endswith("END IONS")
    doubts = [*([] if is_whole else [CUT_OFF]), *list_merged(text), *summary.list_doubts()]
    return Output(run=facts.as_json(), artefacts=summary.build_artefacts(), warnings=doubts)


def list_merged(text: str) -> Iterator[str]:
    """A spectrum of MGF has one title, and one mass of its precursor."""
    for part in text.split("BEGIN IONS")[1:]:
        if any(part.count(f"\n{key}=") > 1 for key in ("TITLE", "PEPMASS")):
            yield "A spectrum has two titles or two precursors: lines between two spectra may be missing."
            return
    if ends_without_points(text):
        yield "Its last spectrum has no points: the file may be cut off."
    elif (lost := find_lost_description(text)) is not None:
        yield f"A spectrum has no “{lost}”, and all others have one: a line may be missing."
    if text.count("BEGIN IONS") < text.count("END IONS"):
        yield "More spectra end in it than begin: lines before a spectrum may be missing."
    elif any(map(is_said, BETWEEN.findall(text.partition("BEGIN IONS")[2]))):
        yield "Lines stand behind the end of a spectrum and outside the next: a piece may stand in it twice."
    if HEADER_BELOW.search(text):
        yield "A line of its head (H) stands below a spectrum: lines may have changed places."
    before, begin, _ = text.partition("BEGIN IONS")
    if begin and any(map(POINT.fullmatch, before.splitlines())):
        yield "A point stands before the first spectrum: lines may have changed places."
    if any(float(third) > MOST_CHARGES for third in THIRD.findall(text)):
        yield "A point has a third number that is no charge: two lines may have become one."


def ends_without_points(text: str) -> bool:
    """Whether the last spectrum of MS1 or MS2 has none, as no other."""
    spectra = SPECTRUM.split(text)[1:]
    are_bare = [not any(map(POINT.fullmatch, spectrum.split("\n")[1:])) for spectrum in spectra]
    return sum(are_bare) == 1 and are_bare[-1]


def find_lost_description(text: str) -> str | None:
    """What one spectrum of MS1 or MS2 does not say of itself, and all others do."""
    said = [set(DESCRIPTION.findall(part)) for part in SPECTRUM.split(text)[1:]]
    for odd in said:
        others = [one for one in said if one is not odd]
        lost = set.intersection(*others) - odd if others else set()
        if len(lost) == 1 and len(odd) >= LEAST_SAID:
            return next(iter(lost))[:40]
    return None


def is_said(part: str) -> bool:
    """Whether it has lines other than comments."""
    return any(line.strip() and line.strip()[0] not in COMMENTS for line in part.split("\n"))


def level_of(given: Input) -> int:
    return LEVEL_OF_EXTENSION.get(given.path.suffix.lower(), 1)


def iterate_mgf(lines: Iterable[str], facts: Facts, _: int) -> Iterator[Scan]:
    spectrum: Spectrum | None = None
    count = 0
    for number, line in enumerate(map(str.strip, lines), start=1):
        if line == "BEGIN IONS":
            if spectrum is not None:
                raise Unreadable(f"Line {number}: a spectrum begins within another.")
            count += 1
            spectrum = Spectrum(f"Spectrum {count}")
        elif line == "END IONS" and spectrum is not None:
            spectrum.name = spectrum.settings.get("TITLE") or spectrum.name
            yield spectrum.build_scan(level=2, time=parse_number(spectrum.settings.get("RTINSECONDS")))
            spectrum = None
        elif spectrum is not None and line and line[0] not in COMMENTS:
            key, is_setting, value = line.partition("=")
            if is_setting:
                spectrum.settings[key.strip().upper()] = value.strip()
            else:
                spectrum.points.append(parse_point(line, number=number))
    if spectrum is not None:
        raise Unreadable("It ends within a spectrum: a part of the file is missing.")


def iterate_ms1(lines: Iterable[str], facts: Facts, level: int) -> Iterator[Scan]:
    spectrum: Spectrum | None = None
    for number, line in enumerate(lines, start=1):
        mark, _, rest = line.partition("\t")
        if mark == "H":
            key, _, value = rest.partition("\t")
            if key.strip() in HEADER_FACTS:
                facts.add(HEADER_FACTS[key.strip()], value)
        elif mark == "S":
            if spectrum is not None:
                yield spectrum.build_scan(level=level, time=parse_number(spectrum.settings.get("RTIME")))
            first, *others = rest.split()
            spectrum = Spectrum(first)
            spectrum.settings |= {"PEPMASS": others[1]} if len(others) > 1 else {}
        elif mark in ("I", "Z", "D") and spectrum is not None:
            key, _, value = rest.partition("\t")
            setting = ("CHARGE", key) if mark == "Z" else (key.strip().upper(), value)
            spectrum.settings.setdefault(*setting)
        elif line.strip() and spectrum is not None:
            spectrum.points.append(parse_point(line, number=number))
    if spectrum is not None:
        yield spectrum.build_scan(level=level, time=parse_number(spectrum.settings.get("RTIME")))


def parse_point(line: str, *, number: int) -> tuple[float, float]:
    """Mass and intensity; what follows (a charge) is not read."""
    try:
        mass, intensity = map(float, line.split()[:2])
    except ValueError as error:
        raise Unreadable(f"Line {number} is no pair of mass and intensity.") from error
    return mass, intensity


def parse_number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None
