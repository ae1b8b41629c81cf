"""Thermal analysis (TGA, DSC, STA) in the text exports of its vendors: signals against temperature and time."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo

import numpy as np

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.formats.table import Column, Table
from processing.formats.trace_facts import round_fact
from processing.processors.thermal.text_exports import Measured, ThermalExport, list_signals, parse_export
from processing.readings import MAX_ARTEFACTS, Artefact, Input, Output
from processing.text_encoding import decode_text

FACTS = {
    "instrument_model": ("INSTRUMENT", "Instrument"),
    "serial_number": ("Serial Number", "InstSerial", "Instrument Serial Number"),
    "sample_id": ("Sample ID", "SAMPLE", "Sample"),
    "sample_mass_mg": ("Sample Weight", "SAMPLE MASS /mg", "Size"),
    "analyst": ("Operator ID", "OPERATOR", "Operator"),
    "laboratory": ("LABORATORY",),
    "method": ("Method", "RANGE"),
    "crucible": ("TYPE OF CRUCIBLE",),
    "software_version": ("Software Version",),
    "collected": ("Data Collected", "DATE/TIME"),
}
TEMPERATURE = re.compile(r"(?:sample temp|temp|ts$)", re.IGNORECASE)
TIME = re.compile(r"(?:time|t$)", re.IGNORECASE)
WEIGHT = re.compile(r"weight|mass|\btg\b|\[m?g\]", re.IGNORECASE)
HEAT = re.compile(r"heat|dsc|\[[mµu]?w", re.IGNORECASE)
NAMELESS = re.compile(r"(y )?value", re.IGNORECASE)  # then the title of the table says what it is
BESIDE = re.compile(r"baseline|calibration|uncorrected|flow rate|purge|gas|diagnostic|deriv", re.IGNORECASE)


def read(given: Input) -> Output:
    export = parse_export(decode_text(given.path.read_bytes()).text)
    measured_at = find_time(export, zone=given.time_zone)
    facts = describe(export)
    facts.add_times([measured_at] if measured_at else [])
    ranks = rank_signals(export)
    artefacts = [
        artefact
        for number, table in enumerate(export.tables, start=1)
        for artefact in draw(table, number=number, ranks=ranks)
    ]
    return Output(
        run=facts.as_json(),
        file={"assumed_time_zone": str(given.time_zone)} if measured_at else {},
        acquired_at=measured_at.astimezone(UTC) if measured_at else None,
        artefacts=artefacts[:MAX_ARTEFACTS],
        warnings=export.warnings,
    )


def describe(export: ThermalExport) -> Facts:
    facts = Facts()
    facts.add("technique", name_technique(export))
    facts.add("format", export.form)
    for key, words in FACTS.items():
        stated = next(filter(None, (export.described.get(word) for word in words)), None)
        facts.add(key, parse_mass(stated) if key == "sample_mass_mg" else stated)
    facts.add("curve_count", sum(len(list(list_signals(table))) for table in export.tables))
    for table in export.tables:
        facts.add("rows", len(table.rows))
        for name, low, high in ranges_of(table):
            facts.add(f"{name}_min", low)
            facts.add(f"{name}_max", high)
    return facts


def parse_mass(stated: str | None) -> float | None:
    """12.492 mg, or the number alone, which is in mg too."""
    found = re.match(r"(\d+(?:[.,]\d*)?)(?:\s*mg)?$", stated or "")
    return float(found[1].replace(",", ".")) if found else None


def ranges_of(table: Measured) -> Iterator[tuple[str, float | None, float | None]]:
    place = find_column(table, TEMPERATURE)
    if place is not None and table.rows:
        values = [row[place] for row in table.rows]
        yield "temperature", round_fact(min(values)), round_fact(max(values))


def name_technique(export: ThermalExport) -> str:
    """What the export calls it; else by what was measured: heat flow, weight, or both."""
    stated = " ".join([export.described.get("MTYPE", ""), export.described.get("Module", "")]).upper()
    names = " ".join(name for table in export.tables for name, _ in table.columns).lower()
    titles = " ".join(table.title for table in export.tables).lower()
    has_weight = "TG" in stated or "weight" in names + titles or "mass" in names
    has_heat = "DSC" in stated or "DTA" in stated or "heat" in names + titles or "dsc" in names
    if has_weight:
        return "STA" if has_heat else "TGA"
    return "DSC" if has_heat else "thermal analysis"


def rank_signals(export: ThermalExport) -> dict[tuple[int, int], int]:
    """By table (from 1) and column, the rank: first what the field looks at, the weight of TGA, the heat flow of DSC.

    Its baseline, its corrections and what only accompanied it come last.
    """
    wanted = [WEIGHT, HEAT] if "DSC" not in name_technique(export) else [HEAT, WEIGHT]
    found = [(number, place) for number, table in enumerate(export.tables, 1) for place in list_signals(table)]

    def rank(one: tuple[int, int]) -> int:
        table = export.tables[one[0] - 1]
        name, unit = table.columns[one[1]]
        said = f"{name} [{unit}] {table.title if NAMELESS.fullmatch(name) else ''}"
        if BESIDE.search(name):
            return len(wanted) + 1
        return next((at for at, pattern in enumerate(wanted) if pattern.search(said)), len(wanted))

    return {signal: number for number, signal in enumerate(sorted(found, key=rank), start=1)}


def draw(table: Measured, *, number: int, ranks: Mapping[tuple[int, int], int]) -> Iterator[Artefact]:
    """Each signal against temperature and against time, then the table. Names are in the order of the page."""
    suffix = "" if number == 1 else f"-{number}"
    values = np.array(table.rows, dtype=np.float64).reshape(-1, len(table.columns))
    for signal in list_signals(table):
        label, unit = table.columns[signal]
        for word, pattern in (("temperature", TEMPERATURE), ("time", TIME)):
            place = find_column(table, pattern)
            if place is not None:
                axes = Axis(*table.columns[place]), Axis(label, unit)
                series = [Series(table.title, values[:, place], values[:, signal])]
                title = f"{table.title}: {label} against {word}"
                rank = ranks[number, signal]
                yield Curve(title, *axes, series).artefact(f"curve-{rank}-{word}.json")
    columns = [Column(name, unit) for name, unit in table.columns]
    yield Table(table.title, columns, table.rows).artefact(f"table{suffix}.json")


def find_column(table: Measured, pattern: re.Pattern[str]) -> int | None:
    """Of several (program and sample temperature), the sample's."""
    places = [place for place, (name, _) in enumerate(table.columns) if pattern.match(name)]
    return min(places, key=lambda place: not table.columns[place][0].lower().startswith("sample"), default=None)


def find_time(export: ThermalExport, *, zone: tzinfo) -> datetime | None:
    """Dates with dots and ISO ones; of those with slashes only where no day could be a month."""
    described = export.described
    stated = described.get("Data Collected") or described.get("DATE/TIME") or ""
    if "Date" in described and "Time" in described:
        stated = f"{described['Date']} {described['Time']}"
    for form in ("%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M:%S"):
        try:
            return datetime.strptime(stated, form).replace(tzinfo=zone)
        except ValueError:
            continue
    found = re.match(r"(\d+)/(\d+)/(\d{4}) (\d+):(\d+):(\d+)$", stated)
    if found is None or (int(found[1]) <= 12 and int(found[2]) <= 12):
        return None
    first, second, year, *clock = map(int, found.groups())
    day, month = (first, second) if first > 12 else (second, first)
    try:
        return datetime(year, month, day, clock[0], clock[1], clock[2], tzinfo=zone)
    except ValueError:
        return None
