"""Run facts from an Allotrope document: what was measured, on what, when, with which settings."""

import ntpath
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from processing.facts import Facts
from processing.processors.asm.document import (
    MEASUREMENT_KEY,
    Node,
    first_text,
    is_cube,
    is_quantity,
    nodes_under,
    values_under,
    walk_nodes,
)
from processing.readings import MAX_VALUES_PER_FACT

DEVICE_KEYS = {
    "instrument_model": "model number",
    "serial_number": "equipment serial number",
    "manufacturer": "product manufacturer",
    "device_identifier": "device identifier",
}
SOFTWARE_KEYS = {"software": "software name", "software_version": "software version"}
PLAIN_KEYS = {
    "analyst": "analyst",
    "experiment_type": "experiment type",
    "detection_type": "detection type",
    "plate_id": "well plate identifier",
}
WAVELENGTH_KEYS = ("detector wavelength setting", "excitation wavelength setting", "emission wavelength setting")
TARGET_KEYS = ("target DNA description", "analyte name")
METHOD_KEY = "analytical method identifier"


def facts_of(technique: str, aggregate: Node, *, missing_results: int = 0) -> Facts:
    """The facts in the order in which people ask for them. Results that are words in the file are not counted."""
    facts = Facts()
    facts.add("technique", technique)
    for device in list_devices(aggregate):
        for key, source in DEVICE_KEYS.items():
            facts.add(key, text_of(device.get(source)))
    for system in nodes_under(aggregate, "data system document"):
        for key, source in SOFTWARE_KEYS.items():
            facts.add(key, text_of(system.get(source)))
    for key, source in PLAIN_KEYS.items():
        facts.add_all(key, map(str, values_under(aggregate, source)))
    facts.add_all("method", (last_part(str(path)) for path in values_under(aggregate, METHOD_KEY)))
    facts.add_all("wavelength_nm", list_wavelengths(aggregate))
    for source in TARGET_KEYS:
        facts.add_all("target", map(str, values_under(aggregate, source)))
    add_counts(facts, aggregate, missing_results=missing_results)
    facts.add_times(list_measurement_times(aggregate))
    return facts


def add_counts(facts: Facts, aggregate: Node, *, missing_results: int) -> None:
    measurements = list(nodes_under(aggregate, MEASUREMENT_KEY))
    samples = {str(value) for value in values_under(aggregate, "sample identifier")}
    if len(samples) <= MAX_VALUES_PER_FACT:
        facts.add_all("sample_id", samples)
    facts.add("sample_count", len(samples))
    facts.add("measurement_count", len(measurements))
    for key, count in (
        ("well_count", len(set(list_well_names(aggregate)))),
        ("plate_count", len({str(value) for value in values_under(aggregate, PLAIN_KEYS["plate_id"])})),
        ("curve_count", sum(is_cube(node) for _, node in walk_nodes(aggregate))),
        ("calculated_count", sum(1 for _ in nodes_under(aggregate, "calculated data document")) - missing_results),
        ("processed_data_count", sum(1 for _ in nodes_under(aggregate, "processed data document"))),
    ):
        facts.add(key, count or None)
    for stated in nodes_under(aggregate, "plate well count"):
        facts.add("plate_format", stated.get("value"))


def list_devices(aggregate: Node) -> Iterator[Node]:
    """The device system and its devices. Nothing deeper: a sensor chip has a manufacturer too."""
    for system in nodes_under(aggregate, "device system document"):
        yield system
        yield from nodes_under(system, "device document")


def list_well_names(aggregate: Node) -> Iterator[str]:
    """Every name that a well is given; a QuantStudio numbers its wells besides, and both are names.

    What stands in several wells is the place of a spot within each.
    """
    wells_of = defaultdict[str, set[str]](set)
    for _, node in walk_nodes(aggregate):
        well, place = (first_text(node, key) for key in ("well location identifier", "location identifier"))
        if well:
            yield well
        if place:
            wells_of[place].add(well or place)
    yield from (place for place, wells in wells_of.items() if len(wells) == 1)


def list_wavelengths(aggregate: Node) -> Iterator[float]:
    for key, node in walk_nodes(aggregate):
        if key in WAVELENGTH_KEYS and is_quantity(node) and node.get("unit") == "nm" and node["value"] is not None:
            yield float(node["value"])


def list_measurement_times(aggregate: Node) -> list[datetime]:
    """When it was measured; for chromatography, which does not say that, when it was injected."""
    for key in ("measurement time", "injection time"):
        found = [time for stated in values_under(aggregate, key) if (time := parse_zoned_time(str(stated)))]
        if found:
            return found
    return []


def parse_zoned_time(stated: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(stated)
    except ValueError:
        return None
    return time if time.tzinfo else None


def last_part(path: str) -> str:
    """Of a path of whatever system: the method, not the folder of somebody's drive."""
    return ntpath.basename(path.rstrip("\\/")) or path


def text_of(value: Any) -> str | None:
    return None if value is None or isinstance(value, dict | list) else str(value)
