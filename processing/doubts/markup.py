"""What elements of XML show of damage: a value that one of many alike has twice."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from processing.markup import looks_like_markup
from processing.readings import MIB

MOST_BYTES = 8 * MIB  # of a larger document nothing is said
LEAST_LINES, MOST_MOVED = 30, 2  # that begin with an element; of them, with fewer or more blanks than all others
LEAST_ALIKE = 3  # elements of one name, beside the one that has a value twice
LEAST_LEAVES, LEAST_RECORDS = 3, 6  # values of an element; elements alike, beside the one that lacks a value
Place = tuple[int, int]  # how many elements an element stands in, and the blanks before it
Kind = tuple[str, str]  # names of an element and of one within it


class Elements:
    """Counts how many elements of each name have one child of a name, without children and attributes, or several."""

    def __init__(self) -> None:
        self.parents = Counter[str]()
        self.once, self.twice = Counter[Kind](), Counter[Kind]()
        self.records: dict[str, Counter[frozenset[str]]] = {}
        self.open: list[tuple[str, Counter[str]]] = []
        self.is_leaf = False
        self.places = Counter[Place]()
        self.lines: dict[Place, int] = {}
        self.last = (0, 0)

    def begin(self, name: str, attributes: dict[str, str], line: int, column: int) -> None:
        if line != self.last[0]:
            place = len(self.open), column
            self.places[place] += 1
            self.lines.setdefault(place, line)
        self.last = line, column
        self.open.append((name, Counter()))
        self.is_leaf = not attributes

    def end(self, name: str) -> None:
        _, leaves = self.open.pop()
        self.parents[name] += 1
        if len(leaves) >= LEAST_LEAVES:
            self.records.setdefault(name, Counter())[frozenset(leaves)] += 1
        for leaf, count in leaves.items():
            (self.once if count == 1 else self.twice)[name, leaf] += 1
        if self.is_leaf and self.open:
            self.open[-1][1][name] += 1
        self.is_leaf = False


def list_markup_doubts(path: Path) -> Iterator[str]:
    """A sentence for the first such element. Broken documents are left to their readers."""
    if path.stat().st_size > MOST_BYTES:
        return
    content = path.read_bytes()
    if not looks_like_markup(content[:64]):
        return
    elements = Elements()
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: elements.begin(
        name, attributes, parser.CurrentLineNumber, parser.CurrentColumnNumber
    )
    parser.EndElementHandler = elements.end
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError):
        return
    if (moved := find_moved(elements)) is not None:
        yield f"Line {moved:,} is not as far from the margin as all others like it: a piece may be missing."
        return
    for name, kinds in elements.records.items():
        if (lost := find_lost_leaf(kinds)) and kinds.total() == elements.parents[name]:
            yield f"One “{name}” has no “{lost}”, and all others have one: a piece may be missing."
            return
    for (name, leaf), count in elements.twice.items():
        if count == 1 and elements.parents[name] - 1 == elements.once[name, leaf] >= LEAST_ALIKE:
            yield f"One “{name}” has “{leaf}” twice, all others once: a piece may be missing, or stand there twice."
            return


def find_lost_leaf(kinds: Counter[frozenset[str]]) -> str:
    """What one of many elements lacks that are all the same by the names of their values; empty: nothing."""
    if len(kinds) != 2 or kinds.total() <= LEAST_RECORDS:
        return ""
    (usual, _), (odd, count) = kinds.most_common()
    return next(iter(usual - odd)) if count == 1 and odd < usual and len(usual - odd) == 1 else ""


def find_moved(elements: Elements) -> int | None:
    """The line that begins with more or fewer blanks than all others as deep, where these are by one rule."""
    columns = dict[int, int]()
    for (depth, column), _ in sorted(elements.places.items(), key=lambda one: one[1]):
        columns[depth] = column
    usual = {(depth, column) for depth, column in columns.items()}
    odd = {place: count for place, count in elements.places.items() if place not in usual}
    step = columns.get(1, 0) - columns.get(0, 0)
    is_regular = step > 0 and all(column == columns[0] + step * depth for depth, column in columns.items())
    is_few = 0 < sum(odd.values()) <= MOST_MOVED and elements.places.total() >= LEAST_LINES
    return min(elements.lines[place] for place in odd) if is_regular and is_few else None
