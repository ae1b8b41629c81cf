"""Mass spectrometry in mzML: total-ion and base-peak curves, chromatograms, the most intense spectrum of each level."""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import IO, Literal
from xml.etree.ElementTree import Element

import numpy as np

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.formats.trace_facts import round_fact
from processing.processors.mzml.arrays import (
    INTENSITY,
    MINUTES,
    MZ,
    TIME,
    Encoded,
    Parameters,
    arrays_of,
    local,
    number,
    parameters_of,
)
from processing.processors.mzml.checksum import is_as_summed
from processing.processors.mzml.elements import iterate_elements, list_parameters, opened
from processing.processors.mzml.peaks import MOST_SCANS, Scans, find_parameters, list_datasets
from processing.processors.mzml.scan_rows import ScanRows
from processing.readings import Artefact, Input, Output, Unreadable

MOST_DRAWN_SPECTRA = 2_000_000
MOST_CHROMATOGRAM_POINTS = 20_000_000  # that are held; of more chromatograms some are drawn, and no dataset made
PROFILE = "MS:1000128"
MS_LEVEL, TIC, BASE_PEAK, SCAN_START = "MS:1000511", "MS:1000285", "MS:1000505", "MS:1000016"
SERIAL_NUMBER, SELECTED_ION = "MS:1000529", "MS:1000744"
LIGHT = "MS:1000804"  # a spectrum of a photodiode array, which has no level
POLARITIES = {"MS:1000129": "negative", "MS:1000130": "positive"}
INTENSITY_AXIS = Axis("Intensity", "counts")
SECONDS_OF = {"min": 60.0, "s": 1.0, "ms": 1e-3}
ANNOUNCED = {"spectrumList": "spectra", "chromatogramList": "chromatograms"}


@dataclass
class Best:
    """The most intense spectrum of a level so far."""

    total: float
    name: str
    arrays: dict[str, Encoded]
    is_profile: bool  # measured all along the axis, not only where there are peaks


@dataclass
class Content:
    version: str = ""
    started_at: datetime | None = None
    spectra: int = 0
    chromatograms: int = 0
    levels: Counter[int] = field(default_factory=Counter)
    times: "array[float]" = field(default_factory=lambda: array("d"))
    totals: "array[float]" = field(default_factory=lambda: array("d"))
    base_peaks: "array[float]" = field(default_factory=lambda: array("d"))
    time_unit: str = ""  # of the first spectrum that has a time
    best: dict[int, Best] = field(default_factory=dict)
    series: dict[str, list[Series]] = field(default_factory=dict)  # chromatograms by unit of time
    facts: Facts = field(default_factory=Facts)
    groups: dict[str, list[Element]] = field(default_factory=dict)
    scans: Scans = field(default_factory=Scans)
    rows: ScanRows = field(default_factory=ScanRows)
    chromatogram_points: int = 0
    announced: Counter[str] = field(default_factory=Counter)
    uneven_arrays: int = 0  # with other lengths than they say

    def note_lengths(self, arrays: dict[str, Encoded]) -> None:
        self.uneven_arrays += sum(not one.is_whole for one in arrays.values())


def read(given: Input) -> Output:
    with opened(given.path) as file:
        content = scan(file, zone=given.time_zone)
    facts = content.facts
    facts.add("technique", "mass spectrometry")
    facts.add("format", f"mzML {content.version}".strip())
    facts.add("spectra", content.spectra)
    facts.add("chromatograms", content.chromatograms)
    for level, seen in sorted(content.levels.items()):
        facts.add("ms_level", level or None)
        facts.add(f"ms{level}_spectra" if level else "spectra_of_light", seen)
    add_times(facts, content)
    if content.started_at:
        facts.add_times([content.started_at])
    artefacts = [*ion_curves(content), *chromatograms(content), *spectra(content)]
    if content.rows.rows:
        artefacts.append(content.rows.artefact(total=content.spectra, time_unit=content.time_unit or "min"))
    facts.add("curve_count", sum(map(len, content.series.values())) + len(content.best) + 2 * bool(content.times))
    started_at = content.started_at
    is_assumed = started_at is not None and started_at.tzinfo is given.time_zone
    return Output(
        run=facts.as_json(),
        file={"assumed_time_zone": str(given.time_zone)} if is_assumed else {},
        acquired_at=started_at.astimezone(UTC) if started_at else None,
        artefacts=artefacts,
        warnings=list(list_doubts(content, given.path)),
        datasets=list_datasets(given.path, content.scans, time_unit=content.time_unit or "min"),
    )


