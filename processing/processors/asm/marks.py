"""What a vendor's software found in a curve: named peaks with their areas, thresholds of qPCR."""

from collections.abc import Iterator
from typing import Any

from processing.formats.curve import Axis, Mark
from processing.processors.asm.document import MEASUREMENT_KEY, Node, first_text, is_quantity, nodes_under, values_under

THRESHOLD = "cycle threshold value setting (qPCR)"
Peak = tuple[str, float]  # name and place: the same peak stands below several detectors


def list_peaks(aggregate: Node, x: Axis, y: Axis) -> list[Mark]:
    """Peaks in the units of both axes, each once, the largest of its namesakes."""
    found: dict[Peak, Mark] = {}
    for number, peak in enumerate(nodes_under(aggregate, "peak"), start=1):
        place = find_retention(peak, unit=x.unit)
        height = peak.get("peak height")
        is_of_y = not isinstance(height, dict) or height.get("unit") == y.unit
        if place is None or not is_of_y or "retention" not in x.label.lower():
            continue
        name = first_text(peak, "written name", "peak name", "identifier", "peak index") or str(number)
        mark = Mark(name, x=place, bounds=find_bounds(peak, unit=x.unit), area=number_of(peak, "peak area"))
        if (known := found.get((name, place))) is None or (mark.area or 0) > (known.area or 0):
            found[name, place] = mark
    return list(found.values())


def find_retention(peak: Node, *, unit: str | None) -> float | None:
    """Some vendors keep that of their apex among what is theirs alone."""
    own = peak.get("custom information document") or {}
    stated = (peak.get("retention time"), peak.get("retention volume"), own.get("max peak retention"))
    return next((float(one["value"]) for one in stated if one and fits(one, unit)), None)


def find_bounds(peak: Node, *, unit: str | None) -> tuple[float, float] | None:
    start, end = peak.get("peak start"), peak.get("peak end")
    if not (start and end and fits(start, unit) and fits(end, unit)):
        return None
    return float(start["value"]), float(end["value"])


def fits(stated: Any, unit: str | None) -> bool:
    return isinstance(stated, dict) and is_quantity(stated) and stated["value"] is not None and stated["unit"] == unit


def number_of(node: Node, key: str) -> float | None:
    stated = node.get(key)
    return float(stated["value"]) if isinstance(stated, dict) and stated.get("value") is not None else None


def list_thresholds(aggregate: Node, x: Axis, y: Axis) -> list[Mark]:
    """Of each target, where the ordinate is the signal above its baseline: that is what a threshold cuts."""
    if "cycle" not in x.label.lower() or "baseline corrected" not in y.label.lower():
        return []
    stated = dict.fromkeys(
        threshold for node in nodes_under(aggregate, MEASUREMENT_KEY) for threshold in thresholds_of(node)
    )
    heights = dict.fromkeys(height for _, height in stated)
    targets = {height: [target for target, place in stated if place == height and target] for height in heights}
    return [Mark(f"Threshold {', '.join(targets[height])}".strip(), y=height) for height in heights]


def thresholds_of(measurement: Node) -> Iterator[tuple[str, float]]:
    target = next(map(str, values_under(measurement, "target DNA description")), "")
    for stated in nodes_under(measurement, THRESHOLD):
        if is_quantity(stated) and stated["value"] is not None:
            yield target, float(stated["value"])
