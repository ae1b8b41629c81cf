"""NMR experiments as their folders, in a ZIP archive: Bruker (TopSpin, XWIN-NMR) and Varian (VnmrJ)."""

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

import nmrglue
import numpy as np

from processing.facts import Fact, Facts
from processing.processors.nmr.experiment import (
    Experiment,
    Signal,
    Spectrum,
    add_experiment_facts,
    draw_experiment,
)
from processing.processors.nmr.varian import read_varian
from processing.readings import MAX_ARTEFACTS, MIB, Input, Output, Unreadable

MAX_EXPERIMENTS = 20
MAX_SIGNALS_BYTES = 128 * MIB
SYSTEM_FOLDERS = ("__MACOSX",)
BYTES_OF_POINT = {0: 4, 2: 8}  # of a Bruker signal, by its DTYPA


def read(given: Input) -> Output:
    with tempfile.TemporaryDirectory() as folder:
        unpack(given.path, Path(folder))
        experiments = list(find_experiments(Path(folder), zone=given.time_zone))
    if not experiments:
        raise Unreadable("It holds no NMR experiment with its parameters and data.")
    return describe_experiments(experiments)


def describe_experiments(experiments: Sequence[Experiment]) -> Output:
    """Facts and drawings of the first of them."""
    shown = experiments[:MAX_EXPERIMENTS]
    facts = Facts()
    facts.add("technique", "NMR")
    facts.add("experiments", len(experiments))
    for experiment in shown:
        add_experiment_facts(facts, experiment)
    times = [experiment.measured_at for experiment in experiments if experiment.measured_at]
    facts.add_times(times)
    artefacts = [
        artefact
        for number, experiment in enumerate(shown, start=1)
        for artefact in draw_experiment(experiment, number=number)
    ]
    left_out = len(experiments) - len(shown)
    return Output(
        run=facts.as_json(),
        acquired_at=min(times).astimezone(UTC) if times else None,
        artefacts=artefacts[:MAX_ARTEFACTS],
        warnings=[f"{left_out} more experiments are not shown."] if left_out else [],
    )


def unpack(path: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)  # its size was judged before; names that climb out are made harmless
    except (zipfile.BadZipFile, EOFError) as error:
        raise Unreadable("It is no ZIP archive, or a damaged one.") from error


def find_experiments(root: Path, *, zone: tzinfo) -> Iterator[Experiment]:
    for folder in sorted(path for path in [root, *root.rglob("*")] if path.is_dir()):
        if set(SYSTEM_FOLDERS) & set(folder.parts):
            continue
        if (folder / "acqus").is_file():
            yield read_bruker(folder, name=str(folder.relative_to(root)))
        elif (folder / "procpar").is_file() and (folder / "fid").is_file():
            yield read_varian(folder, name=str(folder.relative_to(root)), zone=zone)
        elif (folder / "procs").is_file() and not (folder.parent.parent / "acqus").is_file():
            yield from read_processed(folder, name=str(folder.relative_to(root)))


def read_bruker(folder: Path, *, name: str) -> Experiment:
    """Parameters, the time signal where it is there, the first processed spectrum where there is one."""
    acqus = nmrglue.bruker.read_jcamp(str(folder / "acqus"))
    experiment = Experiment(name if name != "." else "Experiment", describe_bruker(acqus))
    stated = acqus.get("DATE")
    if isinstance(stated, int | float) and stated > 0:
        experiment.measured_at = datetime.fromtimestamp(stated, UTC)
    if (folder / "fid").is_file():
        experiment.signal = read_bruker_signal(folder, acqus)
    elif (folder / "ser").is_file():
        experiment.signal = read_bruker_signals(folder, acqus)
    processed = sorted(path.parent for path in folder.glob("pdata/*/procs"))
    experiment.spectrum = next(filter(None, map(read_bruker_spectrum, processed)), None)
    is_large = experiment.signal is None and (folder / "ser").is_file()
    if experiment.signal is None and experiment.spectrum is None and not is_large:
        raise Unreadable(f"Experiment {experiment.name} has parameters, but neither a signal nor a spectrum.")
    return experiment