def add_times(facts: Facts, content: Content) -> None:
    """From when to when, and where the most ions came."""
    if not content.times:
        return
    highest = int(np.argmax(content.totals))
    facts.add("time_first", round_fact(content.times[0]))
    facts.add("time_last", round_fact(content.times[-1]))
    facts.add("time_unit", content.time_unit)
    facts.add("tic_max", round_fact(content.totals[highest]))
    facts.add("time_at_tic_max", round_fact(content.times[highest]))


def list_doubts(content: Content, path: Path) -> Iterator[str]:
    if not is_as_summed(path):
        yield "Its bytes are not those that its checksum was made of: it was changed or damaged after it was written."
    if content.uneven_arrays:
        yield f"{content.uneven_arrays:,} of its arrays are longer or shorter than they say: the file may be damaged."
    for kind, found in (("spectra", content.spectra), ("chromatograms", content.chromatograms)):
        if content.announced[kind] not in (0, found):
            yield f"Of {content.announced[kind]:,} {kind} that it announces {found:,} are there."
    if len(content.times) == MOST_DRAWN_SPECTRA < content.levels[1]:
        yield f"The curves end after {MOST_DRAWN_SPECTRA:,} spectra; all are counted."
    if not content.scans.is_whole:
        yield f"Its peaks are not kept as data: it holds more than {MOST_SCANS:,} spectra."
    if content.chromatogram_points > MOST_CHROMATOGRAM_POINTS:
        yield "Its chromatograms are not kept as data: they have too many points."


def scan(file: IO[bytes], *, zone: tzinfo) -> Content:
    """One pass; every element is forgotten as soon as it was read."""
    content = Content()
    for name, element in iterate_elements(file):
        if name == "mzML":
            content.version = element.get("version", "")
        elif name == "run":
            content.started_at = time_of(element.get("startTimeStamp"), zone=zone)
        elif name in ANNOUNCED:
            stated = element.get("count", "")
            content.announced[ANNOUNCED[name]] += int(stated) if stated.isdecimal() else 0
        else:
            take(content, name, element)
    if not content.version and not content.spectra and not content.chromatograms:
        raise Unreadable("It is XML, but no mzML.")
    return content


def take(content: Content, name: str, element: Element) -> None:
    if name == "spectrum":
        take_spectrum(content, element)
    elif name == "chromatogram":
        take_chromatogram(content, element)
    elif name == "referenceableParamGroup":
        content.groups[element.get("id", "")] = list_parameters(element)
    elif name == "software":
        content.facts.add_all(
            "software", [parameter.get("name") for parameter in element if local(parameter) == "cvParam"]
        )
    else:
        for accession, parameter in parameters_of(element, content.groups).items():
            key, stated = ("serial_number", "value") if accession == SERIAL_NUMBER else ("instrument_model", "name")
            content.facts.add(key, parameter.get(stated))
            if key == "instrument_model":
                content.facts.add("instrument", parameter.get(stated))


def take_spectrum(content: Content, element: Element) -> None:
    content.spectra += 1
    parameters = parameters_of(element, content.groups)
    level = 0 if LIGHT in parameters else int(number(parameters, MS_LEVEL) or 1)
    content.levels[level] += 1
    content.facts.add_all("polarity", [word for accession, word in POLARITIES.items() if accession in parameters])
    arrays = arrays_of(element, content.groups)
    total, base_peak = intensities(parameters, arrays)
    content.note_lengths(arrays)
    time = start_of(content, element)
    add_scan(content, element, arrays, level=level, time=time, total=total, base_peak=base_peak)
    if level == 1 and time is not None and len(content.times) < MOST_DRAWN_SPECTRA:
        content.times.append(time)
        content.totals.append(total)
        content.base_peaks.append(base_peak)
    if MZ in arrays and INTENSITY in arrays and (level not in content.best or total > content.best[level].total):
        content.best[level] = Best(total, element.get("id", ""), arrays, PROFILE in parameters)


