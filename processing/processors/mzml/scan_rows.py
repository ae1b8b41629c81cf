"""The first scans of an mzML as rows of a table, as those of the other formats of mass spectrometry."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

import numpy as np

from processing.formats.table import MAX_ROWS, Cell, Column, Table
from processing.processors.mzml.arrays import INTENSITY, MZ, Encoded, number
from processing.processors.mzml.peaks import find_parameters
from processing.readings import Artefact

CHARGE = "MS:1000041"


@dataclass
class ScanRows:
    """Of as many scans as a table shows."""

    rows: list[list[Cell]] = field(default_factory=list)

    def add(
        self,
        element: Element,
        arrays: Mapping[str, Encoded],
        *,
        level: int,
        time: float | None,
        total: float,
        precursor: float | None,
    ) -> None:
        """The base peak is the highest point that is stored, whatever the file states of it."""
        if len(self.rows) == MAX_ROWS:
            return
        points, base_mz, base_peak = find_base_peak(arrays)
        charge = number(find_parameters(element, "selectedIon"), CHARGE)
        stated = None if charge is None else f"{charge:.0f}"
        named: list[Cell] = [element.get("id", ""), level or None, time, points, total]
        self.rows.append([*named, base_mz, base_peak, precursor, stated])

    def artefact(self, *, total: int, time_unit: str) -> Artefact:
        """Without columns of which nothing is known. The dataset `scans` has all of them."""
        columns = [
            Column("Scan"),
            Column("MS level"),
            Column("Retention time", time_unit),
            Column("Points"),
            Column("Total ion current", "counts"),
            Column("Base peak m/z"),
            Column("Base peak intensity", "counts"),
            Column("Precursor m/z"),
            Column("Charge"),
        ]
        kept = [place for place in range(len(columns)) if any(row[place] is not None for row in self.rows)]
        rows = [[row[place] for place in kept] for row in self.rows]
        made = Table("Scans", [columns[place] for place in kept], rows, total_rows=total).artefact("scans.json")
        return replace(made, datasets=())


def find_base_peak(arrays: Mapping[str, Encoded]) -> tuple[int, float | None, float | None]:
    """How many points there are, and the mass and the height of the highest."""
    if INTENSITY not in arrays:
        return 0, None, None
    heights = arrays[INTENSITY].decode()
    if not len(heights) or not np.isfinite(heights).any():
        return len(heights), None, None
    highest = int(np.nanargmax(heights))
    masses = arrays[MZ].decode() if MZ in arrays else np.array([])
    return len(heights), float(masses[highest]) if highest < len(masses) else None, float(heights[highest])
