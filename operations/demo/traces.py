"""Curves of the techniques that draw one: shapes that a specialist knows, each number with a noise of its own."""

import math
import random
from collections.abc import Callable, Sequence

from operations.demo.drawings import Json

Bands = Sequence[tuple[float, float, float]]  # place, width, height
INDENE = (
    (3_070, 18, 30), (3_020, 14, 22), (2_890, 16, 28), (1_610, 8, 24), (1_553, 7, 18), (1_458, 9, 62), (1_392, 8, 48),
    (1_361, 8, 40), (1_312, 7, 20), (1_287, 7, 18), (1_205, 7, 20), (1_166, 7, 22), (1_122, 7, 18), (1_067, 7, 30),
    (1_018, 8, 38), (942, 9, 55), (915, 8, 42), (861, 8, 50), (830, 7, 40), (765, 9, 88), (718, 9, 82), (692, 8, 66),
)  # fmt: skip
CONCENTRATIONS_NM = (3.125, 6.25, 12.5, 25.0, 50.0)
PEPTIDES = ((18.4, 532.3, 0.7), (24.9, 654.8, 1.0), (31.2, 721.4, 0.85), (39.6, 785.8, 0.6), (47.3, 871.4, 0.4))


def build_infrared(number: int) -> Json:
    """Transmittance of a liquid on ATR, 4,000 to 400 1/cm."""
    noise = random.Random(f"infrared {number}")
    places = [float(place) for place in range(4_000, 398, -2)]
    levels = [98 - min(95, sum_bands(place, INDENE)) + noise.uniform(-0.15, 0.15) for place in places]
    about = describe_curve(f"Indene, ATR, scan {number}", ("Wavenumber", "1/cm"), ("Transmittance", "%T"))
    about["x"]["reversed"] = True
    return about | {"series": [make_trace("Indene", places, levels)]}


def build_sensorgram(number: int) -> Json:
    """One-to-one binding at five concentrations, the reference taken off: 180 s of association, then dissociation."""
    noise, times = random.Random(f"sensorgram {number}"), [float(second) for second in range(-30, 601)]
    responses = [
        make_trace(f"{nm:g} nM", times, [_bind(time, nm=nm) + noise.uniform(-0.25, 0.25) for time in times])
        for nm in CONCENTRATIONS_NM
    ]
    return describe_curve(f"anti-HER2 on CM5, cycle {number}", ("Time", "s"), ("Response", "RU")) | {
        "series": responses
    }


def _bind(time: float, *, nm: float) -> float:
    on, off, most = 4.0e5, 1.2e-3, 120.0  # 1/(M s), 1/s, RU
    rate = on * nm * 1e-9 + off
    reached = most * (on * nm * 1e-9) / rate
    if time <= 0:
        return 0.0
    if time <= 180:
        return reached * (1 - math.exp(-rate * time))
    return reached * (1 - math.exp(-rate * 180)) * math.exp(-off * (time - 180))


def build_electropherogram(number: int) -> Json:
    """A library between its two markers, over the logarithm of the size."""
    noise, peak = random.Random(f"library {number}"), 330.0 + 15 * number
    sizes = [round(20 * 10 ** (step / 400), 2) for step in range(801)]
    bands = ((math.log10(25), 0.012, 900.0), (math.log10(peak), 0.06, 620.0), (math.log10(1_500), 0.012, 850.0))
    levels = [max(0.0, sum_bands(math.log10(size), bands)) + noise.uniform(0, 6) for size in sizes]
    about = describe_curve(f"Library {number}, D1000", ("Size", "bp"), ("Sample intensity", "FU"))
    about["x"]["log"] = True
    marks = [{"label": "Lower marker", "x": 25.0}, {"label": f"{peak:g} bp", "x": peak}]
    about["marks"] = [*marks, {"label": "Upper marker", "x": 1_500.0}]
    return about | {"series": [make_trace("A1", sizes, levels)]}


