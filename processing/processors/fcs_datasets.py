"""The events of an FCS file as a dataset: a row an event, a column a channel, every value as it is stored."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from processing.dataset_making.values import BLOCK_ROWS, MAX_BLOCK_CELLS, ColumnType
from processing.readings import Column, Dataset, DatasetKind, Role

TYPES = {"f4": ColumnType.FLOAT32, "f8": ColumnType.FLOAT64, "u1": ColumnType.INT64, "u2": ColumnType.INT64}
TYPES |= {"u4": ColumnType.INT64, "u8": ColumnType.FLOAT64}  # of 64 bits not all fit into a signed integer


@dataclass(frozen=True)
class EventBlock:
    """Where the events stand in their file."""

    path: Path
    row: "np.dtype[np.void]"
    begin: int
    count: int
    masks: Sequence[int | None]  # of integers the bits that mean something
    is_big_endian: bool = False


def dataset_of_events(block: EventBlock, names: Sequence[tuple[str, str]], *, title: str) -> Dataset:
    types = [TYPES.get(block.row[place].str[1:], ColumnType.INT64) for place in range(len(names))]
    columns = [
        Column(short or f"channel_{number}", (), None, Role.VALUE, title_of(short, long), kind)
        for number, ((short, long), kind) in enumerate(zip(names, types, strict=True), start=1)
    ]
    return Dataset("events", title, DatasetKind.EVENTS, columns, blocks=read_blocks(block, types))


def title_of(short: str, long: str) -> str:
    return f"{long} ({short})" if long and long != short else short


def read_blocks(block: EventBlock, types: Sequence[ColumnType]) -> Iterator[list[NDArray[Any]]]:
    rows = max(1, min(BLOCK_ROWS, MAX_BLOCK_CELLS // len(types)))
    with block.path.open("rb") as file:
        file.seek(block.begin)
        for first in range(0, block.count, rows):
            data = file.read(min(rows, block.count - first) * block.row.itemsize)
            events = widen_rows(np.frombuffer(data, dtype=block.row), is_big_endian=block.is_big_endian)
            yield [mask_values(events[str(place)], mask) for place, mask in enumerate(block.masks)]


def mask_values(values: NDArray[Any], mask: int | None) -> NDArray[Any]:
    return values if mask is None else values.astype(np.uint64) & np.uint64(mask)


def widen_rows(rows: NDArray[np.void], *, is_big_endian: bool) -> NDArray[np.void]:
    """With integers of three, five, six or seven bytes, which stand there as bytes, as those of eight."""
    fields = {name: rows.dtype[name] for name in rows.dtype.names or ()}
    if not any(field.shape for field in fields.values()):
        return rows
    wide = np.empty(len(rows), np.dtype([(name, "<u8" if one.shape else one) for name, one in fields.items()]))
    for name, field in fields.items():
        wide[name] = join_bytes(rows[name], is_big_endian=is_big_endian) if field.shape else rows[name]
    return wide


def join_bytes(parts: NDArray[Any], *, is_big_endian: bool) -> NDArray[np.uint64]:
    whole = np.zeros(len(parts), np.uint64)
    for place in range(parts.shape[1]):
        shift = parts.shape[1] - 1 - place if is_big_endian else place
        whole |= parts[:, place].astype(np.uint64) << np.uint64(8 * shift)
    return whole
