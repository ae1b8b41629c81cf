"""Which damaged copies of real files are read as if they were whole."""

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from processing.failures import ReadingFailed
from processing.readings import HEAD_BYTES
from processing.registry import choose_type
from tests.processing.damage import Copy
from tests.processing.reading import Found, read_as
from tests.samples.expected import FOLDER as INSTRUMENTS

SHARED = INSTRUMENTS.parent
NOT_DATA = {".md", ".py"}
LARGEST = 120_000  # bytes of a file whose copies are read
NUMBERS = re.compile(rb"-?\d+\.?\d*(?:[eE][+-]?\d+)?")
PICTURES = ("image/", "application/octet-stream")
VARYING = re.compile(r"\d[\d.,]*|“[^”]*”")  # in warnings, which are the same but for it


@dataclass(frozen=True)
class Result:
    """What came of a file: its numbers, its pictures, and what was said; of a failure only the last."""

    numbers: Counter[bytes]
    pictures: frozenset[bytes]
    said: frozenset[str]
    is_read: bool = True


@dataclass(frozen=True)
class Silent:
    name: str
    copy: Copy
    lost: int  # numbers that are not there any more
    new: int  # numbers that were not there before

    def __str__(self) -> str:
        return f"{self.name}: {self.copy.damage} (numbers: {self.lost} lost, {self.new} new)"


def list_files(largest: int = LARGEST) -> list[str]:
    """Below the folder of shared data; none where it is missing."""
    found = (path for path in sorted(SHARED.rglob("*")) if path.is_file() and path.suffix not in NOT_DATA)
    return [
        str(path.relative_to(SHARED))
        for path in found
        if path.name != "expected.json" and 0 < path.stat().st_size <= largest
    ]


def read_copy(name: str, data: bytes) -> Result:
    """As the service reads it: the type by head and name, then the isolated reader."""
    kind = choose_type(filename=name, head=data[:HEAD_BYTES], instrument_type="generic")
    if kind is None:
        return Result(Counter(), frozenset(), frozenset({"nobody reads it"}), is_read=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        try:
            return summarise(read_as(kind, path))
        except ReadingFailed as failure:
            return Result(Counter(), frozenset(), frozenset({VARYING.sub("#", str(failure))}), is_read=False)


def summarise(found: Found) -> Result:
    kept = found.artefacts.values()
    pictures = frozenset(one.data for one in kept if one.content_type.startswith(PICTURES))
    numbers = Counter(
        number for one in kept if not one.content_type.startswith(PICTURES) for number in NUMBERS.findall(one.data)
    )
    said = {VARYING.sub("#", warning) for warning in found.warnings}
    return Result(numbers, pictures, frozenset({*said, *(["degraded"] if found.file.get("degraded") else [])}))


def compare(name: str, whole: Result, copy: Copy) -> Silent | None:
    """The copy, where what it holds is another and nothing says so."""
    found = read_copy(Path(name).name, copy.data)
    is_told = not found.is_read or bool(found.said - whole.said)
    lost, new = (sum(one.values()) for one in (whole.numbers - found.numbers, found.numbers - whole.numbers))
    is_same = not lost and not new and whole.pictures == found.pictures
    return None if is_told or is_same else Silent(name, copy, lost, new)


def find_silent(
    names: Iterable[str],
    choose: Callable[[str, bytes], Sequence[Copy]],
    *,
    threads: int = 2,
) -> Iterator[tuple[int, list[Silent]]]:
    """For each file that is read, how many copies were made and which of them are silent."""

    def judge(name: str) -> tuple[int, list[Silent]]:
        data = (SHARED / name).read_bytes()
        whole = read_copy(Path(name).name, data)
        copies = choose(name, data) if whole.is_read else []
        judged = [compare(name, whole, copy) for copy in copies]
        return len(copies), [one for one in judged if one is not None]

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(judge, names)
