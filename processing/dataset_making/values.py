"""Tables of typed columns, as readers hand them over: whole, at full precision. `processing.readings` shows them on."""

import re
import struct
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

MAX_NAME_CHARACTERS = 63
BLOCK_ROWS = 131_072  # of one row group of the Parquet that is written
MAX_BLOCK_CELLS = 8_000_000  # of a table with many columns
ABOUT_FILE = "about.json"  # beside the blocks: processing/dataset_making/files.py
LENGTHS = struct.Struct("<3q")  # of a column's values, offsets and nulls
COLUMN_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
RESERVED_NAMES = frozenset({"file_row_number", "file_index"})  # what DuckDB calls the place of a row
SPELLED_OUT = str.maketrans({"µ": "u", "μ": "u", "ß": "ss", "°": "deg", "%": "percent", "θ": "theta", "Δ": "delta"})


class DatasetKind(StrEnum):
    SPECTRUM = "spectrum"
    CHROMATOGRAM = "chromatogram"
    TIME_SERIES = "time_series"
    PLATE = "plate"
    EVENTS = "events"  # a row for each event or particle
    TABLE = "table"


class ColumnType(StrEnum):
    FLOAT64 = "float64"
    FLOAT32 = "float32"
    INT64 = "int64"
    BOOL = "bool"
    STRING = "string"
    TIMESTAMP = "timestamp"  # UTC, microseconds


class Role(StrEnum):
    AXIS = "axis"  # x
    STEP = "step"  # wavelength, cycle or time of a plate's read
    KEY = "key"  # well, trace, sample, channel
    VALUE = "value"
    LABEL = "label"


@dataclass(frozen=True)
class Column:
    """`values`: a numpy array, or a sequence of None, bool, int, float, str and aware datetimes.

    `name` may be any text; what is stored is `[a-z][a-z0-9_]*`, unique, and the text becomes the title.
    `type` is needed only where the dataset comes in blocks, or where the values do not say it.
    """

    name: str
    values: Any = ()
    unit: str | None = None
    role: Role | None = None
    title: str = ""
    type: ColumnType | None = None


@dataclass(frozen=True)
class Dataset:
    """One table. Of the same kind of table in the same format the name is the same, so that runs can be stacked.

    `blocks`, in place of the columns' values: of a table too large to be held, up to 131,072 rows at a time, each with
    the values of every column, in order. They are gone through once.
    """

    name: str
    title: str
    kind: DatasetKind
    columns: Sequence[Column]
    blocks: Iterable[Sequence[Any]] | None = None


def slug_of(text: str) -> str:
    """`grosse_um` of `Größe [µm]`; empty where nothing of it is a letter or a digit."""
    plain = unicodedata.normalize("NFKD", text.translate(SPELLED_OUT)).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")


def name_columns(columns: Sequence[Column]) -> list[Column]:
    """With names that programs can write, each once; what the file says is the title."""
    taken = set(RESERVED_NAMES)
    named = []
    for number, column in enumerate(columns, start=1):
        plain = slug_of(column.name) or f"column_{number}"
        plain = plain if plain[0].isalpha() else f"c_{plain}"
        named.append(replace(column, name=make_unique(plain, taken), title=column.title or column.name))
    return named


def name_datasets(datasets: Sequence[Dataset]) -> list[Dataset]:
    """Each name once in its file: `table`, `table_2`, … in the order of the file."""
    taken: set[str] = set()
    return [replace(one, name=make_unique(slug_of(one.name) or str(one.kind), taken)) for one in datasets]


def make_unique(name: str, taken: set[str]) -> str:
    candidate, number = name[:MAX_NAME_CHARACTERS], 1
    while candidate in taken:
        number += 1
        suffix = f"_{number}"
        candidate = name[: MAX_NAME_CHARACTERS - len(suffix)] + suffix
    taken.add(candidate)
    return candidate


def name_of_artefact(name: str) -> str:
    """`table` of `table-2.json`: without the number, which only tells several of one file apart."""
    stem = name.rpartition(".")[0] or name
    return re.sub(r"-\d+(?=-|$)", "", stem)
