"""Scans one after the other: ion curves, the most intense spectrum of each level, and a table of the scans."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.formats.table import MAX_ROWS, Cell, Column, Table
from processing.formats.trace_facts import round_fact
from processing.readings import Artefact, Unreadable

Floats = NDArray[np.float64]
MAX_SCANS = 200_000
LEAST_RISING, MOST_MOVED = 6, 2  # masses for each that goes back; scans with such
LEAST_LIKE = 2  # scans, beside one that lacks something
MZ_AXIS = Axis("m/z")


@dataclass(frozen=True)
class Scan:
    name: str
    level: int
    time: float | None
    mz: Floats
    intensities: Floats
    is_profile: bool = False  # measured all along the axis, not only where there are peaks
    precursor_mz: float | None = None
    charge: str | None = None
    total: float | None = None  # as stated; else the sum of the points


@dataclass
class ScanSummary:
    """Holds one spectrum of each level, whatever the number of scans."""

    time_unit: str = "min"
    intensity_unit: str | None = "counts"
    levels: Counter[int] = field(default_factory=Counter)
    curves: dict[str, list[float]] = field(default_factory=lambda: {"time": [], "total": [], "base_peak": []})
    best: dict[int, tuple[float, Scan]] = field(default_factory=dict)
    rows: list[list[Cell]] = field(default_factory=list)
    mz_range: tuple[float, float] | None = None
    points: int = 0
    bare: Counter[str] = field(default_factory=Counter)  # scans that lack what nearly all have
    unordered: list[str] = field(default_factory=list)  # scans whose masses go back, or are the same
    nearly_ordered: int = 0  # of these, whose other masses rise
    names: Counter[str] = field(default_factory=Counter)

    def add(self, scan: Scan) -> None:
        if len(scan.mz) != len(scan.intensities):
            raise Unreadable(f"Scan {scan.name} has {len(scan.mz):,} masses and {len(scan.intensities):,} intensities.")
        self.levels[scan.level] += 1
        if self.levels.total() > MAX_SCANS:
            raise Unreadable(f"It holds more than {MAX_SCANS:,} spectra.")
        self.names[scan.name] += 1
        backward = int((np.diff(scan.mz) <= 0).sum())
        if backward:
            self.unordered.append(scan.name)
            self.nearly_ordered += backward * LEAST_RISING <= len(scan.mz)
        highest = int(np.argmax(scan.intensities)) if len(scan.mz) else None
        total = float(scan.intensities.sum()) if scan.total is None else scan.total
        base_peak = 0.0 if highest is None else float(scan.intensities[highest])
        self.add_to_curves(scan, total=total, base_peak=base_peak)
        self.widen_range(scan)
        self.bare["time"] += scan.time is None
        self.bare["precursor"] += scan.level > 1 and scan.precursor_mz is None
        if highest is not None and (scan.level not in self.best or total > self.best[scan.level][0]):
            self.best[scan.level] = total, scan
        if len(self.rows) < MAX_ROWS:
            base_mz = None if highest is None else float(scan.mz[highest])
            described: list[Cell] = [scan.name, scan.level, scan.time, len(scan.mz), total, base_mz, base_peak]
            self.rows.append([*described, scan.precursor_mz, scan.charge])

    def add_to_curves(self, scan: Scan, *, total: float, base_peak: float) -> None:
        if scan.level == 1 and scan.time is not None:
            for key, value in (("time", scan.time), ("total", total), ("base_peak", base_peak)):
                self.curves[key].append(value)

    def widen_range(self, scan: Scan) -> None:
        self.points += len(scan.mz)
        if len(scan.mz):
            low, high = float(scan.mz.min()), float(scan.mz.max())
            known = self.mz_range or (low, high)
            self.mz_range = min(low, known[0]), max(high, known[1])

    def add_facts(self, facts: Facts) -> None:
        facts.add("spectra", self.levels.total())
        for level, count in sorted(self.levels.items()):
            facts.add("ms_level", level)
            facts.add(f"ms{level}_spectra", count)
        facts.add("mass_points", self.points)
        if self.mz_range:
            facts.add("mz_min", round_fact(self.mz_range[0]))
            facts.add("mz_max", round_fact(self.mz_range[1]))
        if self.curves["time"]:
            highest = int(np.argmax(self.curves["total"]))
            facts.add("time_first", round_fact(self.curves["time"][0]))
            facts.add("time_last", round_fact(self.curves["time"][-1]))
            facts.add("time_unit", self.time_unit)
            facts.add("tic_max", round_fact(self.curves["total"][highest]))
            facts.add("time_at_tic_max", round_fact(self.curves["time"][highest]))

    def list_doubts(self) -> list[str]:
        """Of the one scan that lacks what all others have."""
        fragments = sum(count for level, count in self.levels.items() if level > 1)
        others = {"time": self.levels.total() - 1, "precursor": fragments - 1}
        lacking = [what for what, count in self.bare.items() if count == 1 and others[what] >= LEAST_LIKE]
        said = [f"One scan has no {what}, and all others have: lines may be missing." for what in lacking]
        scans = self.levels.total()
        if len(self.unordered) == 1 < scans:
            said.append(f"The masses of scan {self.unordered[0][:40]} do not rise, as those of all others do.")
        elif 0 < len(self.unordered) == self.nearly_ordered <= MOST_MOVED:
            said.append("A few of its masses are out of order: lines may have changed places, or be damaged.")
        twice = [name for name, count in self.names.items() if count > 1]
        if len(twice) == 1 and scans > LEAST_LIKE:
            said.append(f"Scan {twice[0][:40]} stands in it twice: a piece may have been repeated.")
        return said

    def build_artefacts(self) -> list[Artefact]:
        artefacts = [self.draw_ion_curves()] if len(self.curves["time"]) > 1 else []
        artefacts += [self.draw_spectrum(level) for level in sorted(self.best)]
        return [*artefacts, self.list_scans()] if self.rows else artefacts

    def draw_ion_curves(self) -> Artefact:
        time = self.curves["time"]
        drawn = [
            Series("Total ion current", time, self.curves["total"]),
            Series("Base peak", time, self.curves["base_peak"]),
        ]
        axes = Axis("Retention time", self.time_unit), Axis("Intensity", self.intensity_unit)
        return Curve("Total ion current and base peak", *axes, drawn).artefact("ions.json")

    def draw_spectrum(self, level: int) -> Artefact:
        scan = self.best[level][1]
        drawn = [Series(scan.name, scan.mz, scan.intensities)]
        title = "Spectrum" if self.levels.total() == 1 else f"Most intense spectrum of MS level {level}"
        axis = Axis("Intensity", self.intensity_unit)
        curve = Curve(title, MZ_AXIS, axis, drawn, style="line" if scan.is_profile else "sticks")
        return curve.artefact(f"spectrum-ms{level}.json")

    def list_scans(self) -> Artefact:
        columns = [
            Column("Scan"),
            Column("MS level"),
            Column("Retention time", self.time_unit),
            Column("Points"),
            Column("Total ion current", self.intensity_unit),
            Column("Base peak m/z"),
            Column("Base peak intensity", self.intensity_unit),
            Column("Precursor m/z"),
            Column("Charge"),
        ]
        kept = [place for place in range(len(columns)) if any(row[place] is not None for row in self.rows)]
        rows = [[row[place] for place in kept] for row in self.rows]
        shown = [columns[place] for place in kept]
        return Table("Scans", shown, rows, total_rows=self.levels.total()).artefact("scans.json")


def summarise_scans(scans: Iterable[Scan], *, time_unit: str = "min", unit: str | None = "counts") -> ScanSummary:
    summary = ScanSummary(time_unit, unit)
    for scan in scans:
        summary.add(scan)
    return summary
