"""What a reader of instrument files is given and gives back: all that the author of a plug-in imports.

A reader is a function from a local file to a value. It sees no database, no network and no settings, and runs in a
process of its own, so it may be written in an afternoon, tested with one assertion, and crash without harm.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import TypeAlias

from processing.dataset_making.values import Column as Column
from processing.dataset_making.values import Dataset as Dataset
from processing.dataset_making.values import DatasetKind as DatasetKind
from processing.dataset_making.values import Role as Role

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

MIB = 1024 * 1024
GIB = 1024 * MIB


class Kind(StrEnum):
    TABLE = "table"
    CURVE = "curve"
    PLATE = "plate"
    IMAGE = "image"
    EVENTS = "events"
    STACK = "stack"
    TILES = "tiles"  # of a stack
    DATASET = "dataset"  # a Parquet file, which no reader makes itself


@dataclass(frozen=True)
class Input:
    path: Path  # a private copy, read-only
    filename: str  # the instrument's name for it; readers find meaning in it
    instrument_type: str
    time_zone: tzinfo  # of the instrument, for times without an offset


@dataclass(frozen=True)
class Artefact:
    name: str  # "curves.json", "page-1.png"; unique within one output
    kind: Kind
    content_type: str  # one of CONTENT_TYPES
    data: bytes
    title: str = ""  # what a person reads above it
    path: Path | None = None  # a file that the reader wrote, in place of `data`
    datasets: Sequence[Dataset] = ()  # the numbers behind the picture, whole


@dataclass(frozen=True)
class Output:
    run: Mapping[str, Json] = field(default_factory=dict)  # facts by which runs are found; flat, plain keys
    file: Mapping[str, Json] = field(default_factory=dict)  # facts about this file only
    acquired_at: datetime | None = None
    artefacts: Sequence[Artefact] = ()
    warnings: Sequence[str] = ()  # "3 wells hold no number (OVRFLW)": shown, not fatal
    datasets: Sequence[Dataset] = ()  # beside those that curves, plates and tables make of their own values


class Unreadable(Exception):
    """The file is at fault. The text is for the person who looks at it."""


class Unrecognised(Exception):
    """Nothing is wrong with the file, but this reader does not know its kind. The file stays as it was."""


@dataclass(frozen=True)
class Limits:
    """What reading one file may take. Only the input and the archive are known before; the kernel holds the others."""

    input_bytes: int = 64 * MIB
    seconds: int = 120
    cpu_seconds: int = 60
    memory_bytes: int = GIB  # address space
    archive_levels: int = 1  # archives within the archive that the file itself may be
    streamed_bytes: int = 0  # the most of files whose ending is among the type's `streamed`
    seconds_per_gib: int = 0  # added to both times for every GiB of the file


@dataclass(frozen=True)
class Fact:
    """A fact that readings of a type tell: its place among them is that on pages."""

    key: str  # "agitation_rpm", as in Output.run or Output.file
    unit: str = ""  # "rpm": stands behind each of its values


@dataclass(frozen=True)
class Viewer:
    """A kind of artefact as the people of a technique call it. A report shows those that are declared first."""

    kind: Kind  # neither a stack nor its tiles: they are images
    plural: str  # "Growth curves"
    singular: str  # "growth curve"


def matches_nothing(head: bytes) -> bool:
    return False


@dataclass(frozen=True)
class FolderRule:
    """Files of a run that are one measurement: one leads, the others lie in its folder, in `Input.path.parent` too."""

    leader: str  # "acqus": its name
    members: tuple[str, ...]  # "fid", "pdata/*/1r": patterns below the folder of the leader, name by name

    @property
    def depths(self) -> set[int]:
        """How many names the patterns have."""
        return {pattern.count("/") + 1 for pattern in self.members}

    def is_led_by(self, filename: str) -> bool:
        return filename == self.leader

    def holds(self, place: str) -> bool:
        """Whether a file in that place, below the folder of the leader, is read with it."""
        names = place.split("/")
        patterns = (pattern.split("/") for pattern in self.members)
        return any(len(parts) == len(names) and all(map(fnmatchcase, names, parts)) for parts in patterns)


@dataclass(frozen=True)
class InstrumentType:
    """A kind of instrument, and how its files are read. Declaring one must stay cheap: web processes do it too."""

    name: str  # a slug: "agilent-gen5"
    title: str
    extensions: tuple[str, ...]  # lower case, without the dot
    process: str  # "package.module:function", imported where files are read and nowhere else
    signature: Callable[[bytes], bool] = matches_nothing  # of the file's first 8 KiB; cheap, never raises
    limits: Limits = Limits()
    reads_gzip: bool = False  # unpacks by itself; other readers are given what a gzip file holds
    streamed: tuple[str, ...] = ()  # endings of files that are read in bounded memory, however large they are
    folder: FolderRule | None = None  # what is read together with a file of this type
    facts: tuple[Fact, ...] = ()  # in the order in which people ask for them; others follow
    viewers: tuple[Viewer, ...] = ()  # in the order in which a report shows them; others follow

    def most_bytes(self, filename: str) -> int:
        """How large a file of this name may be."""
        is_streamed = PurePath(filename).suffix[1:].lower() in self.streamed
        return max(self.limits.input_bytes, self.limits.streamed_bytes if is_streamed else 0)

    def allow_for(self, size_bytes: int) -> "InstrumentType":
        """The type with the times that a file of this size may take."""
        more = self.limits.seconds_per_gib * size_bytes // GIB
        seconds, cpu_seconds = self.limits.seconds + more, self.limits.cpu_seconds + more
        return replace(self, limits=replace(self.limits, seconds=seconds, cpu_seconds=cpu_seconds)) if more else self


HEAD_BYTES = 8192
CONTENT_TYPES = ("application/json", "image/png", "image/jpeg", "image/svg+xml", "application/octet-stream")

FACT_KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
MAX_ARTEFACTS = 50
MAX_DATASETS = 50
MAX_DATASETS_BYTES = 192 * MIB  # of all datasets of a file together, as plain values
MAX_DATASETS_FACTOR = 4  # of a larger file so many times its size
MAX_LARGE_DATASETS_BYTES = 8 * GIB
MAX_DATASET_COLUMNS = 10_000
MAX_ARTEFACT_BYTES = 16 * MIB
MAX_OUTPUT_BYTES = 64 * MIB
MAX_TILES_BYTES = 240 * MIB  # of all stacks of a file together, beside the output
MAX_FACTS = 64
MAX_VALUES_PER_FACT = 200
MAX_CHARACTERS_PER_VALUE = 200
MAX_FACTS_BYTES = 64 * 1024
MAX_TITLE_CHARACTERS = 200
MAX_WARNINGS = 100
MAX_WARNING_CHARACTERS = 400


def find_room_for_datasets(input_bytes: int) -> int:
    """Bytes that all datasets of a file of this size may take together, as plain values."""
    return max(MAX_DATASETS_BYTES, min(MAX_DATASETS_FACTOR * input_bytes, MAX_LARGE_DATASETS_BYTES))
