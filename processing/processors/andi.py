"""ANDI (ASTM E1947, E2077): chromatograms and mass spectrometry in NetCDF, as the AIA defined them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray
from scipy.io import netcdf_file

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Mark, Series
from processing.formats.table import Cell, Column, Table
from processing.formats.trace_facts import add_trace_facts, round_fact
from processing.processors import netcdf4
from processing.processors.mass_spectrometry.scans import Scan, summarise_scans
from processing.processors.netcdf_variables import read_variables
from processing.readings import Artefact, Input, Output, Unreadable, Unrecognised

Floats = NDArray[np.float64]
FACT_ATTRIBUTES = {
    "experiment_title": ("experiment_title",),
    "sample_id": ("sample_id", "sample_name"),
    "sample_name": ("sample_name",),
    "analyst": ("operator_name",),
    "method": ("detection_method_name", "external_file_ref_0"),
    "detector": ("detector_name",),
    "detector_unit": ("detector_unit",),
    "retention_unit": ("retention_unit",),
    "dataset_origin": ("dataset_origin",),
    "experiment_type": ("experiment_type",),
    "ionization_mode": ("test_ionization_mode",),
    "polarity": ("test_ionization_polarity",),
}
INSTRUMENT_VARIABLES = {
    "instrument_model": ("instrument_model", "instrument_name"),
    "serial_number": ("instrument_serial_no",),
    "manufacturer": ("instrument_mfr",),
    "software_version": ("instrument_app_version", "instrument_sw_version"),
}
TIME_ATTRIBUTES = ("injection_date_time_stamp", "experiment_date_time_stamp", "netcdf_file_date_time_stamp")
TIME_FORMATS = ("%Y%m%d%H%M%S%z", "%Y%m%d%H%M%S")
PEAK_COLUMNS = {
    "peak_name": "Peak",
    "peak_retention_time": "Retention time",
    "peak_start_time": "Start",
    "peak_end_time": "End",
    "peak_area": "Area",
    "peak_area_percent": "Area share",
    "peak_height": "Height",
    "peak_width": "Width",
    "peak_asymmetry": "Asymmetry",
    "peak_amount": "Amount",
}
TIME_COLUMNS = {"peak_retention_time", "peak_start_time", "peak_end_time", "peak_width"}
MARKED = ("retention_time", "area", "start_time", "end_time")
HELD = {"ordinate_values", "scan_acquisition_time"}  # by chromatography, and by mass spectrometry
ANDI_ATTRIBUTES = {"aia_template_revision", "ms_template_revision", "dataset_completeness"}
UNITS_OF_TIME = {"seconds": "s", "sec": "s", "s": "s", "minutes": "min", "min": "min"}


def read(given: Input) -> Output:
    if netcdf4.is_hdf5(given.path):
        with h5py.File(given.path, "r", locking=False) as file:
            return read_hdf5(file, given)
    with MeasuredFile(given.path, "r", mmap=False) as dataset:
        return replace(read_dataset(dataset, given), warnings=list_doubts(dataset, size=given.path.stat().st_size))


def read_hdf5(file: h5py.File, given: Input) -> Output:
    """ANDI that newer programs, or a conversion, wrote as NetCDF-4."""
    return read_dataset(netcdf4.Dataset(file), given)


def read_dataset(dataset: Any, given: Input) -> Output:
    if not HELD & dataset.variables.keys():
        if ANDI_ATTRIBUTES & dataset._attributes.keys():
            raise Unrecognised("It is NetCDF, but neither ANDI chromatography nor ANDI mass spectrometry.")
        return read_variables(dataset)
    facts = describe_run(dataset)
    started_at = find_start(dataset, zone=given.time_zone)
    if "ordinate_values" in dataset.variables:
        artefacts = read_chromatogram(dataset, facts)
    else:
        artefacts = read_scans(dataset, facts)
    facts.add_times([started_at] if started_at else [])
    is_assumed = started_at is not None and started_at.tzinfo is given.time_zone
    return Output(
        run=facts.as_json(),
        file={"assumed_time_zone": str(given.time_zone)} if is_assumed else {},
        acquired_at=started_at.astimezone(UTC) if started_at else None,
        artefacts=artefacts,
    )


class MeasuredFile(netcdf_file):
    """One that knows where its numbers end; records lie behind all else."""

    def __init__(self, *given: Any, **options: Any) -> None:
        self.__dict__ |= {"ends": [0], "starts_of_records": []}
        super().__init__(*given, **options)

    def _read_var(self) -> tuple[Any, ...]:
        found: tuple[Any, ...] = super()._read_var()
        shape, begin, length = found[2], found[-2], found[-1]
        if shape and shape[0] is None:
            self.starts_of_records.append(begin)
        else:
            self.ends.append(begin + length)
        return found

    @property
    def end(self) -> int:
        records = [min(self.starts_of_records) + self._recs * self._recsize] if self.starts_of_records else []
        return max(*self.ends, *records, 0)


def list_doubts(dataset: MeasuredFile, *, size: int) -> list[str]:
    """Of a file that goes on behind its numbers."""
    surplus = size - dataset.end
    return [f"{surplus:,} bytes stand behind its last numbers: a piece may stand in it twice."] if surplus > 3 else []


def describe_run(dataset: Any) -> Facts:
    facts = Facts()
    for key, names in FACT_ATTRIBUTES.items():
        facts.add(key, next(filter(None, (text_of(dataset, name) for name in names)), None))
    for key, names in INSTRUMENT_VARIABLES.items():
        facts.add(key, next(filter(None, (first_text(dataset, name) for name in names)), None))
    return facts


def read_chromatogram(dataset: Any, facts: Facts) -> list[Artefact]:
    signal = numbers_of(dataset, "ordinate_values")
    times = times_of_points(dataset, count=len(signal))
    unit = text_of(dataset, "retention_unit")
    time_unit = UNITS_OF_TIME.get(unit.lower(), unit) or "s"
    detector = text_of(dataset, "detector_name") or "Detector"
    facts.add("technique", text_of(dataset, "separation_experiment_type") or "chromatography")
    facts.add("format", "ANDI chromatography (NetCDF)")
    facts.add("run_time", round_fact(float(numbers_of(dataset, "actual_run_time_length").sum())) or None)
    facts.add("sampling_interval", round_fact(float(numbers_of(dataset, "actual_sampling_interval").sum())) or None)
    add_trace_facts(facts, times, signal)
    axes = Axis("Retention time", time_unit), Axis("Signal", text_of(dataset, "detector_unit") or None)
    curve = Curve("Chromatogram", *axes, [Series(detector, times, signal)], marks=list_marks(dataset))
    return [curve.artefact("chromatogram.json"), *list_peaks(dataset, facts, time_unit=time_unit)]


def times_of_points(dataset: Any, *, count: int) -> Floats:
    """Evenly spaced behind the delay, unless each point has a time of its own."""
    stated = numbers_of(dataset, "raw_data_retention")
    if len(stated) == count:
        return stated
    delay, interval = (numbers_of(dataset, name) for name in ("actual_delay_time", "actual_sampling_interval"))
    if not len(interval) or not interval[0] > 0:
        raise Unreadable("It does not say how much time lies between two points.")
    return np.asarray((delay[0] if len(delay) else 0.0) + interval[0] * np.arange(count), dtype=np.float64)


def list_peaks(dataset: Any, facts: Facts, *, time_unit: str) -> list[Artefact]:
    areas = numbers_of(dataset, "peak_area")
    facts.add("peaks", len(areas) or None)
    names = [name for name in PEAK_COLUMNS if name in dataset.variables]
    columns = [
        Column(PEAK_COLUMNS[name], time_unit if name in TIME_COLUMNS else "%" if name.endswith("percent") else None)
        for name in names
    ]
    cells = [list(cells_of(dataset, name)) for name in names]
    rows = [list(row) for row in zip(*cells, strict=False)]
    return [Table("Peaks", columns, rows).artefact("peaks.json")] if rows else []


def list_marks(dataset: Any) -> list[Mark]:
    """The peaks as the picture names them."""
    times, areas, starts, ends = (numbers_of(dataset, f"peak_{name}") for name in MARKED)
    names = list(cells_of(dataset, "peak_name")) if "peak_name" in dataset.variables else []
    marks = []
    for number, time in enumerate(times.tolist()):
        name = str(names[number] or "") if number < len(names) else ""
        bounds = (float(starts[number]), float(ends[number])) if number < min(len(starts), len(ends)) else None
        area = float(areas[number]) if number < len(areas) else None
        marks.append(Mark(name or f"Peak {number + 1}", x=time, bounds=bounds, area=area))
    return [
        mark for mark in marks if all(np.isfinite(value) for value in (mark.x, *(mark.bounds or ()), mark.area or 0))
    ]


def cells_of(dataset: Any, name: str) -> Iterator[Cell]:
    if name == "peak_name":
        yield from (decode(row.tobytes()) for row in dataset.variables[name].data)
    else:
        yield from numbers_of(dataset, name).tolist()


def read_scans(dataset: Any, facts: Facts) -> list[Artefact]:
    facts.add("technique", "mass spectrometry")
    facts.add("format", "ANDI mass spectrometry (NetCDF)")
    summary = summarise_scans(iterate_scans(dataset), time_unit="s")
    summary.add_facts(facts)
    return summary.build_artefacts()


def iterate_scans(dataset: Any) -> Iterator[Scan]:
    times, totals = (numbers_of(dataset, name) for name in ("scan_acquisition_time", "total_intensity"))
    starts, counts = (numbers_of(dataset, name).astype(int) for name in ("scan_index", "point_count"))
    masses, intensities = (numbers_of(dataset, name) for name in ("mass_values", "intensity_values"))
    if not len(times) == len(totals) == len(starts) == len(counts) or len(masses) != len(intensities):
        raise Unreadable("Its scans, their times and their points do not agree in number.")
    for place, (time, total, start, count) in enumerate(zip(times, totals, starts, counts, strict=True), start=1):
        if start < 0 or count < 0 or start + count > len(masses):
            raise Unreadable(f"Scan {place} has points that are not in the file.")
        points = slice(start, start + count)
        yield Scan(str(place), 1, float(time), masses[points], intensities[points], total=float(total))


def numbers_of(dataset: Any, name: str) -> Floats:
    """All numbers of a variable in a row, scaled as it says; none where there is no such variable."""
    variable = dataset.variables.get(name)
    if variable is None:
        return np.array([], dtype=np.float64)
    numbers = np.asarray(variable.data, dtype=np.float64).reshape(-1)
    factor, offset = (variable._attributes.get(key, usual) for key, usual in (("scale_factor", 1), ("add_offset", 0)))
    return np.asarray(numbers * float(factor) + float(offset), dtype=np.float64)


def text_of(dataset: Any, name: str) -> str:
    return decode(dataset._attributes.get(name, b""))


def first_text(dataset: Any, name: str) -> str:
    variable = dataset.variables.get(name)
    return decode(np.atleast_1d(variable.data)[0].tobytes()) if variable is not None and variable.data.size else ""


def decode(value: Any) -> str:
    text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    return text.partition("\0")[0].strip()


def find_start(dataset: Any, *, zone: tzinfo) -> datetime | None:
    for name in TIME_ATTRIBUTES:
        for form in TIME_FORMATS:
            try:
                time = datetime.strptime(text_of(dataset, name), form)
            except ValueError:
                continue
            return time if time.tzinfo else time.replace(tzinfo=zone)
    return None
