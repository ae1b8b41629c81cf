"""Spectra of Sparky (UCSF NMR): two to four axes in ppm, of which the last two are drawn."""

import struct
import warnings
from typing import Any

import nmrglue
import numpy as np

from processing.facts import Facts
from processing.processors.nmr.experiment import Experiment, Spectrum, add_experiment_facts, draw_experiment
from processing.processors.nmr.varian import swap_nucleus
from processing.readings import Input, Output, Unreadable


def read(given: Input) -> Output:
    """Facts, and lines of equal height. Unreadable: it has fewer points than its header announces."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where it ends elsewhere than it says: too short it is refused
            header, points = nmrglue.sparky.read(str(given.path))
    except (ValueError, IndexError, OSError, TypeError, struct.error) as error:
        raise Unreadable("Its points are not as many as its header announces.") from error
    experiment = build_experiment(header, points, name=given.path.stem)
    facts = Facts()
    facts.add("technique", "NMR")
    facts.add("format", f"Sparky {points.ndim}D")
    facts.add("shape", " x ".join(map(str, points.shape)))
    facts.add("analyst", header["owner"])
    add_experiment_facts(facts, experiment)
    reduced = f"It has {points.ndim} axes: the last two are drawn, with the highest value over the others."
    return Output(
        run=facts.as_json(),
        artefacts=list(draw_experiment(experiment, number=1)),
        warnings=[reduced] if points.ndim > 2 else [],
    )


def build_experiment(header: dict[str, Any], points: Any, *, name: str) -> Experiment:
    axes = [header[f"w{number}"] for number in range(1, points.ndim + 1)]
    drawn = np.asarray(points, dtype=np.float64).max(axis=tuple(range(points.ndim - 2)))
    shifts = [nmrglue.sparky.make_uc(header, points, dim=place).ppm_scale() for place in range(points.ndim)]
    return Experiment(
        name,
        {
            "nucleus": swap_nucleus(axes[-1]["nucleus"]),
            "observe_frequency_mhz": round(float(axes[-1]["spectrometer_freq"]), 6),
            "sweep_width_hz": float(axes[-1]["spectral_width"]),
        },
        spectrum=Spectrum(tuple(np.asarray(one, dtype=np.float64) for one in shifts[-2:]), drawn),
    )