def build_base_peaks(number: int) -> Json:
    """Base peak chromatogram of a digest, an hour of gradient."""
    noise, times = random.Random(f"digest {number}"), [round(step / 30, 4) for step in range(1_801)]
    peptides = [(round(time + noise.uniform(-0.1, 0.1), 1), mz, height) for time, mz, height in PEPTIDES]
    bands = [(time, 0.12, 2.4e9 * height) for time, _, height in peptides]
    bands += [(noise.uniform(8, 54), noise.uniform(0.06, 0.15), noise.uniform(1e8, 6e8)) for _ in range(90)]
    levels = [sum_bands(time, bands) + noise.uniform(1e6, 6e6) for time in times]
    about = describe_curve(f"HeLa digest 200 ng, {number}", ("Retention time", "min"), ("Base peak intensity", None))
    about["marks"] = [{"label": f"m/z {mz}", "x": time} for time, mz, _ in peptides]
    return about | {"series": [make_trace("BPC", times, levels)]}


def build_amplification(number: int) -> Json:
    """Fluorescence over forty cycles: two genes, and a control without template."""
    noise, cycles = random.Random(f"amplification {number}"), [float(cycle) for cycle in range(1, 41)]

    def grow(middle: float) -> list[float]:
        return [4.2 / (1 + math.exp(-(cycle - middle) / 1.6)) + noise.uniform(-0.01, 0.01) for cycle in cycles]

    wells = (("GAPDH control", 21.5), ("GAPDH siBRCA1", 21.6), ("BRCA1 control", 27.4), ("BRCA1 siBRCA1", 29.9))
    series = [make_trace(name, cycles, grow(middle)) for name, middle in (*wells, ("no template", 90.0))]
    return describe_curve(f"Knockdown {number}, amplification", ("Cycle", None), ("ΔRn", None)) | {"series": series}


def build_melting(number: int) -> Json:
    """A thermal shift: a protein alone and with two ligands that hold it together for longer."""
    noise, temperatures = random.Random(f"shift {number}"), [round(25 + 0.3 * step, 1) for step in range(234)]
    series = [
        make_trace(name, temperatures, [_unfold(t, middle) + noise.uniform(-40, 40) for t in temperatures])
        for name, middle in (("apo", 52.1), ("ligand 3", 55.4), ("ligand 7", 59.8))
    ]
    axes = ("Temperature", "°C"), ("Fluorescence", "RFU")
    return describe_curve(f"Thermal shift {number}", *axes) | {"series": series}


def _unfold(temperature: float, middle: float) -> float:
    unfolded = 1 / (1 + math.exp(-(temperature - middle) / 1.3))
    return 3_000 + 21_000 * unfolded * math.exp(-max(0.0, temperature - middle) / 40)


def build_absorption(number: int) -> Json:
    """Protein standards, their blank taken off: 240 to 340 nm."""
    noise, places = random.Random(f"standards {number}"), [240 + step / 2 for step in range(201)]
    series = [
        make_trace(f"{mg:g} mg/ml", places, [mg * _absorb(nm) + noise.uniform(-0.001, 0.001) for nm in places])
        for mg in (0.25, 0.5, 1.0, 2.0)
    ]
    return describe_curve(f"BSA standards {number}", ("Wavelength", "nm"), ("Absorbance", "AU")) | {"series": series}


def _absorb(nm: float) -> float:
    return sum_bands(nm, ((279.0, 11.0, 0.6), (289.0, 5.0, 0.12), (225.0, 13.0, 3.2)))


NAMED_RUNS: dict[str, Callable[[int], Json]] = {
    "2026-11-20_anti-HER2_kinetics_chip-CM5_cycle-04": build_sensorgram,
    "TS_gDNA_ScreenTape_2026-11-20_B": build_electropherogram,
    "QE-HF_DIA_HeLa-digest_200ng_qc_morning": build_base_peaks,
    "2026-11-19_BSA-standards_280nm_blank-corrected": build_absorption,
    "indene_ATR_reference_2cm-1": build_infrared,
}  # of the newest, which stand on the home page


def sum_bands(place: float, bands: Bands) -> float:
    return sum(height * math.exp(-(((place - middle) / width) ** 2)) for middle, width, height in bands)


def describe_curve(title: str, x: tuple[str, str | None], y: tuple[str, str | None]) -> Json:
    axes = {name: {"label": label, "unit": unit} for name, (label, unit) in (("x", x), ("y", y))}
    return {"format": "ids-curve/1", "title": title, "downsampled": False} | axes


def make_trace(label: str, x: list[float], y: Sequence[float]) -> Json:
    return {"label": label, "x": x, "y": [float(f"{level:.6g}") for level in y], "points": len(x)}
