"""How the child hands datasets over: plain little-endian values, nothing that could be executed.

datasets/<number>/about.json    name, title, kind, columns, and how many rows each block has
datasets/<number>/<block>       of each column in turn three lengths (int64), then so many bytes of each:
    values     float64, float32, int64, one byte for a bool, microseconds since 1970, or UTF-8
    offsets    of texts alone: int64, one more than there are rows
    nulls      one byte a row, 1 where there is no value; empty where all have one
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from processing.dataset_making.values import (
    ABOUT_FILE,
    BLOCK_ROWS,
    LENGTHS,
    MAX_BLOCK_CELLS,
    Column,
    ColumnType,
    Dataset,
    name_columns,
)
from processing.readings import MAX_DATASET_COLUMNS, Json

STORED = {
    ColumnType.FLOAT64: "<f8",
    ColumnType.FLOAT32: "<f4",
    ColumnType.INT64: "<i8",
    ColumnType.BOOL: "|u1",
    ColumnType.TIMESTAMP: "<i8",
}
NUMPY_KINDS = {"f": ColumnType.FLOAT64, "i": ColumnType.INT64, "b": ColumnType.BOOL, "M": ColumnType.TIMESTAMP}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
INT64_LIMIT = 2**63


class TextValues:
    """Texts packed one behind the other: many cells, few objects. None where a cell is empty."""

    def __init__(self, data: bytes | bytearray, offsets: NDArray[np.int64], nulls: NDArray[np.uint8]) -> None:
        self.data, self.offsets, self.nulls = data, offsets, nulls

    def __len__(self) -> int:
        return len(self.nulls)

    def __getitem__(self, rows: slice) -> "TextValues":
        start, stop, _ = rows.indices(len(self))
        offsets = self.offsets[start : stop + 1]
        data = self.data[int(offsets[0]) : int(offsets[-1])]
        return TextValues(data, offsets - offsets[0], self.nulls[start:stop])


class TooLarge(Exception):
    """The dataset is left out, whole: the text says why."""


def write_dataset(folder: Path, dataset: Dataset, *, most_bytes: int) -> int:
    """How many bytes it took. Raises TooLarge; what was written by then is gone."""
    columns = name_columns(dataset.columns)
    if len(columns) > MAX_DATASET_COLUMNS:
        raise TooLarge(f"{dataset.title or dataset.name} has {len(columns):,} columns: it is not kept as data.")
    types = [column.type or find_type(column.values) for column in columns]
    folder.mkdir(parents=True)
    written, counts = 0, list[int]()
    for number, block in enumerate(cut_blocks(dataset, columns)):
        counts.append(len(block[0]))
        with (folder / str(number)).open("wb") as file:
            for values, kind in zip(block, types, strict=True):
                written += write_values(file, values, kind)
                if written > most_bytes:
                    shutil.rmtree(folder)
                    raise TooLarge(f"{dataset.title or dataset.name} is too large to be kept as data.")
    about = {
        "name": dataset.name,
        "title": dataset.title,
        "kind": str(dataset.kind),
        "columns": [describe_column(column, kind) for column, kind in zip(columns, types, strict=True)],
        "blocks": counts,
    }
    (folder / ABOUT_FILE).write_text(json.dumps(about))
    return written


def describe_column(column: Column, kind: ColumnType) -> dict[str, Json]:
    role = str(column.role) if column.role else None
    return {"name": column.name, "type": str(kind), "unit": column.unit, "role": role, "title": column.title}


def cut_blocks(dataset: Dataset, columns: Sequence[Column]) -> Iterator[Sequence[Any]]:
    if dataset.blocks is not None:
        yield from dataset.blocks
        return
    rows = min(BLOCK_ROWS, max(1, MAX_BLOCK_CELLS // len(columns)))
    for start in range(0, len(columns[0].values), rows):
        yield [column.values[start : start + rows] for column in columns]


def find_type(values: Any) -> ColumnType:
    """What the values are. Text wins where they are mixed; a column without any value is text."""
    if isinstance(values, TextValues):
        return ColumnType.STRING
    if isinstance(values, np.ndarray) and values.dtype.kind in "fibuM":
        if values.dtype == np.float32:
            return ColumnType.FLOAT32
        return NUMPY_KINDS.get(values.dtype.kind, ColumnType.INT64)
    kinds = {type(value) for value in values if value is not None}
    if not kinds or any(issubclass(kind, str) for kind in kinds):
        return ColumnType.STRING
    if all(issubclass(kind, bool | np.bool_) for kind in kinds):
        return ColumnType.BOOL
    if all(issubclass(kind, datetime) for kind in kinds):
        return ColumnType.TIMESTAMP
    if all(issubclass(kind, int | np.integer) and not issubclass(kind, bool) for kind in kinds):
        fits = all(-INT64_LIMIT <= int(value) < INT64_LIMIT for value in values if value is not None)
        return ColumnType.INT64 if fits else ColumnType.STRING
    numbers = int | float | np.integer | np.floating
    return ColumnType.FLOAT64 if all(issubclass(kind, numbers) for kind in kinds) else ColumnType.STRING


def write_values(file: IO[bytes], values: Any, kind: ColumnType) -> int:
    if kind is ColumnType.STRING:
        texts = values if isinstance(values, TextValues) else pack_texts(values)
        parts, nulls = [bytes(texts.data), texts.offsets.astype("<i8").tobytes()], texts.nulls
    else:
        plain, nulls = pack_values(values, kind)
        parts = [plain.tobytes(), b""]
    parts.append(nulls.astype("|u1").tobytes() if nulls.any() else b"")
    return sum(map(file.write, [LENGTHS.pack(*map(len, parts)), *parts]))


def pack_texts(values: Sequence[Any]) -> TextValues:
    encoded = [b"" if value is None else str(value).encode("utf-8", "replace") for value in values]
    offsets = np.fromiter(accumulate(map(len, encoded), initial=0), dtype=np.int64, count=len(encoded) + 1)
    nulls = np.fromiter((value is None for value in values), dtype=np.uint8, count=len(encoded))
    return TextValues(b"".join(encoded), offsets, nulls)


def pack_values(values: Any, kind: ColumnType) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """The plain values, and where there is none. NaN is a value of its own; what is masked or None is missing."""
    if isinstance(values, np.ma.MaskedArray):
        plain, _ = pack_values(values.filled(0), kind)
        return plain, np.ma.getmaskarray(values).astype(np.uint8)
    if isinstance(values, np.ndarray) and values.dtype.kind in "fibu":
        return values.astype(STORED[kind], copy=False), np.zeros(len(values), np.uint8)
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        micros = values.astype("datetime64[us]")
        return micros.astype("<i8"), np.isnat(micros).astype(np.uint8)
    nulls = np.fromiter((value is None for value in values), dtype=np.uint8, count=len(values))
    if kind is ColumnType.TIMESTAMP:
        return np.array([0 if value is None else microseconds_of(value) for value in values], "<i8"), nulls
    return np.array([0 if value is None else value for value in values], STORED[kind]), nulls


def microseconds_of(moment: datetime) -> int:
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
