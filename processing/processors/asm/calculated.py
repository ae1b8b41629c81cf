"""What the calculated values of an Allotrope document were calculated from, followed through identifiers."""

from collections.abc import Iterator
from typing import Any

from processing.formats.table import Cell
from processing.processors.asm.document import MEASUREMENT_KEY, Node, first_text, nodes_under
from processing.processors.asm.identifiers import map_owners
from processing.processors.asm.rows import Row
from processing.processors.asm.well_readings import WellPlace, WellReading, place_of

MAX_STEPS = 20  # a value calculated from values calculated from values …


class Origins:
    """Follows a calculated value back to the measurement that it came from."""

    def __init__(self, aggregate: Node, identifiers: set[str]) -> None:
        self.measurements = list(nodes_under(aggregate, MEASUREMENT_KEY))
        self.groups = {
            id(one): group
            for group in nodes_under(aggregate, "measurement aggregate document")
            for one in nodes_under(group, MEASUREMENT_KEY)
        }
        self.owners = map_owners(self.measurements, identifiers)
        self.documents = list(nodes_under(aggregate, "calculated data document"))
        self.sources = {
            identifier: source_of(document)
            for document in self.documents
            if (identifier := first_text(document, "calculated data identifier"))
        }

    def find_measurement(self, identifier: str | None) -> Node | None:
        for _ in range(MAX_STEPS):
            if identifier is None:
                return None
            if identifier in self.owners:
                return self.measurements[self.owners[identifier]]
            identifier = self.sources.get(identifier)
        return None

    def build_row(self, identifier: str) -> Row:
        """Sample, well, plate and time of the measurement behind it."""
        measurement = self.find_measurement(identifier)
        if measurement is None:
            return {}
        sample = next(nodes_under(measurement, "sample document"), {})
        group = self.groups.get(id(measurement), {})
        stated: dict[str, Cell] = {
            "Sample": first_text(sample, "sample identifier"),
            "Well": first_text(sample, "well location identifier", "location identifier"),
            "Plate": first_text(sample, "well plate identifier"),
            "Time": first_text(measurement, "measurement time") or first_text(group, "measurement time"),
        }
        return {(name, None): value for name, value in stated.items() if value is not None}

    def well_readings(self) -> Iterator[WellReading]:
        """Calculated values of single wells: those that come from one measurement, or from several of one well."""
        for document, place in self.find_places():
            result = result_of(document)
            if place is not None and isinstance(result.get("value"), int | float | None):
                yield WellReading(place, name_of(document), result.get("unit"), result.get("value"))

    def list_results(self) -> Iterator[tuple[str, Any, WellPlace | None]]:
        """The name of each calculated value, the value, and its well where it is of one."""
        for document, place in self.find_places():
            yield name_of(document), result_of(document).get("value"), place

    def find_places(self) -> Iterator[tuple[Node, WellPlace | None]]:
        for document in self.documents:
            places = {place_of(found) for source in sources_of(document) if (found := self.find_measurement(source))}
            yield document, places.pop() if len(places) == 1 else None


def name_of(document: Node) -> str:
    return str(document.get("calculated data name") or "calculated")


def result_of(document: Node) -> Node:
    return document.get("calculated result") or document.get("calculated datum") or {}


def sources_of(document: Node) -> list[str]:
    sources = nodes_under(document, "data source document")
    return [identifier for source in sources if (identifier := first_text(source, "data source identifier"))]


def source_of(document: Node) -> str | None:
    return next(iter(sources_of(document)), None)
