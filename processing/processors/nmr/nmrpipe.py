"""Time signals and spectra in NMRPipe, of one or two axes."""

import warnings
from typing import Any

import nmrglue
import numpy as np

from processing.facts import Facts
from processing.processors.nmr.archives import swap_nucleus
from processing.processors.nmr.experiment import (
    Experiment,
    Signal,
    Spectrum,
    add_experiment_facts,
    draw_experiment,
)
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
    if points.ndim > 2:
        raise Unreadable(f"It has {points.ndim} axes; one and two are read.")
    experiment = build_experiment(header, points, name=given.path.stem)
    facts = Facts()
    facts.add("technique", "NMR")
    facts.add("format", f"NMRPipe {points.ndim}D")
    facts.add("is_complex", bool(np.iscomplexobj(points)))
    facts.add("dtype", str(points.dtype))
    add_experiment_facts(facts, experiment)
    return Output(run=facts.as_json(), artefacts=list(draw_experiment(experiment, number=1)))


def build_experiment(header: dict[str, Any], points: Any, *, name: str) -> Experiment:
    axes = [nmrglue.pipe.make_uc(header, points, dim=dimension) for dimension in range(points.ndim)]
    sweep_width = float(header["FDF2SW"])
    experiment = Experiment(
        name,
        {
            "nucleus": swap_nucleus(str(header["FDF2LABEL"])),
            "observe_frequency_mhz": round(float(header["FDF2OBS"]), 6),
            "sweep_width_hz": sweep_width,
        },
    )
    if points.ndim == 1 and not header["FDF2FTFLAG"]:
        experiment.signal = Signal(np.arange(len(points)) / sweep_width, np.asarray(points, dtype=np.complex128))
    else:
        shifts = tuple(np.asarray(axis.ppm_scale(), dtype=np.float64) for axis in axes)
        experiment.spectrum = Spectrum(shifts, np.asarray(np.real(points), dtype=np.float64))
    return experiment
