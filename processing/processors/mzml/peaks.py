"""The peaks of every scan as a dataset, and the scans as another: whole, in the types in which they are stored."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from processing.dataset_making.values import BLOCK_ROWS, ColumnType
from processing.processors.mzml.arrays import INTENSITY, MZ, Encoded, Parameters, arrays_of
from processing.processors.mzml.elements import iterate_elements, list_parameters, opened
from processing.readings import Column, Dataset, DatasetKind, Role

MOST_SCANS = 2_000_000
UNSTATED = float("nan")
INTEGERS = {"<i4", "<i8"}
Block = list[NDArray[Any]]


def find_type(stored: set[str]) -> ColumnType:
    """The narrowest type that holds every number of these types to the last bit."""
    if stored <= INTEGERS:
        return ColumnType.INT64
    return ColumnType.FLOAT32 if stored == {"<f4"} else ColumnType.FLOAT64


@dataclass
class Scans:
    """What the first pass learns of each spectrum. Beyond MOST_SCANS none is added, and no dataset made."""

    levels: "array[int]" = field(default_factory=lambda: array("q"))
    numbers: dict[str, "array[float]"] = field(
        default_factory=lambda: {name: array("d") for name in ("time", "precursor", "total", "base_peak")}
    )
    names: bytearray = field(default_factory=bytearray)
    name_ends: "array[int]" = field(default_factory=lambda: array("q", [0]))
    types: dict[str, set[str]] = field(default_factory=lambda: {MZ: set(), INTENSITY: set()})
    is_whole: bool = True

    def add(self, name: str, *, level: int, **numbers: float | None) -> None:
        if len(self.levels) >= MOST_SCANS:
            self.is_whole = False
            return
        self.levels.append(level)
        for key, values in self.numbers.items():
            number = numbers.get(key)
            values.append(UNSTATED if number is None else number)
        self.names += name.encode("utf-8", "replace")
        self.name_ends.append(len(self.names))

    def note_types(self, arrays: dict[str, Encoded]) -> None:
        for kind, found in self.types.items():
            if kind in arrays:
                found.add(arrays[kind].stored_type)

    def list_names(self) -> Any:
        from processing.dataset_making.files import TextValues

        return TextValues(self.names, np.array(self.name_ends, np.int64), np.zeros(len(self.levels), np.uint8))


def list_datasets(path: Path, scans: Scans, *, time_unit: str) -> list[Dataset]:
    """`events` and `scans`, which have the column `scan` in common."""
    if not scans.is_whole or not scans.levels:
        return []
    blocks = gather_blocks(read_scans(path, scans))
    events = [describe_events(scans, blocks, time_unit=time_unit)] if all(scans.types.values()) else []
    return [*events, describe_scans(scans, time_unit=time_unit)]


def describe_events(scans: Scans, blocks: Iterable[Block], *, time_unit: str) -> Dataset:
    columns = [
        Column("scan", role=Role.KEY, title="Scan", type=ColumnType.INT64),
        Column("ms_level", role=Role.LABEL, title="MS level", type=ColumnType.INT64),
        Column("retention_time", (), time_unit, Role.LABEL, "Retention time", ColumnType.FLOAT64),
        Column("m/z", (), None, Role.AXIS, "m/z", find_type(scans.types[MZ])),
        Column("intensity", (), "counts", Role.VALUE, "Intensity", find_type(scans.types[INTENSITY])),
    ]
    return Dataset("events", "Peaks of all scans", DatasetKind.EVENTS, columns, blocks=blocks)


def describe_scans(scans: Scans, *, time_unit: str) -> Dataset:
    numbers = {name: np.ma.masked_invalid(np.array(values)) for name, values in scans.numbers.items()}
    columns = [
        Column("scan", np.arange(1, len(scans.levels) + 1), role=Role.KEY, title="Scan"),
        Column("native_id", scans.list_names(), role=Role.LABEL, title="Native id"),
        Column("ms_level", np.array(scans.levels), role=Role.LABEL, title="MS level"),
        Column("retention_time", numbers["time"], time_unit, Role.AXIS, "Retention time"),
        Column("precursor_mz", numbers["precursor"], None, Role.VALUE, "Precursor m/z"),
        Column("total_ion_current", numbers["total"], "counts", Role.VALUE, "Total ion current"),
        Column("base_peak_intensity", numbers["base_peak"], "counts", Role.VALUE, "Base peak intensity"),
    ]
    return Dataset("scans", "Scans", DatasetKind.TABLE, columns)


def gather_blocks(spectra: Iterable[Block]) -> Iterator[Block]:
    """The peaks of one spectrum after the other, in blocks of one size: nothing but one of them is held."""
    held: list[Block] = []
    rows = 0
    for block in spectra:
        held.append(block)
        rows += len(block[0])
        if rows >= BLOCK_ROWS:
            joined = join_blocks(held)
            whole = rows - rows % BLOCK_ROWS
            yield from (cut(joined, first, first + BLOCK_ROWS) for first in range(0, whole, BLOCK_ROWS))
            held, rows = [cut(joined, whole, rows)], rows - whole
    if rows:
        yield join_blocks(held)


def join_blocks(blocks: list[Block]) -> Block:
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


def cut(block: Block, first: int, end: int) -> Block:
    return [values[first:end] for values in block]


def read_scans(path: Path, scans: Scans) -> Iterator[Block]:
    """A second pass over the file."""
    wanted = {kind: np.dtype(str(find_type(scans.types[kind]))) for kind in (MZ, INTENSITY)}
    for place, element in enumerate(iterate_spectra(path)):
        arrays = arrays_of(element[0], element[1])
        if MZ not in arrays or INTENSITY not in arrays:
            continue
        mz, heights = (arrays[kind].decode_stored().astype(wanted[kind]) for kind in (MZ, INTENSITY))
        shown = min(len(mz), len(heights))
        level, time = scans.levels[place], scans.numbers["time"][place]
        repeated = [np.full(shown, place + 1), np.full(shown, level), np.full(shown, time)]
        yield [*repeated, mz[:shown], heights[:shown]]


def iterate_spectra(path: Path) -> Iterator[tuple[Element, dict[str, list[Element]]]]:
    groups: dict[str, list[Element]] = {}
    with opened(path) as file:
        for name, element in iterate_elements(file):
            if name == "referenceableParamGroup":
                groups[element.get("id", "")] = list_parameters(element)
            elif name == "spectrum":
                yield element, groups


def find_parameters(element: Element, name: str) -> Parameters:
    """Those of the first element of this name within another."""
    for inner in element.iter():
        if inner.tag.rpartition("}")[2] == name:
            return {child.get("accession", ""): child for child in inner}
    return {}
