"""Two-dimensional NMR in JCAMP-DX: pages of one spectrum (NTUPLES), each at a shift of the other axis."""

import re

import numpy as np

from processing.facts import Fact
from processing.formats.trace_facts import round_fact
from processing.processors.jcamp.records import Block, parse_list, parse_number
from processing.processors.jcamp.traces import Trace, quantity_of
from processing.processors.nmr.experiment import Experiment, Spectrum, draw_contours
from processing.readings import Artefact

MIN_PAGES = 4  # fewer are drawn as lines
PAGE = re.compile(r"\s*(\w+)\s*=\s*([^\s,]+)")
FREQUENCY_RATIOS = {  # to protons, in %: IUPAC recommendations of 2001 (Harris et al., table 1)
    "1H": 100.0,
    "2H": 15.350609,
    "7LI": 38.863797,
    "11B": 32.083974,
    "13C": 25.145020,
    "15N": 10.136767,
    "17O": 13.556457,
    "19F": 94.094011,
    "23NA": 26.451900,
    "27AL": 26.056859,
    "29SI": 19.867187,
    "31P": 40.480742,
    "77SE": 19.071513,
    "119SN": 37.290632,
    "195PT": 21.496784,
}


def build_map(block: Block, traces: list[Trace]) -> Experiment | None:
    """The plane that the pages of an NMR spectrum make; None where they make none: a time signal, or one axis."""
    is_nmr = "NMR SPECTRUM" in (block.text("DATATYPE") or "").upper()
    width = len(traces[0].x) if traces else 0
    if not is_nmr or len(traces) < MIN_PAGES or width < MIN_PAGES or any(len(trace.x) != width for trace in traces):
        return None
    rows = [find_row(block, trace) for trace in traces]
    known = [row for row in rows if row is not None]
    in_ppm = (traces[0].x_quantity.units or "").upper() == "PPM"
    if not in_ppm or len(set(known)) < len(traces):
        return None
    heights = np.nan_to_num(np.stack([trace.y for trace in traces]))
    facts: dict[str, Fact | None] = {"two_dimensional": True, "rows": heights.shape[0], "columns": heights.shape[1]}
    facts |= {"z_min": float(heights.min()), "z_max": float(heights.max())}
    for name, shifts in (("f1", known), ("f2", traces[0].x)):
        facts |= {f"{name}_ppm_min": round_fact(float(min(shifts))), f"{name}_ppm_max": round_fact(float(max(shifts)))}
    spectrum = Spectrum((np.array(known), traces[0].x), heights)
    return Experiment(traces[0].title or "2D NMR", facts, spectrum=spectrum)


def find_row(block: Block, trace: Trace) -> float | None:
    """The shift of a page, in ppm; from Hz by the frequency at which its own nucleus resonates."""
    found = PAGE.match(trace.page or "")
    shift = parse_number(found[2]) if found else None
    table = next((table for table in block.tables if table.page == trace.page), None)
    if found is None or shift is None or table is None:
        return None
    unit = (quantity_of(block, table, found[1]).units or "").upper()
    frequency = block.number(".OBSERVEFREQUENCY")
    if unit == "HZ":
        return shift / (frequency * find_ratio(block, found[1])) if frequency else None
    return shift if unit == "PPM" else None


def find_ratio(block: Block, symbol: str) -> float:
    """How many times the frequency of observation the nucleus of this axis has; 1 where the file does not say it."""
    symbols = [name.upper() for name in parse_list(block.text("SYMBOL"))]
    nuclei = dict(zip(symbols, parse_list(block.text(".NUCLEUS")), strict=False))
    of_axis, observed = (
        FREQUENCY_RATIOS.get((name or "").strip("^<> ").upper())
        for name in (nuclei.get(symbol.upper()), block.text(".OBSERVENUCLEUS"))
    )
    return of_axis / observed if of_axis and observed else 1.0


def draw_maps(maps: list[Experiment]) -> list[Artefact]:
    """The contours of each; a plane without any height has none."""
    made = []
    for number, experiment in enumerate(maps, start=1):
        if experiment.spectrum is None or experiment.spectrum.intensities.max() <= 0:
            continue
        curve = draw_contours(experiment.spectrum, title=experiment.name)
        if curve.series:
            made.append(curve.artefact("contours.json" if number == 1 else f"contours-{number}.json"))
    return made
