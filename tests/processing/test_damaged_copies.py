"""Copies of real files that were damaged in one way each: refused, told, or the same as the whole file."""

import random

from tests.processing.damage import DAMAGES, Copy, damaged_copies
from tests.processing.damaged_copies import find_silent, list_files
from tests.samples.expected import needs_real_exports

FILES, COPIES = 20, 3  # copies of each
LARGEST = 20_000  # bytes of a file: larger ones take longer, and show the same
WHOLE_LINES = {  # gone, or more than there were, in a list that counts none of its lines: no reader can tell
    "cut at a line's end",
    "a line lost",
    "lines lost",
    "a line doubled",
    "two lines swapped",
    "parts exchanged",
    "miscounted",
}
TOLD = sorted(DAMAGES.keys() - WHOLE_LINES)
EXPORT = b"Well,Value,Time\n" + b"".join(f"A{n},{n}.125,{n}0\n".encode() for n in range(1, 13))


@needs_real_exports
def test_damaged_copies_are_told():
    names = [name for name in list_files(LARGEST) if name.startswith(("vendors", "instruments"))]
    judged = list(find_silent(random.Random("files").sample(names, FILES), choose_copies))

    assert sum(made for made, _ in judged) >= FILES
    assert [str(one) for _, found in judged for one in found] == []


def choose_copies(name: str, data: bytes) -> list[Copy]:
    copies = list(damaged_copies(name, data, TOLD))
    return random.Random(name).sample(copies, COPIES)


def test_damage_is_the_same_in_every_run():
    first, again = (list(damaged_copies("export.csv", EXPORT)) for _ in range(2))

    assert first == again
    assert all(copy.data != EXPORT for copy in first)
    assert [copy.data for copy in damaged_copies("export.csv", EXPORT, seed="other")] != [copy.data for copy in first]
