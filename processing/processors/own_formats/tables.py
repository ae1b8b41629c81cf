"""Tables of openreadout: numbers, and words by their place in a list."""

from typing import Any

import numpy as np
import openreadout
from numpy.typing import NDArray

from processing.dataset_making.values import Column as DatasetColumn
from processing.dataset_making.values import Dataset, DatasetKind, Role
from processing.formats.table import MAX_ROWS, Column, Table
from processing.readings import Output

MOST_CELLS = 20_000_000  # of one table: what is read is held
LARGEST_WHOLE = 2**53
MOST_LISTED = 2_000_000  # cells of a table that is made of Python's own values


def draw_tables(file: openreadout.File) -> Output:
    artefacts, datasets, warnings = [], [], []
    for number, table in enumerate(file.tables, start=1):
        columns, rows = table["columns"], table["row_count"]
        most = min(rows, MOST_CELLS // max(1, len(columns)))
        values = file.read_table(table["index"], max_rows=most)
        named = [Column(column["name"], column.get("unit")) for column in columns]
        cells = [read_column(column, values[:, place]) for place, column in enumerate(columns)]
        listed = most if most * len(columns) <= MOST_LISTED else min(most, MAX_ROWS)
        shown = list(zip(*(column[:listed].tolist() for column in cells), strict=True))
        title = table.get("name", "").replace("_", " ").capitalize() or "Table"
        artefacts.append(Table(title, named, shown, total_rows=rows).artefact(f"table-{number}.json"))
        if listed < most:
            datasets.append(describe_large(title, named, cells))
        if most < rows:
            warnings.append(f"Of {rows:,} rows of “{title}” the first {most:,} are read.")
    return Output(artefacts=artefacts, datasets=datasets, warnings=warnings)


def read_column(column: Any, values: NDArray[np.float64]) -> NDArray[Any]:
    """What is no number is a gap; whole numbers are whole."""
    words = column.get("extra", {}).get("categories")
    if words is not None:
        known = np.isfinite(values) & (values >= 0) & (values < len(words))
        places = np.where(known, values, len(words)).astype(np.int64)
        return np.array([*words, None], dtype=object)[places]
    if not np.isfinite(values).all():
        return np.array([value if np.isfinite(value) else None for value in values.tolist()], dtype=object)
    is_whole = (values == np.rint(values)).all() and (np.abs(values) < LARGEST_WHOLE).all()
    return values.astype(np.int64) if is_whole else values


def describe_large(title: str, named: list[Column], cells: list[NDArray[Any]]) -> Dataset:
    columns = [
        DatasetColumn(column.name, values, column.unit, Role.LABEL if is_text(values) else Role.VALUE)
        for column, values in zip(named, cells, strict=True)
    ]
    return Dataset(title, title, DatasetKind.TABLE, columns)


def is_text(values: NDArray[Any]) -> bool:
    return values.dtype == object and any(isinstance(value, str) for value in values)
