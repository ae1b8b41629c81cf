"""Numbers in the place of words that stand for none, so that a parser keeps the wells that it would leave out.

Read twice with other numbers each time, a document differs only where it holds them, or what was calculated from them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from processing.processors.asm.cell_words import CellWord
from processing.processors.asm.document import MEASUREMENT_KEY, Node, is_column, is_quantity, nodes_under, walk_nodes

FIRSTS = (7_310_585_792_000, 4_190_233_617_000)  # of either reading; no instrument writes such
STEP = 1_000_000  # between one word and the next: room for what is rounded
LEAST_EXPONENT, MOST_EXPONENT = -15, 15  # of ten, by which parsers change units
TOLERANCE = 0.01  # steps
CALCULATED = "calculated from such"
CUSTOM_KEY = "custom information document"


class Word(Protocol):
    @property
    def word(self) -> str: ...


class MissingNumber(float):
    """NaN that remembers the word which the file has in its place."""

    word: str

    def __new__(cls, word: str) -> "MissingNumber":
        made = super().__new__(cls, "nan")
        made.word = word
        return made


@dataclass
class Settled:
    """What two readings with different numbers say together."""

    missing: set[int] = field(default_factory=set)  # words that are numbers to the parser
    texts: set[int] = field(default_factory=set)  # words that are texts to it, and must be let alone
    is_alike: bool = True  # but for the numbers


def stand_in(first: int, place: int) -> int:
    return first + place * STEP


def put_numbers(text: str, words: Sequence[CellWord], first: int, without: set[int]) -> str:
    """The text with a number of its own for each word but those let alone."""
    parts, end = [], 0
    for place, word in enumerate(words):
        if place not in without:
            parts += [text[end : word.start], str(stand_in(first, place))]
            end = word.end
    return "".join([*parts, text[end:]])


def settle(one: Any, other: Any, words: Sequence[Word]) -> Settled:
    """Numbers that differ become missing ones, in the first of both documents."""
    settled = Settled()
    settle_node(one, other, words, settled)
    return settled


def settle_node(one: Any, other: Any, words: Sequence[Word], settled: Settled, *, is_custom: bool = False) -> None:
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key, value in one.items():
            inside = is_custom or key == CUSTOM_KEY
            one[key] = settle_value(value, other[key], words, settled, is_custom=inside)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        if one != other or not is_column(one):
            one[:] = [settle_value(*pair, words, settled, is_custom=is_custom) for pair in zip(one, other, strict=True)]
    else:
        settled.is_alike = False


def settle_value(one: Any, other: Any, words: Sequence[Word], settled: Settled, *, is_custom: bool) -> Any:
    """What a vendor's software says beside the measurement is kept as the word."""
    if isinstance(one, dict | list):
        settle_node(one, other, words, settled, is_custom=is_custom)
        missing = one["value"] if isinstance(one, dict) and is_quantity(one) else None
        return missing.word if is_custom and isinstance(missing, MissingNumber) else one
    if one != other and isinstance(one, str):
        settled.texts |= {place for place in range(len(words)) if str(stand_in(FIRSTS[0], place)) in one}
    elif isinstance(one, int | float) and isinstance(other, int | float) and one - other != 0 and one == one:
        place = place_of_number(one, len(words))
        if place is not None:
            settled.missing.add(place)
        return MissingNumber(CALCULATED if place is None else words[place].word)
    return one


def place_of_number(value: float, count: int) -> int | None:
    """Which word's it is, whatever the unit."""
    for exponent in range(LEAST_EXPONENT, MOST_EXPONENT + 1):
        steps = (abs(value) * 10.0**exponent - FIRSTS[0]) / STEP
        if -TOLERANCE < steps < count and abs(steps - round(steps)) < TOLERANCE:
            return round(steps)
    return None


def lacks(document: Node, other: Node) -> bool:
    """Whether the document has fewer values than the other anywhere."""
    ours, others = count_values(document), count_values(other)
    return any(ours.get(path, 0) < count for path, count in others.items())


def count_values(document: Node) -> dict[str, int]:
    counts: dict[str, int] = {}
    for path in list_paths(document, ""):
        counts[path] = counts.get(path, 0) + 1
    return counts


def list_paths(node: Any, path: str) -> Iterator[str]:
    """Of values; a number and its unit are one."""
    if isinstance(node, dict) and not is_quantity(node):
        for key, inner in node.items():
            yield from list_paths(inner, f"{path}/{key}")
    elif isinstance(node, list):
        for inner in node:
            yield from list_paths(inner, path)
    else:
        yield path


def note_errors(document: Node) -> None:
    """Each measurement says why a number of it is missing, as parsers write it that know the word."""
    for measurement in nodes_under(document, MEASUREMENT_KEY):
        missing = {
            key: inner["value"].word
            for key, inner in walk_nodes(measurement)
            if is_quantity(inner) and isinstance(inner["value"], MissingNumber)
        }
        if missing:
            known = measurement.setdefault("error aggregate document", {}).setdefault("error document", [])
            known += [{"error": word, "error feature": key} for key, word in missing.items()]