def add_scan(
    content: Content, element: Element, arrays: dict[str, Encoded], *, level: int, **known: float | None
) -> None:
    precursor = number(find_parameters(element, "selectedIon"), SELECTED_ION)
    content.scans.add(element.get("id", ""), level=level, precursor=precursor, **known)
    time, total = known["time"], known["total"] or 0.0
    content.rows.add(element, arrays, level=level, time=time, total=total, precursor=precursor)
    if MZ in arrays and INTENSITY in arrays:
        content.scans.note_types(arrays)


def intensities(parameters: Parameters, arrays: dict[str, Encoded]) -> tuple[float, float]:
    """Total ion current and base peak, as stated, else from the points."""
    total, base_peak = number(parameters, TIC), number(parameters, BASE_PEAK)
    if (total is None or base_peak is None) and INTENSITY in arrays:
        points = arrays[INTENSITY].decode()
        total = float(points.sum()) if total is None else total
        base_peak = float(points.max(initial=0.0)) if base_peak is None else base_peak
    return total or 0.0, base_peak or 0.0


def start_of(content: Content, element: Element) -> float | None:
    """In the unit of the first: a file may have several."""
    for inner in element.iter():
        if local(inner) == "scan":
            parameters = parameters_of(inner, content.groups)
            time = number(parameters, SCAN_START)
            if time is None:
                return None
            unit = MINUTES.get(parameters[SCAN_START].get("unitAccession", ""), "min")
            content.time_unit = content.time_unit or unit
            return time if unit == content.time_unit else time * SECONDS_OF[unit] / SECONDS_OF[content.time_unit]
    return None


def take_chromatogram(content: Content, element: Element) -> None:
    content.chromatograms += 1
    arrays = arrays_of(element, content.groups)
    content.note_lengths(arrays)
    if content.chromatogram_points > MOST_CHROMATOGRAM_POINTS or TIME not in arrays or INTENSITY not in arrays:
        return
    times, heights = arrays[TIME].decode(), arrays[INTENSITY].decode()
    shown = min(len(times), len(heights))
    series = Series(element.get("id", ""), times[:shown], heights[:shown])
    content.chromatogram_points += shown
    content.series.setdefault(arrays[TIME].unit or "min", []).append(series)


def time_of(stated: str | None, *, zone: tzinfo) -> datetime | None:
    try:
        time = datetime.fromisoformat(stated or "")
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=zone)


def ion_curves(content: Content) -> list[Artefact]:
    """Of the spectra of the first level, which are a chromatogram together."""
    if not content.times:
        return []
    drawn = [
        Series("Total ion current", content.times, content.totals),
        Series("Base peak", content.times, content.base_peaks),
    ]
    axis = Axis("Retention time", content.time_unit)
    made = Curve("Total ion current and base peak", axis, INTENSITY_AXIS, drawn).artefact("ions.json")
    return [made if len(content.times) < MOST_DRAWN_SPECTRA else replace(made, datasets=())]


def chromatograms(content: Content) -> list[Artefact]:
    made = [
        Curve("Chromatograms", Axis("Retention time", unit), INTENSITY_AXIS, series).artefact(
            f"chromatograms-{unit}.json"
        )
        for unit, series in content.series.items()
    ]
    is_whole = content.chromatogram_points <= MOST_CHROMATOGRAM_POINTS
    return made if is_whole else [replace(one, datasets=()) for one in made]


def spectra(content: Content) -> list[Artefact]:
    made = []
    for level, best in sorted(content.best.items()):
        mz, heights = best.arrays[MZ].decode(), best.arrays[INTENSITY].decode()
        shown = min(len(mz), len(heights))
        if shown and np.isfinite(mz[:shown]).any():
            title = f"Most intense spectrum of MS level {level}"
            series = [Series(best.name, mz[:shown], heights[:shown])]
            style: Literal["line", "sticks"] = "line" if best.is_profile else "sticks"
            made.append(Curve(title, Axis("m/z"), INTENSITY_AXIS, series, style=style).artefact(f"ms{level}.json"))
    return made
