"""What the simulated instrument writes for one run: spectra, a plate, kinetics and a picture. No two runs are alike.

Times are UTC, as its instrument says: formats such as JCAMP-DX carry no offset.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from operations.demo import drawings
from operations.demo.traces import Bands, sum_bands

ASSAYS: Sequence[tuple[str, str, float, Bands]] = (  # name, sample, AU of the highest band, the bands beside 1
    ("lysozyme-refold", "LYS-refold-B", 0.42, ((279, 13, 1.0), (290, 6, 0.2))),
    ("BSA-standards", "BSA-2mg-mL", 0.61, ((278, 11, 1.0), (410, 22, 0.12))),
    ("ELISA-IL6", "IL6-cohort-C", 0.85, ((280, 14, 0.25), (370, 22, 0.2), (450, 27, 1.0))),
    ("GFP-titration", "sfGFP-W57F", 0.72, ((279, 12, 0.5), (400, 26, 0.15), (485, 17, 1.0))),
)
COURSES: Sequence[Callable[[float], float]] = (  # of each assay over two minutes, beside its height
    lambda seconds: 1.9 - math.exp(-seconds / 40),
    lambda seconds: 0.4 + 1.3 * math.exp(-seconds / 28),
    lambda seconds: 0.15 + 0.011 * seconds,
    lambda seconds: 0.2 + 1.5 / (1 + math.exp((55 - seconds) / 9)),
)
MINUTES = (0, 1, 2)
NANOMETERS = range(230, 561)


def format_run_name(number: int, *, at: datetime) -> str:
    return f"{at:%Y-%m-%d}_{ASSAYS[number % len(ASSAYS)][0]}_{number:03d}"


def build_measurement_files(number: int, *, at: datetime) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of the files, in the order in which the instrument would finish them."""
    chance = random.Random(f"{number} {at}")
    _, sample, height, bands = ASSAYS[number % len(ASSAYS)]
    height *= chance.uniform(0.85, 1.15)
    for minutes in MINUTES:
        when, grown = at - timedelta(minutes=MINUTES[-1] - minutes), height * (1 + minutes / 3)
        yield (
            f"spectrum_t{minutes:03d}.jdx",
            format_spectrum(sample, minutes, bands=bands, height=grown, at=when, chance=chance),
        )
    yield "kinetics.csv", format_kinetics(number, sample, height=height, chance=chance)
    yield "plate.csv", format_plate(number, height=height, at=at, chance=chance)
    yield "camera.png", drawings.build_picture(width=240, height=160, seed=chance.randrange(1 << 30))


def format_spectrum(
    sample: str, minutes: int, *, bands: Bands, height: float, at: datetime, chance: random.Random
) -> bytes:
    """JCAMP-DX, absorbance against wavelength."""
    values = [
        round(10_000 * (0.02 + math.exp(-(nm - 226) / 9) + height * sum_bands(nm, bands) + chance.gauss(0, 0.0015)))
        for nm in NANOMETERS
    ]
    head = {
        "TITLE": f"{sample}, {minutes} min",
        "JCAMP-DX": "5.01",
        "DATA TYPE": "UV/VIS SPECTRUM",
        "ORIGIN": "Simulated instrument",
        "OWNER": "Demonstration laboratory",
        "LONG DATE": f"{at:%Y/%m/%d %H:%M:%S}",
        "SPECTROMETER/DATA SYSTEM": "Multimode reader MR-2",
        "SAMPLE DESCRIPTION": sample,
        "XUNITS": "NANOMETERS",
        "YUNITS": "ABSORBANCE",
        "XFACTOR": "1",
        "YFACTOR": "0.0001",
        "FIRSTX": str(NANOMETERS[0]),
        "LASTX": str(NANOMETERS[-1]),
        "NPOINTS": str(len(values)),
        "FIRSTY": f"{values[0] / 10_000:.4f}",
        "XYDATA": "(X++(Y..Y))",
    }
    lines = [f"##{name}={value}" for name, value in head.items()]
    for start in range(0, len(values), 10):
        lines.append(" ".join(map(str, [NANOMETERS[start], *values[start : start + 10]])))
    return "\n".join([*lines, "##END=", ""]).encode()


def format_kinetics(number: int, sample: str, *, height: float, chance: random.Random) -> bytes:
    """Absorbance of three replicates over two minutes, as CSV."""
    lines = ["Time (s)," + ",".join(f"{sample} {letter} (AU)" for letter in "ABC")]
    for seconds in range(0, 121, 2):
        level = height * COURSES[number % len(ASSAYS)](seconds)
        lines.append(",".join([str(seconds), *(f"{level + chance.gauss(0, 0.006):.4f}" for _ in "ABC")]))
    return "\n".join([*lines, ""]).encode()


def format_plate(number: int, *, height: float, at: datetime, chance: random.Random) -> bytes:
    """A dilution series over 96 wells, as the readers' CSV with a preamble."""
    lines = [f"Plate,P-{number:04d}", f"Date,{at:%Y-%m-%d %H:%M:%S}", "Mode,Absorbance 280 nm", ""]
    lines.append("," + ",".join(map(str, range(1, 13))))
    for row, letter in enumerate(drawings.PLATE_ROWS):
        wells = (4 * height / (1 + 0.45 * column) * (1 - row * 0.02) for column in range(1, 13))
        lines.append(",".join([letter, *(f"{well + chance.gauss(0, 0.012):.3f}" for well in wells)]))
    return "\r\n".join([*lines, ""]).encode()
