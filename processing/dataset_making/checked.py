"""Datasets that a child gave back, as processing/dataset_making/checks.py found them good."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from processing.dataset_making.values import ColumnType, DatasetKind, Role


@dataclass(frozen=True)
class CheckedColumn:
    name: str
    type: ColumnType
    unit: str | None
    role: Role | None
    title: str


@dataclass(frozen=True)
class CheckedDataset:
    """What the child says of a dataset, checked. Its values are checked as they are read."""

    name: str
    title: str
    kind: DatasetKind
    columns: Sequence[CheckedColumn]
    blocks: Sequence[int]
    folder: Path

    @property
    def row_count(self) -> int:
        return sum(self.blocks)
