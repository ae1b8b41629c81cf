"""Rows of planes on their way into tiles: so many at a time, reduced, apart by sample, and the greatest of them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from processing.formats.tiles import Grid, halve

Pixels = NDArray[Any]


class Maxima:
    """The greatest code of each pixel over all depths."""

    def __init__(self, grid: Grid, samples: int) -> None:
        self.planes: list[Any] = [np.zeros((grid.height, grid.width), dtype=np.uint16) for _ in range(samples)]

    def add(self, codes: Any, *, place: int, top: int) -> None:
        if self.planes[place].dtype != codes.dtype:
            self.planes[place] = self.planes[place].astype(codes.dtype)
        room = self.planes[place][top : top + len(codes)]
        np.maximum(room, codes[: len(room)], out=room)


def split_samples(rows: Pixels) -> list[Pixels]:
    return [rows] if rows.ndim == 2 else [rows[..., sample] for sample in range(rows.shape[2])]


def regroup(bands: Iterator[Pixels], most: int) -> Iterator[Pixels]:
    """The same rows, so many at a time, the last ones fewer."""
    waiting: list[Pixels] = []
    for band in bands:
        waiting.append(band)
        if sum(map(len, waiting)) >= most:
            rows = np.concatenate(waiting) if len(waiting) > 1 else band
            whole = len(rows) // most * most
            yield from (rows[top : top + most] for top in range(0, whole, most))
            waiting = [rows[whole:]] if whole < len(rows) else []
    if waiting:
        yield np.concatenate(waiting)


def reduce_rows(rows: Pixels) -> Pixels:
    if rows.ndim == 3:
        return np.stack([reduce_rows(rows[..., sample]) for sample in range(rows.shape[2])], axis=-1)
    if rows.dtype in (np.uint8, np.uint16):
        return halve(rows)
    return rows[::2, ::2]
