"""Time signals and spectra in NMRPipe; of more than two axes, the last two."""

import warnings
from collections.abc import Iterator
from typing import Any

import nmrglue
import numpy as np
from numpy.typing import NDArray

from processing.facts import Facts
from processing.processors.nmr.experiment import (
    Experiment,
    Signal,
    Spectrum,
    add_experiment_facts,
    draw_experiment,
)
from processing.processors.nmr.varian import swap_nucleus
from processing.readings import Input, Output, Unreadable

HEADER_BYTES = 2048


def read(given: Input) -> Output:
    if given.path.stat().st_size <= HEADER_BYTES:
        raise Unreadable("It ends before the first of its points.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # the library only warns where points are missing
            header, points = nmrglue.pipe.read(str(given.path))
    except (UserWarning, ValueError, IndexError, OSError) as error:
        raise Unreadable("Its points are not as many as its header announces.") from error
    experiment = build_experiment(header, points, name=given.path.stem)
    facts = Facts()
    facts.add("technique", "NMR")
    facts.add("format", f"NMRPipe {points.ndim}D")
    if points.ndim > 1:
        facts.add("shape", " x ".join(map(str, points.shape)))
    facts.add("is_complex", bool(np.iscomplexobj(points)))
    facts.add("dtype", str(points.dtype))
    add_experiment_facts(facts, experiment)
    return Output(
        run=facts.as_json(),
        artefacts=list(draw_experiment(experiment, number=1)),
        warnings=list(describe_reduction(header, points)),
    )


def describe_reduction(header: dict[str, Any], points: Any) -> Iterator[str]:
    if is_signal(header) and points.ndim > 1:
        yield f"It has {points[..., 0].size:,} signals in time; the first is drawn."
    elif points.ndim > 2:
        yield f"It has {points.ndim} axes: the last two are drawn, with the highest value over the others."


def is_signal(header: dict[str, Any]) -> bool:
    """Whether the axis that runs fastest, the first of their order, is still time."""
    return not header[f"FDF{int(header['FDDIMORDER'][0])}FTFLAG"]


def build_experiment(header: dict[str, Any], points: Any, *, name: str) -> Experiment:
    axis = f"FDF{int(header['FDDIMORDER'][0])}"
    sweep_width = float(header[f"{axis}SW"])
    experiment = Experiment(
        name,
        {
            "nucleus": swap_nucleus(str(header[f"{axis}LABEL"])),
            "observe_frequency_mhz": round(float(header[f"{axis}OBS"]), 6),
            "sweep_width_hz": sweep_width,
        },
    )
    if is_signal(header):
        first = points.reshape(-1, points.shape[-1])[0]
        experiment.signal = Signal(np.arange(len(first)) / sweep_width, np.asarray(first, dtype=np.complex128))
    else:
        drawn = np.asarray(np.real(points), dtype=np.float64)
        drawn = drawn.max(axis=tuple(range(drawn.ndim - 2))) if drawn.ndim > 2 else drawn
        experiment.spectrum = Spectrum(tuple(list_shifts(header, points, drawn)), drawn)
    return experiment


def list_shifts(header: dict[str, Any], points: Any, drawn: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """Chemical shifts of each drawn axis; one that is still time has half as many, as each stands there twice."""
    for place, size in enumerate(drawn.shape):
        axis = nmrglue.pipe.make_uc(header, points, dim=points.ndim - drawn.ndim + place)
        shifts = np.asarray(axis.ppm_scale(), dtype=np.float64)
        yield shifts if len(shifts) == size else np.linspace(shifts[0], shifts[-1], size)
