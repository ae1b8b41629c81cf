"""Plate maps of an Allotrope document: every quantity that each well has one value of, or one series of values."""

from collections.abc import Iterable, Mapping, Sequence

from processing.formats.plate import Plate, Steps, Well, WellValue, shape_of, shape_with
from processing.processors.asm.document import Node, nodes_under, values_under
from processing.processors.asm.tables import slug_of
from processing.processors.asm.well_readings import Step, WellReading, list_well_readings
from processing.readings import Artefact

MAX_PLATES = 16
MAX_STEPS = 300
Shape = tuple[int, int]
Group = tuple[str, str, str | None, int]


def plates_of(aggregate: Node, calculated: Iterable[WellReading]) -> list[Artefact]:
    """Only for documents that speak of plates: elsewhere a location is no well."""
    counts = [count["value"] for count in nodes_under(aggregate, "plate well count") if count.get("value")]
    if not counts and not any(values_under(aggregate, "well plate identifier")):
        return []
    groups: dict[Group, list[WellReading]] = {}
    for reading in (*list_well_readings(aggregate), *calculated):
        groups.setdefault((reading.place.plate, reading.quantity, reading.unit, reading.series), []).append(reading)
    stated = shape_with(int(counts[0])) if counts else None
    several = len({plate for plate, *_ in groups}) > 1
    made: list[Artefact] = []
    if len(groups) > MAX_PLATES:  # those without any number give way
        groups = dict(sorted(groups.items(), key=lambda group: all(one.value is None for one in group[1])))
    for (plate, quantity, _, series), found in groups.items():
        title = ", ".join(filter(None, (plate if several else "", quantity, f"read {series}" if series > 1 else "")))
        drawn = build_plate(found, stated=stated, title=title)
        if drawn and len(made) < MAX_PLATES:
            made.append(drawn.artefact(f"plate-{len(made) + 1}-{slug_of(quantity)}.json"))
    return made


def build_plate(found: Sequence[WellReading], *, stated: Shape | None, title: str) -> Plate | None:
    """A map of one value a well; with steps, where wells have several."""
    wells: dict[Well, list[WellReading]] = {}
    for reading in found:
        wells.setdefault(reading.place.well, []).append(reading)
    shape = choose_shape(stated, wells)
    most = max(map(len, wells.values()))
    if shape is None or most > MAX_STEPS:
        return None
    if most == 1:
        single = {well: value_of(readings, []) for well, readings in wells.items()}
        return Plate(title, shape, found[0].quantity, found[0].unit, single)
    place = choose_step(wells)
    stepped = {well: index_by_step(readings, place) for well, readings in wells.items()}
    steps = sort_steps({step for known in stepped.values() for step in known})
    if len(steps) > MAX_STEPS:
        return None
    filled = {
        well: value_of(wells[well], [known[step].value if step in known else None for step in steps])
        for well, known in stepped.items()
    }
    slider = Steps(steps[0].label, steps[0].unit, [step.value for step in steps])
    return Plate(title, shape, found[0].quantity, found[0].unit, filled, slider)


def value_of(readings: Sequence[WellReading], numbers: Sequence[float | None]) -> WellValue:
    note = next((reading.note for reading in readings if reading.note), None)
    value = numbers[0] if numbers else readings[0].value
    return WellValue(value, readings[0].place.sample, note, numbers)


def choose_step(wells: Mapping[Well, Sequence[WellReading]]) -> int | None:
    """Which of the settings tells the readings of every well apart; None: only their order does."""
    most = min(len(reading.steps) for readings in wells.values() for reading in readings)
    for place in range(most):
        if all(len({reading.steps[place] for reading in readings}) == len(readings) for readings in wells.values()):
            return place
    return None


def index_by_step(readings: Sequence[WellReading], place: int | None) -> dict[Step, WellReading]:
    if place is None:
        return {Step("Read", None, float(number)): reading for number, reading in enumerate(readings, start=1)}
    return {reading.steps[place]: reading for reading in readings}


def sort_steps(steps: Iterable[Step]) -> list[Step]:
    return sorted(steps, key=lambda step: (isinstance(step.value, str), step.value))


def choose_shape(stated: Shape | None, wells: Iterable[Well]) -> Shape | None:
    """The plate that the file names, unless a well lies outside it."""
    needed = shape_of(wells)
    holds = stated and needed and stated[0] >= needed[0] and stated[1] >= needed[1]
    return stated if holds else needed
