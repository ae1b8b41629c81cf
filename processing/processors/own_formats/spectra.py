"""Runs of spectra as openreadout finds them: the curves, spectra and datasets that an mzML has."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal

import numpy as np
import openreadout

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.processors.mzml.arrays import INTENSITY, MZ
from processing.processors.mzml.peaks import MOST_SCANS, Block, Scans, describe_events, describe_scans, gather_blocks
from processing.readings import Artefact, Dataset, Output

PAGE = 20_000  # headers of spectra that are held at once
SECONDS_A_MINUTE = 60
INTENSITY_AXIS = Axis("Intensity", "counts")
STORED_TYPES = {MZ: {"<f8"}, INTENSITY: {"<f4"}}  # as the library gives them


@dataclass(frozen=True)
class Header:
    """Of one spectrum. `minutes` and `base_peak` are None where the file says nothing of them."""

    index: int
    name: str
    level: int
    minutes: float | None
    precursor: float | None
    total: float
    base_peak: float | None
    is_centroided: bool


def draw_spectra(file: openreadout.File, path: Path) -> Output:
    scans, best, facts = Scans(), dict[int, Header](), Facts()
    scans.types = STORED_TYPES
    runs = file.info["spectra"]
    facts.add("spectra", runs[0]["scan_count"])
    for header in iterate_headers(file):
        scans.add(
            header.name,
            level=header.level,
            time=header.minutes,
            precursor=header.precursor,
            total=header.total,
            base_peak=header.base_peak,
        )
        facts.add("ms_level", header.level)
        if header.level not in best or header.total > best[header.level].total:
            best[header.level] = header
    return Output(
        run=facts.as_json(),
        artefacts=[*draw_ions(scans), *(draw_spectrum(file, best[level]) for level in sorted(best))],
        warnings=list_left_out(scans, len(runs)),
        datasets=list_datasets(path, scans),
    )


def list_left_out(scans: Scans, runs: int) -> list[str]:
    others = [f"It holds {runs:,} runs of spectra; the first is shown."] if runs > 1 else []
    peaks = [] if scans.is_whole else [f"Its peaks are not kept as data: it holds more than {MOST_SCANS:,} spectra."]
    return others + peaks


def iterate_headers(file: openreadout.File) -> Iterator[Header]:
    for page in count():
        headers = file.scans(offset=page * PAGE, limit=PAGE)["scans"]
        yield from (describe_header(file, header) for header in headers)
        if len(headers) < PAGE:
            return


def describe_header(file: openreadout.File, given: Any) -> Header:
    """The total is the sum of the peaks where the file states none."""
    total, seconds = given.get("total_ion_current"), given.get("rt_s")
    if total is None:
        total = float(file.read_spectrum(given["index"])["intensity"].astype(float).sum())
    return Header(
        index=given["index"],
        name=given.get("native_id") or f"scan={given.get('scan_number', given['index'] + 1)}",
        level=given.get("ms_level") or 1,
        minutes=None if seconds is None else seconds / SECONDS_A_MINUTE,
        precursor=given.get("precursor_mz"),
        total=total,
        base_peak=given.get("base_peak_intensity"),
        is_centroided=bool(given.get("centroided")),
    )


def draw_ions(scans: Scans) -> list[Artefact]:
    """Of the spectra of the first level, which are a chromatogram together."""
    is_first = np.array(scans.levels) == 1
    times = np.array(scans.numbers["time"])[is_first]
    if not np.isfinite(times).any():
        return []
    lines = {"Total ion current": "total", "Base peak": "base_peak"}
    drawn = {label: np.array(scans.numbers[name])[is_first] for label, name in lines.items()}
    series = [Series(label, times, values) for label, values in drawn.items() if np.isfinite(values).any()]
    title = " and ".join(one.label if place == 0 else one.label.lower() for place, one in enumerate(series))
    return [Curve(title, Axis("Retention time", "min"), INTENSITY_AXIS, series).artefact("ions.json")]


def draw_spectrum(file: openreadout.File, header: Header) -> Artefact:
    read = file.read_spectrum(header.index)
    series = [Series(header.name, read["mz"], read["intensity"].astype(float))]
    style: Literal["line", "sticks"] = "sticks" if header.is_centroided or len(read["mz"]) < 2 else "line"
    title = f"Most intense spectrum of MS level {header.level}"
    return Curve(title, Axis("m/z"), INTENSITY_AXIS, series, style=style).artefact(f"ms{header.level}.json")


def list_datasets(path: Path, scans: Scans) -> list[Dataset]:
    if not scans.is_whole or not scans.levels:
        return []
    blocks = gather_blocks(read_peaks(path, scans))
    return [
        describe_events(scans, blocks, time_unit="min"),
        describe_scans(scans, time_unit="min"),
    ]


def read_peaks(path: Path, scans: Scans) -> Iterator[Block]:
    """A second pass, when the dataset is written: the file is opened anew."""
    times = np.array(scans.numbers["time"])
    with openreadout.File(path) as file:
        for index, level in enumerate(scans.levels):
            read = file.read_spectrum(index)
            peaks = len(read["mz"])
            known = [np.full(peaks, index + 1), np.full(peaks, level), np.full(peaks, times[index])]
            yield [*known, read["mz"], read["intensity"]]
