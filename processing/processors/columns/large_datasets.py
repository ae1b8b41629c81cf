"""The table of a text too large to be held as a dataset: gone through once more, block by block, every row."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.csv

from processing.dataset_making.files import TextValues
from processing.dataset_making.values import BLOCK_ROWS, MAX_BLOCK_CELLS, ColumnType
from processing.processors.columns.datasets import NAME
from processing.processors.columns.large_rows import Plan, Utf8Source, open_batches
from processing.processors.columns.layout import split_name_and_unit
from processing.readings import Column, Dataset, DatasetKind, Role


def dataset_of_large_text(
    path: Path, plan: Plan, header: Sequence[str], numeric: frozenset[int], *, title: str, has_axis: bool
) -> Dataset | None:
    """`numeric`: the places of the columns of numbers; all others are text."""
    if len(header) != plan.width:
        return None
    columns = [
        build_column(name, is_numeric=place in numeric, is_axis=has_axis and place == 0)
        for place, name in enumerate(header)
    ]
    return Dataset(NAME, title, DatasetKind.TABLE, columns, blocks=read_blocks(path, plan, numeric))


def build_column(header: str, *, is_numeric: bool, is_axis: bool) -> Column:
    name, unit = split_name_and_unit(header)
    role = Role.AXIS if is_axis else Role.VALUE if is_numeric else Role.LABEL
    return Column(name, (), unit, role, header, ColumnType.FLOAT64 if is_numeric else ColumnType.STRING)


def read_blocks(path: Path, plan: Plan, numeric: frozenset[int]) -> Iterator[list[Any]]:
    """Rows of another number of cells are left out, as on the page, which says how many there are."""
    rows = max(1, min(BLOCK_ROWS, MAX_BLOCK_CELLS // plan.width))
    with path.open("rb") as raw:
        for batch in open_batches(Utf8Source(raw, plan), plan, numeric, on_invalid=lambda _: "skip"):
            for start in range(0, batch.num_rows, rows):
                yield [values_of(column) for column in batch.slice(start, rows).columns]


def values_of(column: pyarrow.Array) -> Any:
    if pyarrow.types.is_floating(column.type):
        values = column.to_numpy(zero_copy_only=False)
        return np.ma.masked_invalid(values)
    nulls = np.asarray(column.is_null().to_numpy(zero_copy_only=False), dtype=np.uint8)
    texts = [b"" if text is None else text.encode() for text in column.to_pylist()]
    offsets = np.concatenate(([0], np.cumsum([len(text) for text in texts], dtype=np.int64)))
    return TextValues(b"".join(texts), offsets.astype(np.int64), nulls)
