"""A Varian experiment (VnmrJ): its parameters, and the signal that lies beside them."""

import re
import warnings
from datetime import datetime, tzinfo
from pathlib import Path

import nmrglue
import numpy as np

from processing.facts import Fact
from processing.processors.nmr.experiment import Experiment, Signal

TIME = "%Y%m%dT%H%M%S"
Parameters = dict[str, str]


def read_varian(folder: Path, *, name: str, zone: tzinfo) -> Experiment:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the library only warns where points are missing
        parameters, points = nmrglue.varian.read(str(folder))
    values = first_values(parameters["procpar"])
    experiment = Experiment(name if name != "." else "Experiment", describe_varian(values))
    experiment.measured_at = find_time(values, zone=zone)
    first = np.asarray(points, dtype=np.complex128).reshape(-1, np.shape(points)[-1])[0]
    experiment.signal = Signal(np.arange(len(first)) / float(values["sw"]), first)
    return experiment


def first_values(procpar: dict[str, dict[str, list[str]]]) -> Parameters:
    return {key: (found.get("values") or [""])[0] for key, found in procpar.items()}


def describe_varian(values: Parameters) -> dict[str, Fact | None]:
    return {
        "format": "Varian VnmrJ folder",
        "nucleus": swap_nucleus(values.get("tn", "")),
        "observe_frequency_mhz": number_of(values, "sfrq"),
        "sweep_width_hz": number_of(values, "sw"),
        "scans": int(number_of(values, "nt") or 0) or None,
        "pulse_program": values.get("seqfil"),
        "solvent": values.get("solvent"),
        "sample_id": values.get("samplename"),
    }


def number_of(values: Parameters, key: str) -> float | None:
    return float(values[key]) if key in values else None


def swap_nucleus(stated: str) -> str:
    """H1 is 1H."""
    found = re.fullmatch(r"([A-Za-z]+)(\d+)", stated.strip())
    return f"{found[2]}{found[1]}" if found else stated


def find_time(values: Parameters, *, zone: tzinfo) -> datetime | None:
    """As the spectrometer's clock had it."""
    try:
        return datetime.strptime(values.get("time_run", ""), TIME).replace(tzinfo=zone)
    except ValueError:
        return None
