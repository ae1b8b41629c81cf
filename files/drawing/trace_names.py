"""What the people of a field call a trace, told by its axes, its technique and its title."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from files.drawing.documents import text_or_empty

NAMED_FOR_PEOPLE = ("Bode", "Nyquist")
MAX_LABELS = 3  # of series that say what was measured where the ordinate does not


@dataclass(frozen=True)
class TraceName:
    slug: str  # as the metadata of an artefact keep it
    plural: str
    singular: str


@dataclass(frozen=True)
class Rule:
    """Fits where each pattern is found: in the abscissa, in the ordinate ("label [unit]"), in technique or title."""

    name: TraceName
    x: str = ""
    y: str = ""
    about: str = ""

    def fits(self, x: str, y: str, about: str) -> bool:
        pairs = ((self.x, x), (self.y, y), (self.about, about))
        return all(not pattern or re.search(pattern, text, re.IGNORECASE) for pattern, text in pairs)


CURVE = TraceName("curve", "Curves", "curve")
SPECTRUM = TraceName("spectrum", "Spectra", "spectrum")
CHROMATOGRAM = TraceName("chromatogram", "Chromatograms", "chromatogram")
ELECTROPHEROGRAM = TraceName("electropherogram", "Electropherograms", "electropherogram")
GROWTH = TraceName("growth", "Growth curves", "growth curve")
VOLTAMMOGRAM = TraceName("voltammogram", "Voltammograms", "voltammogram")
IV = TraceName("iv", "Current-voltage curves", "current-voltage curve")
THERMOGRAM = TraceName("thermogram", "Thermograms", "thermogram")
MELTING = TraceName("melting", "Melting curves", "melting curve")
SENSORGRAM = TraceName("sensorgram", "Sensorgrams", "sensorgram")
FID = TraceName("fid", "FIDs", "FID")  # of which spectra were made
NMR = TraceName("nmr", "NMR spectra", "NMR spectrum")
TIME = r"\b(time|elapsed|duration)\b|\[(s|sec|min|h|ms|seconds|minutes|hours)\]"
VOLTAGE, CURRENT = r"\[(m|µ|u)?v\]|potential|voltage", r"\[(m|µ|μ|u|n|p)?a(/cm2|/cm²|/cm\^2)?\]|current"
RULES = (
    Rule(TraceName("nmr-2d", "2D NMR spectra", "2D NMR spectrum"), x=r"\[ppm\]", y=r"\[ppm\]"),
    Rule(FID, x=TIME, about=r"\bfid\b|nmr"),
    Rule(NMR, x=r"\[ppm\]"),
    Rule(NMR, x=r"\[hz\]", about="nmr"),
    Rule(TraceName("mass-spectrum", "Mass spectra", "mass spectrum"), x=r"\bm/z\b"),
    Rule(TraceName("nyquist", "Nyquist plots", "Nyquist plot"), x=r"^(re\(?z|z('|re|\u2032)|zreal|real)", y=r"z|im"),
    Rule(TraceName("bode", "Bode plots", "Bode plot"), x="frequency", y=r"\|z\||phase"),
    Rule(VOLTAMMOGRAM, x=VOLTAGE, y=CURRENT, about="voltammetr"),
    Rule(IV, x=VOLTAGE, y=CURRENT),
    Rule(TraceName("amplification", "Amplification curves", "amplification curve"), x=r"\bcycles?\b"),
    Rule(MELTING, x="temperature", about=r"p\s?cr|melt"),
    Rule(MELTING, x="°c|degc|celsius", y=r"fluoresc|\[rfu\]"),
    Rule(THERMOGRAM, x=r"temperature|°c|degc|^t[sr]?\b", y="mass|weight|heat|tg|dsc"),
    Rule(THERMOGRAM, about=r"\b(tga?|dsc|dta|sta)\b|thermal analysis|thermogravimetr|calorimetr"),
    Rule(ELECTROPHEROGRAM, about="electropho?resis|sanger|fragment|electropherogram"),
    Rule(ELECTROPHEROGRAM, x=r"\[(bp|nt|kbp?)\]", y="intensity|fluoresc|signal"),
    Rule(SENSORGRAM, x=TIME, about="binding|surface plasmon|bli|spr"),
    Rule(SENSORGRAM, x=TIME, y=r"\[ru\]"),
    Rule(CHROMATOGRAM, x="retention|elution"),
    Rule(CHROMATOGRAM, x=rf"{TIME}|volume", about="chromato|hplc|gc-ms|lc-ms"),
    Rule(CHROMATOGRAM, x=TIME, y=r"\[mau\]"),
    Rule(TraceName("diffractogram", "Diffractograms", "diffractogram"), x=r"theta|θ|2th"),
    Rule(TraceName("scattering", "Scattering curves", "scattering curve"), x=r"^q\b|\[(1/(nm|å|a|angstrom)|å-1)\]"),
    Rule(TraceName("histogram", "Histograms", "histogram"), y="per bin|events"),
    Rule(SPECTRUM, x=r"wavelength|wavenumber|raman|energy|frequency|\[(nm|1/cm|cm-1|cm\^-1|ev)\]"),
    Rule(SPECTRUM, about="spectr[ao](?!photometry)|infrared|raman"),
    Rule(GROWTH, x=TIME, y=r"\bod ?\d*|optical density|growth|biomass"),
    Rule(GROWTH, x=TIME, about="growth"),
    Rule(TraceName("waveform", "Waveforms", "waveform"), x=TIME, about="ecg|waveform"),
    Rule(TraceName("kinetics", "Kinetics", "kinetic curve"), x=TIME, about="plate|kinetic|photomet|fluoresc"),
    Rule(TraceName("time-course", "Time courses", "time course"), x=TIME),
)
NAMES = {rule.name.slug: rule.name for rule in RULES} | {CURVE.slug: CURVE}


def name_trace(document: Mapping[str, Any], *, technique: object = "") -> TraceName:
    """Of an ids-curve/1 without fault; `technique` as the run's facts have it, one or several."""
    x, y = (describe_axis(document[axis]) for axis in ("x", "y"))
    y = " ".join([y, *(text_or_empty(series["label"]) for series in document["series"][:MAX_LABELS])])
    techniques = technique if isinstance(technique, list) else [technique]
    about = " ".join(map(str, (*techniques, text_or_empty(document.get("title")))))
    name = next((rule.name for rule in RULES if rule.fits(x, y, about)), CURVE)
    return VOLTAMMOGRAM if name is IV and any(map(turns_back, document["series"])) else name


