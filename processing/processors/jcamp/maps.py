"""Two-dimensional NMR in JCAMP-DX: pages of one spectrum (NTUPLES), each at a shift of the other axis."""

import re

import numpy as np

from processing.processors.jcamp.records import Block, parse_number
from processing.processors.jcamp.traces import Trace, quantity_of
from processing.processors.nmr.experiment import Experiment, Spectrum, draw_contours
from processing.readings import Artefact

MIN_PAGES = 4  # fewer are drawn as lines
PAGE = re.compile(r"\s*(\w+)\s*=\s*([^\s,]+)")


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
    facts = {"two_dimensional": True, "rows": heights.shape[0], "columns": heights.shape[1]}
    spectrum = Spectrum((np.array(known), traces[0].x), heights)
    return Experiment(traces[0].title or "2D NMR", {**facts, "z_max": float(heights.max())}, spectrum=spectrum)


def find_row(block: Block, trace: Trace) -> float | None:
    """The shift of a page, in ppm; from Hz by the frequency of observation."""
    found = PAGE.match(trace.page or "")
    shift = parse_number(found[2]) if found else None
    table = next((table for table in block.tables if table.page == trace.page), None)
    if found is None or shift is None or table is None:
        return None
    unit = (quantity_of(block, table, found[1]).units or "").upper()
    frequency = block.number(".OBSERVEFREQUENCY")
    if unit == "HZ":
        return shift / frequency if frequency else None
    return shift if unit == "PPM" else None


def draw_maps(maps: list[Experiment]) -> list[Artefact]:
    """The contours of each; a plane without any height has none."""
    made = []
    for number, experiment in enumerate(maps, start=1):
        if experiment.spectrum is not None and experiment.spectrum.intensities.max() > 0:
            curve = draw_contours(experiment.spectrum, title=experiment.name)
            made.append(curve.artefact("contours.json" if number == 1 else f"contours-{number}.json"))
    return made
