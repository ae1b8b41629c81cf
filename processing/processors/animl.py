"""AnIML (ASTM E13.15 draft 0.90): experiment steps with their method, and series of values."""

import base64
import binascii
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from typing import TypeAlias
from xml.etree.ElementTree import Element

import numpy as np
from defusedxml.ElementTree import ParseError, fromstring
from numpy.typing import NDArray

from processing.facts import Facts
from processing.formats.curve import Axis, Curve, Series
from processing.formats.table import Cell, Column, Table
from processing.formats.trace_facts import add_trace_facts
from processing.processors.mzml.arrays import local
from processing.readings import MAX_ARTEFACTS, Artefact, Input, Output, Unreadable

NUMBER_TAGS = {"I", "L", "F", "D"}
ENCODED_TYPES = {"Int32": "<i4", "Int64": "<i8", "Float32": "<f4", "Float64": "<f8"}
Values: TypeAlias = NDArray[np.float64] | list[str]
DEVICE_FACTS = {
    "Name": "instrument_model",
    "SerialNumber": "serial_number",
    "Manufacturer": "manufacturer",
    "FirmwareVersion": "firmware_version",
}


def read(given: Input) -> Output:
    try:
        root = fromstring(given.path.read_bytes(), forbid_dtd=True)
    except ParseError as error:
        raise Unreadable("The XML is damaged, or ends too early.") from error
    facts = Facts()
    artefacts = [
        artefact for number, found in enumerate(find(root, "SeriesSet"), 1) for artefact in draw(found, facts, number)
    ]
    times = sorted(find_times(root, zone=given.time_zone))
    describe(root, facts)
    facts.add_times(times)
    if not artefacts and not list(find(root, "ExperimentStep")):
        raise Unreadable("It holds no experiment.")
    return Output(
        run=facts.as_json(),
        file={"assumed_time_zone": str(given.time_zone)}
        if any(time.tzinfo is given.time_zone for time in times)
        else {},
        acquired_at=times[0].astimezone(UTC) if times else None,
        artefacts=artefacts[:MAX_ARTEFACTS],
        warnings=[said for found in find(root, "SeriesSet") if (said := explain_lone_axis(found))],
    )


def explain_lone_axis(series_set: Element) -> str:
    """A word where its only series is the axis of others."""
    held = [series for series in series_set if local(series) == "Series"]
    if len(held) != 1 or held[0].get("dependency") != "independent":
        return ""
    return f"“{series_set.get('name') or 'Values'}” has an axis, and nothing along it: a part may be missing."


def describe(root: Element, facts: Facts) -> None:
    facts.add("format", f"AnIML {root.get('version', '')}".strip())
    facts.add_all("technique", [step.get("name") for step in find(root, "Technique")])
    facts.add_all("experiment", [step.get("name") for step in find(root, "ExperimentStep")])
    for sample in find(root, "Sample"):
        facts.add("sample_id", sample.get("name") or sample.get("sampleID"))
    for author in find(root, "Author"):
        facts.add("analyst", text_of(author, "Name"))
    for device in find(root, "Device"):
        for tag, key in DEVICE_FACTS.items():
            facts.add(key, text_of(device, tag))
    for software in find(root, "Software"):
        facts.add("software", text_of(software, "Name"))
        facts.add("software_version", text_of(software, "Version"))


def find(root: Element, name: str) -> Iterator[Element]:
    return (element for element in root.iter() if local(element) == name)


def text_of(parent: Element, name: str) -> str | None:
    return next((element.text for element in parent if local(element) == name), None)


def draw(series_set: Element, facts: Facts, number: int) -> Iterator[Artefact]:
    """Numbers against the first independent series; and the table of all."""
    length = int(series_set.get("length") or 0)
    title = series_set.get("name") or "Values"
    found = [(series, values_of(series, length=length)) for series in series_set if local(series) == "Series"]
    x = next((pair for pair in found if pair[0].get("dependency") == "independent"), None)
    if x is not None and isinstance(x[1], np.ndarray):
        dependent = [pair for pair in found if pair is not x and isinstance(pair[1], np.ndarray)]
        for place, (series, values) in enumerate(dependent, start=1):
            y = np.asarray(values, dtype=np.float64)
            add_trace_facts(facts, x[1], y)
            drawn = [Series(series.get("name") or "Values", x[1], y)]
            yield Curve(title, axis_of(x[0]), axis_of(series), drawn).artefact(f"curve-{number}-{place}.json")
    columns = [Column(axis_of(series).label, axis_of(series).unit) for series, _ in found]
    cells: list[list[Cell]] = [[*values] if isinstance(values, list) else values.tolist() for _, values in found]
    if columns:
        yield Table(title, columns, [list(row) for row in zip(*cells, strict=True)]).artefact(f"table-{number}.json")


def axis_of(series: Element) -> Axis:
    unit = next((element.get("label") for element in series if local(element) == "Unit"), None)
    return Axis(series.get("name") or "Values", unit)


def values_of(series: Element, *, length: int) -> Values:
    """Exactly `length` of them, whichever way they are written."""
    name = series.get("name") or "Values"
    values = next((read_set(part, series, length) for part in series if local(part).endswith("ValueSet")), None)
    if values is None:
        raise Unreadable(f"The series {name} holds no values.")
    if len(values) != length:
        raise Unreadable(f"The series {name} announces {length:,} values and holds {len(values):,}.")
    return values


def read_set(part: Element, series: Element, length: int) -> Values:
    try:
        if local(part) == "AutoIncrementedValueSet":
            start, step = (float(first_value(part, tag)) for tag in ("StartValue", "Increment"))
            return np.asarray(start + step * np.arange(length), dtype=np.float64)
        if local(part) == "EncodedValueSet":
            content = base64.b64decode("".join((part.text or "").split()), validate=True)
            return np.frombuffer(content, ENCODED_TYPES[series.get("seriesType", "")]).astype(np.float64)
        if all(local(value) in NUMBER_TAGS for value in part):
            return np.array([float(value.text or "nan") for value in part], dtype=np.float64)
        return [(value.text or "").strip() for value in part]
    except (ValueError, KeyError, binascii.Error) as error:
        raise Unreadable(f"The values of {series.get('name')} are damaged.") from error


def first_value(part: Element, tag: str) -> str:
    return next((value.text or "" for holder in part if local(holder) == tag for value in holder), "")


def find_times(root: Element, *, zone: tzinfo) -> Iterator[datetime]:
    for stated in (*find(root, "DateTime"), *find(root, "Timestamp")):
        try:
            time = datetime.fromisoformat((stated.text or "").strip())
        except ValueError:
            continue
        yield time if time.tzinfo else time.replace(tzinfo=zone)
