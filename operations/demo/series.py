"""Series that a laboratory measures again and again, so that runs can be stacked: the same table in every run."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from operations.demo.drawings import PLATE_ROWS, Json
from operations.demo.exports import export
from operations.demo.runs import DemoLaboratory
from operations.demo.store import RawFile, add_artefact, add_file
from operations.demo.traces import (
    build_absorption,
    build_amplification,
    build_base_peaks,
    build_electropherogram,
    build_infrared,
    build_melting,
    build_sensorgram,
)
from runs.models import Claim, Run, RunSource

STRAINS = ("MG1655", "BL21", "DH5a")
PREPARATIONS = ("pUC19", "pET28a-GFP", "pBR322", "pGEX-4T")
GENES = ("BRCA1", "GAPDH")
HOURS_BETWEEN = 27
MAX_OD = 3.5  # beyond which the reader says OVRFLW


@dataclass(frozen=True)
class Series:
    """One kind of measurement: `build` makes the document of its number, 1 being the oldest."""

    instrument_id: str
    name: str
    count: int
    tag: str
    artefact: str
    kind: str
    title: str
    facts: Json
    build: Callable[[int], Json]

    def run_id(self, number: int) -> str:
        return f"{self.name}_{number:02d}"

    @property
    def newest_first(self) -> Sequence[int]:
        return range(self.count, 0, -1)


def build_growth_plate(number: int) -> Json:
    """OD600 of three strains over 96 wells after a night; column 12 is medium alone."""
    noise = random.Random(f"growth {number}")
    wells: Json = {}
    for row, letter in enumerate(PLATE_ROWS):
        strain = STRAINS[row % len(STRAINS)]
        for column in range(1, 12):
            level = 0.3 * column * (1 + 0.1 * (row % 3)) + noise.uniform(-0.05, 0.05)
            wells[f"{letter}{column}"] = _read_well(level, sample=strain)
        wells[f"{letter}12"] = _read_well(0.045 + noise.uniform(-0.002, 0.002), sample="medium")
    about = {"format": "ids-plate/1", "title": f"Growth plate {number}", "rows": 8, "columns": 12}
    return about | {"quantity": "Absorbance at 600 nm", "unit": "AU", "wells": wells}


def _read_well(level: float, *, sample: str) -> Json:
    if level > MAX_OD:
        return {"value": None, "sample": sample, "note": "OVRFLW"}
    return {"value": round(level, 4), "sample": sample}


def build_nucleic_acids(number: int) -> Json:
    """Plasmid preparations on a microvolume plate; the fourth of every other run has protein in it."""
    noise, rows = random.Random(f"preps {number}"), []
    for place, sample in enumerate(PREPARATIONS):
        a260 = round(noise.uniform(1.5, 6.0), 3)
        purity = 1.62 if place == 3 and number % 2 else 1.87
        a280 = round(a260 / (purity + noise.uniform(-0.03, 0.03)), 3)
        rows.append([sample, f"{PLATE_ROWS[place]}2", a260, a280, round(a260 / a280, 4), round(a260 * 50, 2)])
    columns = [("Sample", None), ("Well", None), ("A260", "AU"), ("A280", "AU"), ("A260/A280", None)]
    return _build_table(f"Plasmid preparations {number}", [*columns, ("Concentration", "ng/µL")], rows)


def build_chromatogram(number: int) -> Json:
    """A size exclusion: aggregate, monomer and salt over 24 ml."""
    noise, shift = random.Random(f"column {number}"), 0.05 * number
    volumes = [round(0.02 * step, 2) for step in range(1_200)]
    uv = [round(_elute(volume, shift=shift) + noise.uniform(-0.2, 0.2), 3) for volume in volumes]
    return {
        "format": "ids-curve/1",
        "title": f"Size exclusion {number}, UV 280 nm",
        "x": {"label": "Retention volume", "unit": "ml"},
        "y": {"label": "UV 280", "unit": "mAU"},
        "series": [{"label": "UV 280", "x": volumes, "y": uv, "points": len(volumes)}],
        "downsampled": False,
    }


def _elute(volume: float, *, shift: float) -> float:
    peaks = ((9.1, 0.5, 40.0), (14.2 + shift, 0.45, 310.0), (20.0, 0.8, 25.0))
    return sum(height * math.exp(-(((volume - place) / width) ** 2)) for place, width, height in peaks)


def build_cycles(number: int) -> Json:
    """Threshold cycles of two genes in four samples, three times each; water stays below the threshold."""
    noise, rows = random.Random(f"cycles {number}"), []
    for place, sample in enumerate(("control", "siBRCA1", "treated", "water")):
        for gene in GENES:
            expected = 18.0 + (gene == "BRCA1") * (6.0 + 2.5 * (sample == "siBRCA1"))
            for repeat in range(3):
                cycle = None if sample == "water" else round(expected + noise.uniform(-0.3, 0.3), 4)
                well = f"{PLATE_ROWS[place * 2 + (gene == 'BRCA1')]}{repeat + 1}"
                rows.append([well, sample, gene, cycle])
    columns = [("Well", None), ("Sample", None), ("Target", None), ("Cq", None)]
    return _build_table(f"Threshold cycles, plate {number}", columns, rows)


def build_viability(number: int) -> Json:
    """Ten bioreactor samples."""
    noise, rows = random.Random(f"cells {number}"), []
    for place in range(1, 11):
        cells = round(noise.uniform(0.8, 9.5), 3)
        rows.append([f"CLB{place:03d}", round(99.0 - 3.1 * noise.random() * place, 1), cells, noise.random() < 0.9])
    columns = [("Sample", None), ("Viability", "%"), ("Viable cells", "10⁶/ml"), ("Passed", None)]
    return _build_table(f"Viability {number}", columns, rows)


def _build_table(title: str, columns: Sequence[tuple[str, str | None]], rows: Sequence[Sequence[object]]) -> Json:
    named = [{"name": name, "unit": unit} for name, unit in columns]
    return {"format": "ids-table/1", "title": title, "columns": named, "rows": rows, "total_rows": len(rows)}


GROWTH = Series(
    "synergy-neo2", "growth_E-coli_37C_plate", 12, "growth", "plate-absorbance.json", "plate", "Growth, OD600",
    {"technique": "plate reader", "wavelength_nm": 600, "method": "growth_overnight", "plate_format": 96}
    | {"sample": "MG1655"},
    build_growth_plate,
)  # fmt: skip
PREPS = Series(
    "synergy-neo2", "Take3_plasmid-preps", 4, "plasmid", "nucleic-acids.json", "table", "Nucleic acids",
    {"technique": "nucleic acid quantification", "wavelength_nm": [260, 280], "method": "Take3 dsDNA"}
    | {"sample": "pUC19"},
    build_nucleic_acids,
)  # fmt: skip
EXCLUSION = Series(
    "akta-pure-25", "SEC_antibody_S200", 3, "purification", "chromatogram.json", "curve", "Size exclusion",
    {"technique": "liquid chromatography", "method": "S200_increase_10-300", "wavelength_nm": 280, "sample": "mAb-7"},
    build_chromatogram,
)  # fmt: skip
CYCLES = Series(
    "quantstudio-7-a", "knockdown_BRCA1_plate", 3, "knockdown", "cq.json", "table", "Threshold cycles",
    {"technique": "qPCR", "method": "knockdown", "target": sorted(GENES)}, build_cycles,
)  # fmt: skip
VIABILITY = Series(
    "vi-cell-blu", "bioreactor_daily", 5, "bioreactor", "viability.json", "table", "Viability",
    {"technique": "cell count", "method": "CHO default", "sample": "CHO-K1 fed batch"}, build_viability,
)  # fmt: skip
INFRARED = Series(
    "ftir-spectrum-two", "indene_ATR_lot", 3, "identity", "spectrum.json", "curve", "Infrared spectrum",
    {"technique": "FT-IR", "method": "ATR 2 cm-1", "sample": "indene"}, build_infrared,
)  # fmt: skip
BINDING = Series(
    "biacore-t200", "anti-HER2_kinetics_series", 2, "kinetics", "sensorgram.json", "curve", "Sensorgrams",
    {"technique": "SPR", "method": "CM5 one-to-one", "sample": "anti-HER2"}, build_sensorgram,
)  # fmt: skip
LIBRARIES = Series(
    "tapestation-4200", "D1000_library", 2, "library", "electropherogram.json", "curve", "Electropherogram",
    {"technique": "electrophoresis", "method": "D1000 ScreenTape", "sample": "library pool"}, build_electropherogram,
)  # fmt: skip
DIGESTS = Series(
    "q-exactive-hf", "HeLa_digest_qc", 2, "qc", "base-peaks.json", "curve", "Base peak chromatogram",
    {"technique": "LC-MS", "method": "DIA 60 min", "sample": "HeLa digest"}, build_base_peaks,
)  # fmt: skip
AMPLIFICATION = Series(
    "quantstudio-7-a", "knockdown_BRCA1_curves", 2, "knockdown", "amplification.json", "curve", "Amplification",
    {"technique": "qPCR", "method": "knockdown", "target": sorted(GENES)}, build_amplification,
)  # fmt: skip
SHIFT = Series(
    "quantstudio-7-a", "DSF_kinase-ligands", 1, "stability", "melting.json", "curve", "Thermal shift",
    {"technique": "thermal shift assay", "method": "SYPRO Orange 25-95", "sample": "kinase"}, build_melting,
)  # fmt: skip
STANDARDS = Series(
    "cary-60-uvvis-bench-3", "BSA_standards", 2, "standards", "spectra.json", "curve", "Absorption spectra",
    {"technique": "UV-Vis spectroscopy", "method": "protein A280", "sample": "BSA"}, build_absorption,
)  # fmt: skip
ALL_SERIES = (
    *(GROWTH, PREPS, EXCLUSION, CYCLES, VIABILITY),
    *(INFRARED, BINDING, LIBRARIES, DIGESTS, AMPLIFICATION, SHIFT, STANDARDS),
)


def make_series(lab: DemoLaboratory) -> None:
    """The oldest of each series first; the newest are of yesterday."""
    for place, series in enumerate(ALL_SERIES):
        for number in range(1, series.count + 1):
            hours = 24 + HOURS_BETWEEN * (series.count - number) + place
            _make_run(lab, series, number, began=lab.at - timedelta(hours=hours), who=place)


def _make_run(lab: DemoLaboratory, series: Series, number: int, *, began: datetime, who: int) -> None:
    instrument, document = lab.instruments[series.instrument_id], series.build(number)
    run = Run.objects.create(
        instrument=instrument,
        run_id=series.run_id(number),
        source=RunSource.WATCHER,
        watcher=instrument.watchers.first(),
        extracted={**series.facts, **read_density(document)},
        tags=[series.tag],
        acquired_at=began,
        created_at=began,
        updated_at=began,
    )
    file = add_file(run, RawFile(f"{run.run_id}.csv", data=export(document)), at=began)
    add_artefact(file, series.artefact, kind=series.kind, title=series.title, content=document, at=began)
    Claim.objects.create(run=run, user=lab.people[who % len(lab.people)], claimed_at=began)


def read_density(document: Json) -> Json:
    """What a plate of cultures grew to: its highest value that could be read."""
    values = [one["value"] for one in document.get("wells", {}).values() if one["value"] is not None]
    return {"od600": max(values)} if values else {}
