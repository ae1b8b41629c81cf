"""The tree of an HDF5 file: every group and dataset once, links to other files listed and never followed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from processing.facts import clean_text
from processing.formats.long_tables import MAX_ROWS as MAX_LONG_ROWS
from processing.formats.long_tables import LongColumn
from processing.formats.table import Cell, Column, Table
from processing.readings import MIB

MAX_NODES = 20_000
MAX_DEPTH = 50
MAX_VALUES_BYTES = 128 * MIB
MAX_TEXTS = 1000


@dataclass
class Tree:
    """What was found on the way through the file."""

    groups: dict[str, h5py.Group] = field(default_factory=dict)
    datasets: dict[str, h5py.Dataset] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)  # to other files
    seen: set[int] = field(default_factory=set)  # addresses
    is_cut: bool = False

    def walk(self, group: h5py.Group, *, path: str = "", depth: int = 0) -> None:
        self.seen.add(h5py.h5o.get_info(group.id).addr)
        for name in group:
            if len(self.groups) + len(self.datasets) >= MAX_NODES or depth > MAX_DEPTH:
                self.is_cut = True
                return
            self.visit(group, name, path=f"{path}/{name}".lstrip("/"), depth=depth)

    def visit(self, group: h5py.Group, name: str, *, path: str, depth: int) -> None:
        link = group.get(name, getlink=True)
        if isinstance(link, h5py.ExternalLink):
            self.links.append(path)
        if not isinstance(link, h5py.HardLink):
            return
        node = group[name]
        address = h5py.h5o.get_info(node.id).addr
        if address in self.seen:
            return
        self.seen.add(address)
        if isinstance(node, h5py.Dataset):
            self.datasets[path] = node
        elif isinstance(node, h5py.Group):
            self.groups[path] = node
            self.walk(node, path=path, depth=depth + 1)


def text_attribute(node: h5py.Group | h5py.Dataset, name: str) -> str:
    """Empty where there is none, or where it is no text."""
    texts = text_attributes(node, name)
    return texts[0] if texts else ""


def text_attributes(node: h5py.Group | h5py.Dataset, name: str) -> list[str]:
    stored = node.attrs.get(name)
    values = [] if stored is None else np.ravel(stored).tolist()
    return [as_text(value) for value in values if isinstance(value, str | bytes)]


def as_text(value: str | bytes) -> str:
    return clean_text(value.decode("utf-8", "replace") if isinstance(value, bytes) else value)


def can_be_read(dataset: h5py.Dataset) -> bool:
    """Neither kept in other files nor too large to be held."""
    is_here = not dataset.is_virtual and not dataset.external
    return is_here and dataset.shape is not None and dataset.size * max(1, dataset.dtype.itemsize) <= MAX_VALUES_BYTES


def numbers_of(dataset: h5py.Dataset) -> NDArray[np.generic] | None:
    """Its values, where they are numbers that can be read."""
    is_number = dataset.dtype.kind in "iufb"
    return np.asarray(dataset[()]) if is_number and can_be_read(dataset) else None


def text_of(dataset: h5py.Dataset) -> str:
    """A text that stands alone; empty for anything else."""
    if dataset.dtype.kind not in "OS" or not can_be_read(dataset) or dataset.size != 1:
        return ""
    value = np.ravel(dataset[()])[0]
    return as_text(value) if isinstance(value, str | bytes) else ""


def tabulate_tree(tree: Tree) -> Table:
    """One row for each group and dataset, in the order of their paths."""
    names = ("Path", "Class", "Shape", "Type", "Unit", "Value", "First", "Last", "Least", "Greatest")
    rows = [*(describe_group(path, group) for path, group in tree.groups.items())]
    rows += [describe_dataset(path, dataset) for path, dataset in tree.datasets.items()]
    rows += [[path, "link to another file", *[None] * 8] for path in tree.links]
    return Table("Contents", [Column(name) for name in names], sorted(rows, key=lambda row: str(row[0])))


def describe_group(path: str, group: h5py.Group) -> list[Cell]:
    return [path, text_attribute(group, "NX_class") or "group", *[None] * 8]


def describe_dataset(path: str, dataset: h5py.Dataset) -> list[Cell]:
    shape = " x ".join(map(str, dataset.shape or ())) or "scalar"
    unit = text_attribute(dataset, "units") or None
    fields = ", ".join(dataset.dtype.names or ())
    kind = "text" if dataset.dtype.kind in "OS" else f"table ({fields})" if fields else str(dataset.dtype)
    known: list[Cell] = [path, "dataset", shape, kind, unit]
    values = numbers_of(dataset)
    if values is None or not values.size:
        return [*known, text_of(dataset) or None, *[None] * 4]
    if values.size == 1:
        return [*known, values.ravel()[0].item(), *[None] * 4]
    return [*known, None, *summarise(values)]


def summarise(values: NDArray[np.generic]) -> list[float]:
    """First, last, least and greatest; what is no number is passed over for the latter two."""
    flat = values.ravel().astype(np.float64)
    finite = flat[np.isfinite(flat)]
    extremes = [float(finite.min()), float(finite.max())] if finite.size else [float("nan")] * 2
    return [float(flat[0]), float(flat[-1]), *extremes]


def list_compounds(tree: Tree) -> Iterator[tuple[str, h5py.Dataset]]:
    """Datasets that are tables: rows of named fields."""
    for path, dataset in tree.datasets.items():
        if dataset.dtype.names and len(dataset.shape or ()) == 1 and can_be_read(dataset):
            yield path, dataset


def tabulate_compound(path: str, dataset: h5py.Dataset, *, most: int) -> Table:
    columns = [Column(name) for name in dataset.dtype.names or ()]
    rows = [[as_cell(value) for value in row] for row in dataset[:most].tolist()]
    return Table(path, columns, rows, total_rows=len(dataset))


def list_long_columns(dataset: h5py.Dataset) -> list[LongColumn]:
    """Every field of a table that is numbers or texts; others are none of a curve's."""
    if len(dataset) > MAX_LONG_ROWS:
        return []
    rows = dataset[()]
    found = []
    for name in dataset.dtype.names or ():
        values, kind = rows[name], rows[name].dtype.kind
        if values.ndim != 1 or kind not in "iufSO":
            continue
        is_number = kind in "iuf"
        texts = None if is_number else [as_text(one) if isinstance(one, str | bytes) else None for one in values]
        found.append(LongColumn(name, numbers=values.astype(np.float64) if is_number else None, texts=texts))
    return found


def as_cell(value: Any) -> Cell:
    if isinstance(value, bytes):
        return as_text(value)
    return value if isinstance(value, bool | int | float | str) or value is None else str(value)


def plain_attributes(attributes: Mapping[str, Any]) -> dict[str, Cell]:
    """Single texts and numbers of a group's attributes."""
    plain: dict[str, Cell] = {}
    for name, stored in attributes.items():
        values = np.ravel(stored).tolist()
        if len(values) == 1 and isinstance(values[0], str | bytes | int | float):
            plain[name] = as_cell(values[0])
    return plain
