"""Curves of an Allotrope document: every data cube, grouped by its axes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from processing.formats.curve import Axis, Curve, Series
from processing.formats.numbers import simplify_number
from processing.processors.asm.document import MEASUREMENT_KEY, Node, is_cube, nodes_under, values_under, walk_nodes
from processing.processors.asm.marks import list_peaks, list_thresholds
from processing.readings import Artefact

MAX_CURVES = 20
MAX_PLANES = 200  # values of a second dimension that are drawn
Numbers = list[float | None]


@dataclass(frozen=True)
class Trace:
    """One series of a cube, and all by which it may be told from others."""

    x: Axis
    y: Axis
    xs: Numbers
    ys: Numbers
    tags: tuple[str, ...]  # well, sample, label of the cube, target, wavelength, measure, plane


def curves_of(aggregate: Node) -> list[Artefact]:
    """One artefact for each pair of units, in the order of the document. What has no unit is drawn by itself."""
    groups: dict[tuple[Axis, str], list[Trace]] = {}
    for trace in traces_of(aggregate):
        unit = trace.y.unit if trace.y.unit not in (None, "(unitless)") else f"without: {trace.y.label}"
        groups.setdefault((trace.x, str(unit)), []).append(trace)
    made: list[Artefact] = []
    for (x, _), traces in list(groups.items())[:MAX_CURVES]:
        y = Axis(find_shared_words([trace.y.label for trace in traces]), traces[0].y.unit)
        title = f"{y.label} against {x.label.lower()}"
        series = [Series(label, trace.xs, trace.ys) for label, trace in zip(label_traces(traces), traces, strict=True)]
        name = "curves.json" if not made else f"curves_{len(made) + 1}.json"  # sorts behind the first
        marks = [*list_peaks(aggregate, x, y), *list_thresholds(aggregate, x, y)]
        made.append(Curve(title, x, y, series, marks=marks).artefact(name))
    return made


def traces_of(aggregate: Node) -> Iterator[Trace]:
    for measurement in nodes_under(aggregate, MEASUREMENT_KEY):
        tags = tags_of(measurement)
        for key, node in walk_nodes(measurement):
            if is_cube(node):
                yield from traces_of_cube(node, tags=(*tags[:2], str(node.get("label") or key), *tags[2:]))


def tags_of(measurement: Node) -> tuple[str, ...]:
    """Well, sample, target and wavelength, as far as they are stated."""
    sample = next(nodes_under(measurement, "sample document"), {})
    well = str(sample.get("well location identifier") or sample.get("location identifier") or "")
    name = str(sample.get("sample identifier") or sample.get("written name") or "")
    target = next(map(str, values_under(measurement, "target DNA description")), "")
    setting = next(nodes_under(measurement, "detector wavelength setting"), {}).get("value")
    wavelength = f"{simplify_number(setting)} nm" if isinstance(setting, int | float) else ""
    return well, "" if well and name.endswith((f" {well}", f"_{well}")) else name, target, wavelength


def traces_of_cube(cube: Node, *, tags: tuple[str, ...]) -> Iterator[Trace]:
    """One for each measure, and for each value of the further dimensions where the cube has any."""
    structure, data = cube["cube-structure"], cube.get("data", {})
    dimensions, measures = data.get("dimensions", []), data.get("measures", [])
    if not dimensions or not structure.get("dimensions"):
        return
    x = axis_of(structure["dimensions"][0])
    for described, ys in zip(structure.get("measures", []), measures, strict=False):
        y = axis_of(described)
        name = str(described.get("concept", ""))
        if len(dimensions) == 1:
            yield Trace(x, y, dimensions[0], ys, (*tags, name, ""))
            continue
        for plane, places in split_planes(dimensions[1:], structure["dimensions"][1:]):
            xs = [dimensions[0][place] for place in places]
            yield Trace(x, y, xs, [ys[place] for place in places], (*tags, name, plane))


def split_planes(further: Sequence[Numbers], described: Sequence[Node]) -> Iterator[tuple[str, Sequence[int]]]:
    """The points of a cube of several dimensions, sorted by the values of all but the first."""
    found: dict[tuple[float | None, ...], list[int]] = {}
    for place, key in enumerate(zip(*further, strict=True)):
        found.setdefault(key, []).append(place)
    for key, places in list(found.items())[:MAX_PLANES]:
        parts = zip(key, described, strict=False)
        yield ", ".join(f"{value} {one.get('unit', '')}".strip() for value, one in parts), places


def axis_of(described: Node) -> Axis:
    concept = str(described.get("concept") or "value")
    return Axis(concept if concept[1:2].isupper() else concept[:1].upper() + concept[1:], described.get("unit"))


def find_shared_words(names: Sequence[str]) -> str:
    """What all names end in: several pressures are drawn as pressure."""
    words = [name.lower().split() for name in names]
    shared = 0
    while all(len(each) > shared and each[-1 - shared] == words[0][-1 - shared] for each in words):
        shared += 1
    if len(set(names)) == 1 or not shared:
        return names[0] if len(set(names)) == 1 else "Value"
    common = " ".join(words[0][-shared:])
    return common[:1].upper() + common[1:]


def label_traces(traces: Sequence[Trace]) -> list[str]:
    """By what differs between the series; where nothing does, by the first that is stated; in the end by number."""
    columns = list(zip(*(trace.tags for trace in traces), strict=True))
    differing = [column for column in columns if len(set(column)) > 1]
    stated = [column for column in columns if any(column)]
    chosen = [column for column in differing if not is_told_by(column, differing)] or stated[:1]
    names = [", ".join(filter(None, parts)) for parts in zip(*chosen, strict=True)] if chosen else [""] * len(traces)
    seen: Counter[str] = Counter()
    doubled = {name for name, count in Counter(names).items() if count > 1}
    told = []
    for name in names:
        seen[name] += 1
        told.append(f"{name} ({seen[name]})".strip() if name in doubled else name)
    return [name or str(number) for number, name in enumerate(told, start=1)]


def is_told_by(column: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether it holds the numbers of another one without their unit: “490.0” beside “490 nm”."""
    numbers = [read_number(text) for text in column]
    if None in numbers:
        return False
    wavelengths = (other for other in columns if all(text.endswith(" nm") for text in other))
    return any([read_number(text.removesuffix(" nm")) for text in other] == numbers for other in wavelengths)


def read_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
