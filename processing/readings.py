"""What a reader of instrument files is given and gives back: all that the author of a plug-in imports.

A reader is a function from a local file to a value. It sees no database, no network and no settings, and runs in a
process of its own, so it may be written in an afternoon, tested with one assertion, and crash without harm.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

MIB = 1024 * 1024
GIB = 1024 * MIB


class Kind(StrEnum):
    TABLE = "table"
    CURVE = "curve"
    PLATE = "plate"
    IMAGE = "image"
    EVENTS = "events"


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


@dataclass(frozen=True)
class Output:
    run: Mapping[str, Json] = field(default_factory=dict)  # facts by which runs are found; flat, plain keys
    file: Mapping[str, Json] = field(default_factory=dict)  # facts about this file only
    acquired_at: datetime | None = None
    artefacts: Sequence[Artefact] = ()
    warnings: Sequence[str] = ()  # "3 wells hold no number (OVRFLW)": shown, not fatal


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


def matches_nothing(head: bytes) -> bool:
    return False


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


HEAD_BYTES = 8192
CONTENT_TYPES = ("application/json", "image/png", "image/jpeg", "image/svg+xml")

MAX_ARTEFACTS = 50
MAX_ARTEFACT_BYTES = 16 * MIB
MAX_OUTPUT_BYTES = 64 * MIB
MAX_FACTS = 64
MAX_VALUES_PER_FACT = 200
MAX_CHARACTERS_PER_VALUE = 200
MAX_FACTS_BYTES = 64 * 1024
MAX_TITLE_CHARACTERS = 200
MAX_WARNINGS = 100
MAX_WARNING_CHARACTERS = 400
