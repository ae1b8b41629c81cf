"""A pyramid of tiles, written row by row: no more of a plane is in memory than the rows of one tile for each level."""

from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from processing.formats.tile_coding import Codes, Coding

TILE = 512
HALVED_AT_ONCE = 32  # rows: their sums take four times the room
MAGIC = b"IDSTILES"


class TilesTooLarge(Exception):
    """More bytes than were allowed."""


@dataclass(frozen=True)
class Grid:
    """Levels of one plane, the largest first; each is half as wide as the one before, the last fits into a tile."""

    width: int
    height: int

    @property
    def levels(self) -> list[tuple[int, int]]:
        """Columns and rows of tiles of each level."""
        width, height, found = self.width, self.height, []
        while True:
            found.append((-(-width // TILE), -(-height // TILE)))
            if width <= TILE and height <= TILE:
                return found
            width, height = -(-width // 2), -(-height // 2)

    @property
    def tiles(self) -> int:
        return sum(columns * rows for columns, rows in self.levels)


@dataclass
class TileFile:
    """Where tiles are written to, and where each of them begins."""

    file: BinaryIO
    grid: Grid
    planes: int
    most_bytes: int
    offsets: list[int] = field(init=False)
    lengths: list[int] = field(init=False)
    size: int = 0

    def __post_init__(self) -> None:
        self.offsets, self.lengths = [0] * self.count, [0] * self.count
        self.write(MAGIC)

    @property
    def count(self) -> int:
        return self.planes * self.grid.tiles

    def write(self, data: bytes) -> int:
        place = self.size
        self.size += len(data)
        if self.size > self.most_bytes:
            raise TilesTooLarge
        self.file.write(data)
        return place

    def put(self, number: int, data: bytes) -> None:
        self.offsets[number], self.lengths[number] = self.write(data), len(data)


class PlaneWriter:
    """Takes the rows of one plane from top to bottom."""

    def __init__(self, tiles: TileFile, *, plane: int, coding: Coding, seen: "Seen") -> None:
        self.tiles, self.coding, self.seen = tiles, coding, seen
        self.levels = tiles.grid.levels
        starts = np.cumsum([0, *(columns * rows for columns, rows in self.levels)])
        self.starts = [plane * tiles.grid.tiles + int(start) for start in starts]
        self.waiting: list[list[Codes]] = [[] for _ in self.levels]
        self.rows = [0] * len(self.levels)

    def add(self, codes: Codes, *, level: int = 0) -> None:
        self.waiting[level].append(codes)
        if sum(map(len, self.waiting[level])) < TILE:
            return
        rows = np.concatenate(self.waiting[level])
        whole = len(rows) // TILE * TILE
        self.waiting[level] = [rows[whole:]] if whole < len(rows) else []
        for top in range(0, whole, TILE):
            self.put_row(rows[top : top + TILE], level=level)

    def finish(self) -> None:
        for level, waiting in enumerate(self.waiting):
            if waiting:
                self.put_row(np.concatenate(waiting), level=level)

    def put_row(self, rows: Codes, *, level: int) -> None:
        columns, _ = self.levels[level]
        first = self.starts[level] + self.rows[level] * columns
        self.rows[level] += 1
        for column in range(columns):
            tile = rows[:, column * TILE : (column + 1) * TILE]
            self.tiles.put(first + column, self.coding.encode(tile))
        if level == 0:
            self.seen.widen(rows)
        if level + 1 < len(self.levels):
            self.add(halve(rows), level=level + 1)
        else:
            self.seen.count(rows)


@dataclass
class Seen:
    """Of one channel over all its planes: the least and greatest code, and how often each is in the coarsest level."""

    counts: Any
    least: int = 65_535
    greatest: int = 0

    def widen(self, rows: Codes) -> None:
        self.least, self.greatest = min(self.least, int(rows.min())), max(self.greatest, int(rows.max()))

    def count(self, rows: Codes) -> None:
        self.counts += np.bincount(rows.ravel(), minlength=len(self.counts))

    def percentile(self, share: float) -> int:
        up_to = np.cumsum(self.counts)
        return int(np.searchsorted(up_to, share * up_to[-1], side="left"))


def halve(rows: Codes) -> Codes:
    """Means of two by two; the last row or column stands twice where their number is odd."""
    rows = np.pad(rows, ((0, len(rows) % 2), (0, rows.shape[1] % 2)), mode="edge")
    half = np.empty((len(rows) // 2, rows.shape[1] // 2), dtype=rows.dtype)
    for top in range(0, len(half), HALVED_AT_ONCE):
        wide = rows[2 * top : 2 * (top + HALVED_AT_ONCE)].astype(np.uint32)
        sums = wide[::2, ::2] + wide[1::2, ::2] + wide[::2, 1::2] + wide[1::2, 1::2]
        half[top : top + HALVED_AT_ONCE] = (sums + 2) >> 2
    return half
