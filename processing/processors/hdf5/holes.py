"""Datasets of HDF5 with a hole: zeros in one place, among numbers that are far from it."""

from collections.abc import Iterator
from typing import Any

import h5py
import numpy as np

from processing.doubts.curves import has_hole
from processing.processors.hdf5.tree import Tree
from processing.processors.image import pixels

MOST_DATASETS, MOST_NUMBERS = 200, 2_000_000  # that are looked at; of each
LEAST_NUMBERS, MOST_CHARACTERS = 20, 80


def list_holes(tree: Tree) -> Iterator[str]:
    """One sentence, about the first. What is packed has a checksum of its own, or does not unpack."""
    looked_at = 0
    for path, dataset in tree.datasets.items():
        if is_plain(dataset) and (looked_at := looked_at + 1) <= MOST_DATASETS and holds_hole(dataset[()]):
            name = path[:MOST_CHARACTERS]
            yield f"Numbers of “{name}” that follow each other are zero, and no others are: the file may be damaged."
            return


def is_plain(dataset: h5py.Dataset) -> bool:
    """Whether its numbers stand in the file as they are."""
    is_here = not (dataset.is_virtual or dataset.external or dataset.compression)
    return (
        is_here
        and dataset.ndim in (1, 2)
        and dataset.dtype.kind in "fiu"
        and LEAST_NUMBERS <= dataset.size <= MOST_NUMBERS
    )


def holds_hole(numbers: np.ndarray[Any, Any]) -> bool:
    """Of which half a number at the edge of the hole may be left: it is hardly more than nothing."""
    if numbers.dtype.kind == "f":
        if not np.isfinite(numbers).all():
            return False
        numbers = np.where(np.abs(numbers) < np.finfo(numbers.dtype).tiny, 0, numbers)
    return has_hole(numbers.tolist()) if numbers.ndim == 1 else pixels.has_hole(numbers)
