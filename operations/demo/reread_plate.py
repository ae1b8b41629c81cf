"""A plate that was read twice, with a spectrum of one well: what the first lines of docs/scripts.md ask for."""

import math
import random
from datetime import timedelta

from operations.demo.drawings import PLATE_ROWS, Json
from operations.demo.runs import DemoLaboratory
from operations.demo.store import RawFile, add_artefact, add_file
from runs.models import Claim, Run, RunSource

PLATE_ID = "P7"
NAMES = ("IL6_ELISA_P7_first-read", "IL6_ELISA_P7_second-read")
HOURS_AGO = (53, 30)
FACTS = {"technique": "plate reader", "method": "IL6_sandwich_ELISA", "wavelength_nm": 450, "plate_format": 96}
NANOMETERS = range(400, 651, 2)


def make_reread_plate(lab: DemoLaboratory) -> None:
    neo = lab.instruments["synergy-neo2"]
    for number, (name, hours) in enumerate(zip(NAMES, HOURS_AGO, strict=True)):
        began = lab.at - timedelta(hours=hours)
        run = Run.objects.create(
            instrument=neo,
            run_id=name,
            source=RunSource.WATCHER,
            watcher=neo.watchers.first(),
            extracted={**FACTS, "plate_id": PLATE_ID, "sample": "IL6 cohort B"},
            tags=["elisa"],
            acquired_at=began,
            created_at=began,
            updated_at=began,
        )
        plate, spectrum = build_plate(number), build_spectrum(number)
        file = add_file(run, RawFile("raw.csv", data=export(plate, spectrum)), at=began)
        for document, kind in ((plate, "plate"), (spectrum, "curve")):
            named = "plate.json" if kind == "plate" else "spectrum.json"
            add_artefact(file, named, kind=kind, title=document["title"], content=document, at=began)
        Claim.objects.create(run=run, user=lab.people[1], claimed_at=began)


def build_plate(number: int) -> Json:
    """A dilution series of IL-6 along the columns; the dye fades between the two reads."""
    noise, faded = random.Random(f"elisa {number}"), 0.94**number
    wells = {
        f"{letter}{column}": {"value": round(faded * 2.6 / (1 + 0.45 * column) + noise.uniform(-0.02, 0.02), 4)}
        for letter in PLATE_ROWS
        for column in range(1, 13)
    }
    about = {"format": "ids-plate/1", "title": "IL-6, absorbance at 450 nm", "rows": 8, "columns": 12}
    return about | {"quantity": "Absorbance at 450 nm", "unit": "AU", "wells": wells}


def build_spectrum(number: int) -> Json:
    """Of well B3: the band of oxidised TMB."""
    noise, faded = random.Random(f"dye {number}"), 0.94**number
    values = [
        round(faded * 1.1 * math.exp(-(((at - 450) / 28) ** 2)) + noise.uniform(-0.004, 0.004), 4) for at in NANOMETERS
    ]
    return {
        "format": "ids-curve/1",
        "title": "Well B3, absorbance",
        "x": {"label": "Wavelength", "unit": "nm"},
        "y": {"label": "Absorbance", "unit": "AU"},
        "series": [{"label": "B3", "x": list(NANOMETERS), "y": values, "points": len(values)}],
        "downsampled": False,
    }


def export(plate: Json, spectrum: Json) -> bytes:
    """As the reader would write it."""
    trace = spectrum["series"][0]
    lines = ["Well,A450 (AU)", *(f"{well},{one['value']}" for well, one in plate["wells"].items()), ""]
    lines += ["Wavelength (nm),B3 (AU)", *(f"{x},{y}" for x, y in zip(trace["x"], trace["y"], strict=True)), ""]
    return "\r\n".join(lines).encode()
