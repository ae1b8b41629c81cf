"""What the calculated values of an Allotrope document were calculated from, followed through identifiers."""

from collections.abc import Iterator

from processing.formats.table import Cell
from processing.processors.asm.document import MEASUREMENTS, Node, first_text, under
from processing.processors.asm.identifiers import owners
from processing.processors.asm.readings_of_wells import WellReading, place_of
from processing.processors.asm.rows import Row

MOST_STEPS = 20  # a value calculated from values calculated from values …


class Origins:
    """Follows a calculated value back to the measurement that it came from."""

    def __init__(self, aggregate: Node, identifiers: set[str]) -> None:
        self.measurements = list(under(aggregate, MEASUREMENTS))
        self.groups = {
            id(one): group
            for group in under(aggregate, "measurement aggregate document")
            for one in under(group, MEASUREMENTS)
        }
        self.owners = owners(self.measurements, identifiers)
        self.documents = list(under(aggregate, "calculated data document"))
        self.sources = {
            identifier: source_of(document)
            for document in self.documents
            if (identifier := first_text(document, "calculated data identifier"))
        }

    def measurement(self, identifier: str | None) -> Node | None:
        for _ in range(MOST_STEPS):
            if identifier is None:
                return None
            if identifier in self.owners:
                return self.measurements[self.owners[identifier]]
            identifier = self.sources.get(identifier)
        return None

    def row(self, identifier: str) -> Row:
        """Sample, well, plate and time of the measurement behind it."""
        measurement = self.measurement(identifier)
        if measurement is None:
            return {}
        sample = next(under(measurement, "sample document"), {})
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
        for document in self.documents:
            result = document.get("calculated result") or document.get("calculated datum") or {}
            places = {place_of(found) for source in sources_of(document) if (found := self.measurement(source))}
            place = places.pop() if len(places) == 1 else None
            if place is not None and isinstance(result.get("value"), int | float | None):
                name = str(document.get("calculated data name") or "calculated")
                yield WellReading(place, name, result.get("unit"), result.get("value"))


def sources_of(document: Node) -> list[str]:
    sources = under(document, "data source document")
    return [identifier for source in sources if (identifier := first_text(source, "data source identifier"))]


def source_of(document: Node) -> str | None:
    return next(iter(sources_of(document)), None)
