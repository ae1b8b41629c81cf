"""Agilent's chromatograms, diode-array and mass spectra, and Waters' folders, through rainbow-api.

Agilent was tried with one real .ms file; .ch, .uv and Waters with none.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any, Literal

import numpy as np
import rainbow
from rainbow.agilent import chemstation

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.readings import MAX_ARTEFACTS, Input, Output, Unreadable

MAX_CHANNELS = 20  # drawn one by one; of more the sum and the most intense spectrum
TIME = Axis("Retention time", "min")


def read_agilent(given: Input) -> Output:
    found = chemstation.parse_file(str(given.path))
    if found is None:
        raise Unreadable("It is no file of ChemStation that the library reads.")
    return describe([found], "Agilent ChemStation")


def read_waters(given: Input) -> Output:
    """The library wants a folder that is called so."""
    if not (given.path.parent / "_FUNCTNS.INF").is_file():
        raise Unreadable("Of its folder no data have arrived: _FUNCTNS.INF and the _FUNC files are missing.")
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(copytree(given.path.parent, Path(parent) / "run.raw"))
        directory = rainbow.read(str(folder))
    if directory is None or not directory.datafiles:
        raise Unreadable("Its folder holds no data that the library reads.")
    return describe(directory.datafiles, "Waters RAW")


def describe(files: list[Any], form: str) -> Output:
    facts = Facts()
    facts.add("technique", "LC-MS" if any(file.detector == "MS" for file in files) else "liquid chromatography")
    facts.add("format", form)
    facts.add_all("detector", [file.detector for file in files])
    for file in files:
        facts.add("method", file.metadata.get("method"))
        facts.add("scans", len(file.xlabels))
        facts.add("channels", len(file.ylabels))
    curves = [curve for file in files for curve in draw(file)]
    if not curves:
        raise Unreadable("It holds no measured points.")
    artefacts = [curve.artefact(f"curve-{number}.json") for number, curve in enumerate(curves[:MAX_ARTEFACTS], start=1)]
    left_out = len(curves) - len(artefacts)
    return Output(
        run=facts.as_json(),
        artefacts=artefacts,
        warnings=[f"{left_out} more curves are not shown."] if left_out else [],
    )


def draw(file: Any) -> Iterator[Curve]:
    times, data = np.asarray(file.xlabels, dtype=np.float64), np.asarray(file.data, dtype=np.float64)
    if not data.size or len(times) != len(data):
        return
    unit = file.metadata.get("unit") or ("counts" if file.detector == "MS" else None)
    height = Axis("Intensity" if file.detector == "MS" else "Signal", unit)
    if data.shape[1] <= MAX_CHANNELS:
        series = [Series(str(label) or file.name, times, data[:, place]) for place, label in enumerate(file.ylabels)]
        yield Curve(file.name, TIME, height, series)
        return
    totals = data.sum(axis=1)
    yield Curve(f"{file.name}: total", TIME, height, [Series("Total ion current", times, totals)])
    best = int(totals.argmax())
    across = Axis("m/z") if file.detector == "MS" else Axis("Wavelength", "nm")
    spectrum = Series(f"{times[best]:.3f} min", np.asarray(file.ylabels, dtype=np.float64), data[best])
    style: Literal["line", "sticks"] = "sticks" if file.detector == "MS" else "line"
    yield Curve(f"{file.name}: most intense spectrum", across, height, [spectrum], style=style)
