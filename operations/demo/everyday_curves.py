"""Curves of every day: of each technique several subjects, whose shapes a specialist tells apart."""

import math
import random
from collections.abc import Callable, Mapping, Sequence

from operations.demo.drawings import Json
from operations.demo.traces import INDENE, Bands, describe_curve, make_trace, sum_bands

ABSORBERS: Mapping[str, Bands] = {  # nm, nm, AU
    "lysozyme": ((225, 12, 1.6), (279, 12, 0.55), (290, 6, 0.12)),
    "plasmid DNA": ((210, 14, 0.9), (259, 18, 0.95)),
    "caffeine": ((205, 10, 1.3), (273, 14, 0.8)),
    "NADH": ((259, 17, 1.35), (339, 27, 0.55)),
    "sfGFP": ((228, 12, 1.1), (279, 12, 0.42), (400, 26, 0.12), (485, 17, 0.85)),
    "cytochrome c, reduced": ((315, 24, 0.3), (415, 10, 1.25), (521, 10, 0.17), (550, 5, 0.31)),
    "methylene blue": ((246, 11, 0.3), (292, 14, 0.55), (613, 24, 0.5), (664, 20, 1.15)),
}
LIQUIDS: Mapping[str, Bands] = {  # 1/cm, 1/cm, %T
    "indene": INDENE,
    "ethanol": ((3_330, 130, 42), (2_973, 22, 30), (2_885, 24, 20), (1_380, 22, 18), (1_087, 22, 45), (1_046, 18, 70)),
    "acetone": ((3_004, 18, 6), (1_710, 16, 82), (1_421, 24, 28), (1_361, 12, 46), (1_221, 12, 52), (529, 14, 34)),
    "polystyrene": (
        (3_026, 14, 34), (2_922, 20, 42), (2_849, 16, 26), (1_601, 8, 30), (1_493, 8, 48), (1_452, 9, 52),
        (1_028, 9, 24), (756, 10, 66), (697, 9, 86), (540, 12, 36),
    ),
    "water": ((3_340, 210, 62), (2_130, 110, 5), (1_637, 42, 34), (620, 170, 52)),
}  # fmt: skip
BINDERS = {  # 1/(M s), 1/s, RU, nM
    "anti-HER2 Fab": (4.0e5, 1.2e-3, 120, (3.125, 6.25, 12.5, 25, 50)),
    "fragment 214": (3.0e6, 0.9, 24, (30, 90, 270, 810, 2_430)),
    "nanobody C7": (9.0e5, 9.0e-5, 65, (1, 2, 4, 8, 16)),
    "aptamer 3": (6.0e4, 2.4e-2, 90, (40, 120, 360, 1_080)),
}
ELUTIONS: Mapping[str, tuple[str, float, Bands]] = {  # name of the axis' end, ml, peaks in ml, ml, mAU
    "size exclusion": ("Size exclusion", 24, ((8.9, 0.5, 45), (13.6, 0.5, 290), (15.9, 0.5, 120), (20.2, 0.7, 30))),
    "nickel": ("His-tag, imidazole gradient", 60, ((7, 3.4, 1_450), (19, 1.6, 180), (38, 2.2, 820))),
    "anion exchange": ("Anion exchange, 0 to 1 M NaCl", 45, ((4, 1.1, 210), (17, 0.9, 160), (21.5, 1.0, 540),
                                                            (25.4, 1.2, 260), (36, 1.8, 90))),
    "desalting": ("Desalting", 15, ((4.2, 0.6, 640), (9.8, 1.2, 35))),
}  # fmt: skip
FRAGMENTS: Mapping[str, tuple[Bands, str]] = {  # log10 of bp or nt
    "library": (((2.53, 0.06, 620),), "bp"),
    "RNA, RIN 9.4": (((3.28, 0.022, 540), (3.67, 0.03, 760), (2.2, 0.09, 45)), "nt"),
    "RNA, RIN 3.1": (((2.6, 0.3, 260), (3.28, 0.05, 90)), "nt"),
    "PCR product": (((2.845, 0.013, 980), (1.78, 0.02, 60)), "bp"),
    "cfDNA": (((2.22, 0.03, 430), (2.51, 0.035, 130), (2.68, 0.04, 50)), "bp"),
}
DILUTIONS = (17.1, 20.4, 23.7, 27.1, 30.5)  # cycles: tenfold each


def choose_subject(names: Sequence[str], run_id: str, noise: random.Random) -> str:
    """What the run is called after, or any."""
    called = [name for name in names if name.partition(",")[0].lower() in run_id.lower()]
    return noise.choice(called or names)


def draw_absorption(noise: random.Random, run_id: str) -> Json:
    """Three dilutions of one subject."""
    name = choose_subject(list(ABSORBERS), run_id, noise)
    top = max(place for place, _, _ in ABSORBERS[name])
    places = [float(nm) for nm in range(210, int(top) + 90)]
    series = [
        make_trace(
            f"1:{fold}", places, [sum_bands(nm, ABSORBERS[name]) / fold + noise.gauss(0, 0.002) for nm in places]
        )
        for fold in (1, 2, 4)
    ]
    return describe_curve(f"{name}, absorption", ("Wavelength", "nm"), ("Absorbance", "AU")) | {"series": series}


def draw_infrared(noise: random.Random, run_id: str) -> Json:
    name = choose_subject(list(LIQUIDS), run_id, noise)
    places = [float(place) for place in range(4_000, 398, -4)]
    levels = [98 - min(95, sum_bands(place, LIQUIDS[name])) + noise.uniform(-0.15, 0.15) for place in places]
    about = describe_curve(f"{name}, ATR", ("Wavenumber", "1/cm"), ("Transmittance", "%T"))
    about["x"]["reversed"] = True
    return about | {"series": [make_trace(name, places, levels)]}


