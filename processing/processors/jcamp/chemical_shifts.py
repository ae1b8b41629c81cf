"""NMR spectra that JCAMP-DX keeps in Hz, against ppm as people read them."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from processing.processors.jcamp.records import Block, parse_list, parse_number
from processing.processors.jcamp.traces import Trace


def shift_to_ppm(block: Block, trace: Trace) -> Trace:
    """The same trace; in ppm where it is an NMR spectrum in Hz of a known observe frequency and a usable reference."""
    frequency = block.number(".OBSERVEFREQUENCY")
    is_spectrum = "NMR SPECTRUM" in (block.text("DATATYPE") or "").upper()
    is_in_hertz = (trace.x_quantity.units or "").strip().upper() == "HZ"
    if not (is_spectrum and is_in_hertz and frequency and frequency > 0):
        return trace
    shifts = trace.x / frequency
    offset = find_offset(block, shifts)
    if offset is None:
        return trace
    return replace(trace, x=shifts + offset, x_quantity=replace(trace.x_quantity, units="PPM"))


def find_offset(block: Block, shifts: NDArray[np.float64]) -> float | None:
    """What is added to a shift that 0 Hz would make 0; None where the file names a reference at no point of its own.

    Bruker's offset of the first point, or the reference that the standard defines: a point from 1 on, and its shift.
    """
    first = block.number("$OFFSET")
    if first is not None:
        return first - float(shifts.max())
    reference = parse_list(block.text(".SHIFTREFERENCE"))
    if len(reference) != 4:
        return 0.0
    point, shift = parse_number(reference[2]), parse_number(reference[3])
    if point is None or shift is None or not 1 <= point <= len(shifts):
        return None
    return shift - float(shifts[int(point) - 1])