def turns_back(series: Mapping[str, Any]) -> bool:
    """Whether the abscissa runs both up and down, each for at least a tenth of its range: a loop."""
    steps = [later - earlier for earlier, later in pairwise(series["x"])]
    reach = max(series["x"], default=0) - min(series["x"], default=0)
    up, down = sum(step for step in steps if step > 0), -sum(step for step in steps if step < 0)
    return reach > 0 and min(up, down) > reach / 10


def describe_axis(axis: Mapping[str, Any]) -> str:
    label, unit = text_or_empty(axis.get("label")), text_or_empty(axis.get("unit"))
    return f"{label} [{unit}]" if unit else label


def join_names(slugs: Sequence[str]) -> TraceName:
    """One name for all that a list holds: theirs where they agree, both where they are two, else simply curves."""
    found = sorted(dict.fromkeys(NAMES.get(slug, CURVE) for slug in slugs), key=lambda name: name.slug == FID.slug)
    if len(found) == 2 and CURVE not in found:
        first, second = (name.plural for name in found)
        keeps_capital = second.startswith(NAMED_FOR_PEOPLE) or second[1:2].isupper()
        return TraceName("curve", f"{first}, {second if keeps_capital else second[:1].lower() + second[1:]}", "curve")
    return found[0] if len(found) == 1 else CURVE