def draw_binding(noise: random.Random, run_id: str) -> Json:
    """At several concentrations: 120 s of association, then dissociation."""
    name = choose_subject(list(BINDERS), run_id, noise)
    on, off, most, doses = BINDERS[name]
    times = [float(second) for second in range(-20, 401)]

    def respond(time: float, nm: float) -> float:
        rate = on * nm * 1e-9 + off
        bound = most * on * nm * 1e-9 / rate * (1 - math.exp(-rate * min(max(time, 0), 120)))
        return bound * math.exp(-off * max(0, time - 120)) + noise.gauss(0, 0.15)

    series = [make_trace(f"{nm:g} nM", times, [respond(time, nm) for time in times]) for nm in doses]
    return describe_curve(f"{name}, kinetics", ("Time", "s"), ("Response", "RU")) | {"series": series}


def draw_elution(noise: random.Random, run_id: str) -> Json:
    title, end, peaks = ELUTIONS[choose_subject(list(ELUTIONS), run_id, noise)]
    shift, loaded = noise.uniform(-0.01, 0.01) * end, noise.uniform(0.6, 1.2)
    moved = [(place + shift, width, height * loaded * noise.uniform(0.8, 1.2)) for place, width, height in peaks]
    volumes = [round(end * step / 900, 4) for step in range(901)]
    levels = [sum_bands(volume, moved) + noise.gauss(0, 0.3) for volume in volumes]
    about = describe_curve(f"{title}, UV 280 nm", ("Retention volume", "ml"), ("UV 280", "mAU"))
    return about | {"series": [make_trace("UV 280", volumes, levels)]}


def draw_amplification(noise: random.Random, run_id: str) -> Json:
    """A series of dilutions, water last; some assays are worse than others."""
    steep, cycles = noise.uniform(1.3, 2.1), [float(cycle) for cycle in range(1, 41)]
    late, most = noise.uniform(-1.5, 3), noise.uniform(2.2, 4.8)
    wells = [*((f"10^{6 - step} copies", middle + late) for step, middle in enumerate(DILUTIONS)), ("water", 80.0)]
    series = [
        make_trace(
            name, cycles, [most / (1 + math.exp(-(one - middle) / steep)) + noise.gauss(0, 0.008) for one in cycles]
        )
        for name, middle in wells
    ]
    return describe_curve("Standard series, amplification", ("Cycle", None), ("ΔRn", None)) | {"series": series}


def draw_fragments(noise: random.Random, run_id: str) -> Json:
    name = choose_subject(list(FRAGMENTS), run_id, noise)
    bands, unit = FRAGMENTS[name]
    marked = [(math.log10(25), 0.012, 900.0), *bands]
    sizes = [round(15 * 10 ** (step / 220), 2) for step in range(601)]
    levels = [max(0.0, sum_bands(math.log10(size), marked)) + noise.uniform(0, 6) for size in sizes]
    about = describe_curve(f"{name}, ScreenTape", ("Size", unit), ("Sample intensity", "FU"))
    about["x"]["log"] = True
    return about | {"series": [make_trace("A1", sizes, levels)]}


def draw_ions(noise: random.Random, run_id: str) -> Json:
    """A digest, a protein as a whole, metabolites that hardly stay, or a blank."""
    name, count, begin, end, most = noise.choice(
        (
            ("digest", 70, 9, 52, 2.2e9),
            ("intact antibody", 3, 24, 29, 6e8),
            ("metabolites", 25, 1, 16, 9e8),
            ("blank", 4, 4, 58, 2e7),
        )
    )
    bands = [
        (noise.uniform(begin, end), noise.uniform(0.07, 0.2), most * noise.betavariate(1, 3)) for _ in range(count)
    ]
    times = [round(step / 15, 4) for step in range(901)]
    levels = [sum_bands(time, bands) + noise.uniform(1e6, 6e6) for time in times]
    axes = ("Retention time", "min"), ("Base peak intensity", None)
    return describe_curve(f"Base peaks, {name}", *axes) | {"series": [make_trace("BPC", times, levels)]}


def draw_diameters(noise: random.Random, run_id: str) -> Json:
    """Cells by their size, the dead ones smaller."""
    middle, viable = noise.uniform(12.5, 17.5), noise.uniform(0.55, 0.98)
    places = [round(4 + step * 0.25, 2) for step in range(105)]
    count = noise.uniform(900, 4_200)
    shares: Sequence[tuple[str, Bands]] = (
        ("viable", ((middle, 2.1, count * viable),)),
        ("dead", ((middle * 0.72, 1.6, count * (1 - viable)), (5.5, 1.1, count * 0.12))),
    )
    series = [
        make_trace(name, places, [max(0.0, sum_bands(at, bands) * noise.uniform(0.93, 1.07)) for at in places])
        for name, bands in shares
    ]
    return describe_curve("Cells by diameter", ("Diameter", "µm"), ("Cells", None)) | {"series": series}


DRAWN: Mapping[str, Callable[[random.Random, str], Json]] = {
    "SPR": draw_binding,
    "chromatography": draw_elution,
    "qPCR": draw_amplification,
    "electrophoresis": draw_fragments,
    "cell count": draw_diameters,
    "FT-IR": draw_infrared,
    "LC-MS": draw_ions,
    "UV-Vis spectroscopy": draw_absorption,
}