def read_processed(folder: Path, *, name: str) -> Iterator[Experiment]:
    """A Bruker spectrum that was passed on without what it was made from; nothing where there is none."""
    procs = nmrglue.bruker.read_jcamp(str(folder / "procs"))
    known = {
        "nucleus": procs.get("AXNUC"),
        "observe_frequency_mhz": procs.get("SF"),
        "sweep_width_hz": procs.get("SW_p"),
    }
    if spectrum := read_bruker_spectrum(folder):
        yield Experiment(name, {"format": "Bruker TopSpin folder", **known}, spectrum=spectrum)


def describe_bruker(acqus: dict[str, Any]) -> dict[str, Fact | None]:
    return {
        "format": "Bruker TopSpin folder",
        "nucleus": acqus.get("NUC1"),
        "observe_frequency_mhz": acqus.get("SFO1"),
        "sweep_width_hz": acqus.get("SW_h"),
        "scans": acqus.get("NS"),
        "pulse_program": acqus.get("PULPROG"),
        "solvent": acqus.get("SOLVENT"),
        "instrument_model": acqus.get("INSTRUM"),
        "probe": acqus.get("PROBHD"),
        "temperature_k": acqus.get("TE"),
    }


def read_bruker_signal(folder: Path, acqus: dict[str, Any]) -> Signal:
    announced, width = int(acqus["TD"]), BYTES_OF_POINT.get(int(acqus.get("DTYPA", 0)), 4)
    size = (folder / "fid").stat().st_size
    if size < announced * width:
        raise Unreadable(f"The signal announces {announced:,} numbers; its file ends before the last of them.")
    _, points = nmrglue.bruker.read(str(folder), bin_file="fid", read_pulseprogram=False, read_procs=False)
    return Signal(np.arange(len(points)) / float(acqus["SW_h"]), np.asarray(points, dtype=np.complex128))


def read_bruker_signals(folder: Path, acqus: dict[str, Any]) -> Signal | None:
    """Of several axes: as many signals as the file holds of the announced length, which may be filled up.

    None: not even one, or more than are held at once.
    """
    if (folder / "ser").stat().st_size > MAX_SIGNALS_BYTES:
        return None
    try:
        _, points = nmrglue.bruker.read(str(folder), bin_file="ser", read_pulseprogram=False, read_procs=False)
    except (ValueError, ZeroDivisionError, IndexError) as error:
        raise Unreadable("Its signals are not as many, or as long, as its parameters announce.") from error
    if not points.size:
        return None
    signals = np.asarray(points.reshape(-1, points.shape[-1]), dtype=np.complex128)
    return Signal(np.arange(signals.shape[1]) / float(acqus["SW_h"]), signals[0], signals)


def read_bruker_spectrum(folder: Path) -> Spectrum | None:
    """1r, or 2rr with the parameters of its second axis. None: there is neither."""
    names = [name for name in ("1r", "2rr") if (folder / name).is_file()]
    if not names:
        return None
    parameters = [nmrglue.bruker.read_jcamp(str(folder / name)) for name in ("proc2s", "procs")[names[0] == "1r" :]]
    sizes = [int(one["SI"]) for one in parameters]
    if (folder / names[0]).stat().st_size < 4 * int(np.prod(sizes)):
        raise Unreadable(f"The spectrum announces {' by '.join(map(str, sizes))} points; its file is shorter.")
    _, heights = nmrglue.bruker.read_pdata(str(folder), bin_files=[names[0]])
    axes = tuple(shifts_of(one) for one in parameters)
    return Spectrum(axes, np.asarray(heights, dtype=np.float64))


def shifts_of(procs: dict[str, Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """From the shift of the first point and the sweep width; the last point lies one step before the end."""
    count = int(procs["SI"])
    return float(procs["OFFSET"]) - float(procs["SW_p"]) / float(procs["SF"]) * np.arange(count) / count
