"""The numbers of an Allotrope document, well by well: endpoints, points of curves, calculated values."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from processing.formats.plate import Well
from processing.processors.asm.curves import traces_of_cube
from processing.processors.asm.document import (
    MEASUREMENT_KEY,
    Node,
    is_cube,
    is_quantity,
    nodes_under,
    values_under,
    walk_nodes,
)
from processing.processors.asm.rows import SETTINGS_KEY

EXCLUDED_QUANTITIES = {"compartment temperature", "plate well count", "well volume"}
EXCLUDED_DOCUMENTS = (
    SETTINGS_KEY,
    "custom information document",
    "data processing document",
    "error aggregate document",
)
MAX_STEPS = 200  # of one curve


@dataclass(frozen=True)
class Step:
    """What tells one number of a well from another: a wavelength, a time, a target."""

    label: str
    unit: str | None
    value: float | str


@dataclass(frozen=True)
class WellPlace:
    plate: str
    well: Well
    sample: str | None


@dataclass(frozen=True)
class WellReading:
    place: WellPlace
    quantity: str
    unit: str | None
    value: float | None
    note: str | None = None  # why there is no number
    steps: tuple[Step, ...] = ()  # by preference
    series: int = 0  # of several curves of one kind in a well


def place_of(measurement: Node) -> WellPlace | None:
    """Where it was measured; None when that is no well."""
    sample = next(nodes_under(measurement, "sample document"), {})
    stated = (str(sample.get(key, "")) for key in ("well location identifier", "location identifier"))
    well = next((well for text in stated if (well := Well.parse(text))), None)
    if well is None:
        return None
    name = sample.get("sample identifier")
    return WellPlace(str(sample.get("well plate identifier") or ""), well, str(name) if name else None)


def list_well_readings(aggregate: Node) -> Iterator[WellReading]:
    curves: Counter[tuple[WellPlace, str]] = Counter()
    for measurement in nodes_under(aggregate, MEASUREMENT_KEY):
        place = place_of(measurement)
        if place is None:
            continue
        yield from list_endpoints(measurement, place)
        for key, node in walk_nodes(measurement):
            if is_cube(node):
                yield from list_curve_points(key, node, place, series=curves[place, key])
                curves[place, key] += 1


def list_endpoints(measurement: Node, place: WellPlace) -> Iterator[WellReading]:
    errors = list(nodes_under(measurement, "error document"))
    notes = {str(error.get("error feature", "")).lower(): str(error.get("error")) for error in errors}
    steps = tuple(settings_of(measurement))
    for key, quantity in list_results(measurement):
        note = notes.get(key.lower()) or (next(iter(notes.values())) if len(notes) == 1 else None)
        value = quantity["value"]
        yield WellReading(place, key, quantity.get("unit"), value, None if value is not None else note, steps)


def settings_of(measurement: Node) -> Iterator[Step]:
    """What a plate is read several times for."""
    for setting in nodes_under(measurement, "detector wavelength setting"):
        if isinstance(setting.get("value"), int | float):
            yield Step("Wavelength", setting.get("unit"), float(setting["value"]))
            break
    for target in values_under(measurement, "target DNA description"):
        yield Step("Target", None, str(target))
        break


def list_results(node: Node) -> Iterator[tuple[str, Node]]:
    """Quantities of the measurement itself: no settings, no lists of peaks, nothing of the chamber."""
    for key, value in node.items():
        if key in EXCLUDED_DOCUMENTS or key in EXCLUDED_QUANTITIES:
            continue
        inner = value[0] if isinstance(value, list) and len(value) == 1 else value
        if is_quantity(inner):
            if isinstance(inner["value"], int | float | None):
                yield key, inner
        elif isinstance(inner, dict) and not is_cube(inner):
            yield from list_results(inner)


def list_curve_points(key: str, cube: Node, place: WellPlace, *, series: int) -> Iterator[WellReading]:
    """The points of a curve, thinned evenly: a slider of more steps helps nobody."""
    for trace in traces_of_cube(cube, tags=(key,)):
        every = -(-len(trace.xs) // MAX_STEPS)
        for x, y in list(zip(trace.xs, trace.ys, strict=True))[:: max(1, every)]:
            if x is not None:
                step = Step(trace.x.label, trace.x.unit, float(x))
                quantity = trace.y.label[:1].lower() + trace.y.label[1:]
                yield WellReading(place, quantity, trace.y.unit, y, steps=(step,), series=series + 1)
