"""Reads a growth logger's export: a head of `name: value` lines, an empty line, then well, minute and OD600 as CSV."""

import csv
from collections.abc import Iterable
from datetime import datetime, tzinfo

from processing.formats.curve import Axis, Curve, Series
from processing.formats.plate import Plate, Steps, Well, WellValue, shape_of
from processing.readings import Input, Output, Unreadable

Readings = dict[Well, dict[float, float | None]]  # OD600 by minute, well by well
OVERFLOW = "OVR"


def read(given: Input) -> Output:
    head, _, body = given.path.read_text(encoding="utf-8").partition("\n\n")
    stated = dict(line.split(": ", 1) for line in head.splitlines()[1:] if ": " in line)
    readings = readings_of(body.splitlines())
    if not readings:
        raise Unreadable("The log holds no readings.")  # shown to the person who looks at the file
    started = started_at(stated.get("started"), zone=given.time_zone)
    known = [value for by_minute in readings.values() for value in by_minute.values() if value is not None]
    missing = sum(value is None for by_minute in readings.values() for value in by_minute.values())
    return Output(
        run={
            "technique": "growth curve",
            "instrument_model": "Growth logger",
            "serial_number": stated.get("device"),
            "strain": stated.get("strain"),
            "well_count": len(readings),
            "greatest_od600": max(known, default=None),
            "duration_min": max(minute for by_minute in readings.values() for minute in by_minute),
            "measured_from": started.isoformat(),
        },
        acquired_at=started,
        artefacts=[curve(readings).artefact("curves.json"), plate(readings).artefact("plate.json")],
        warnings=[f"{missing} readings hold no number ({OVERFLOW})."] if missing else [],
    )


def readings_of(lines: Iterable[str]) -> Readings:
    readings: Readings = {}
    for row in csv.DictReader(lines):
        well = Well.parse(row["well"])
        if well is None:
            raise Unreadable(f"{row['well']!r} is no well.")
        value = None if row["od600"] == OVERFLOW else float(row["od600"])
        readings.setdefault(well, {})[float(row["minute"])] = value
    return readings


def started_at(stated: str | None, *, zone: tzinfo) -> datetime:
    """The logger knows no time zone: the instrument's setting does."""
    if stated is None:
        raise Unreadable("The log does not say when it began.")
    return datetime.fromisoformat(stated).replace(tzinfo=zone)


def curve(readings: Readings) -> Curve:
    series = [
        Series(str(well), list(by_minute), list(by_minute.values())) for well, by_minute in sorted(readings.items())
    ]
    return Curve("Growth", Axis("Time", "min"), Axis("OD600", "AU"), series)


def plate(readings: Readings) -> Plate:
    """With a slider through the minutes."""
    minutes = sorted({minute for by_minute in readings.values() for minute in by_minute})
    wells = {
        well: WellValue(by_minute.get(minutes[0]), values=[by_minute.get(minute) for minute in minutes])
        for well, by_minute in readings.items()
    }
    return Plate("OD600", shape_of(wells) or (8, 12), "OD600", "AU", wells, Steps("Time", "min", minutes))
