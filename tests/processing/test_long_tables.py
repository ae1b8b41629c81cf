"""Long tables as curves: a row for each point, with a column that says whose it is."""

import io
from itertools import product

import h5py
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from processing.formats.long_tables import LongColumn, find_long_table
from processing.processors import parquet
from processing.processors.columns import reader as columns
from processing.processors.hdf5 import reader as hdf5
from processing.readings import Kind, Role
from tests.processing.here import documents, read_here

WELLS, CYCLES = ("A1", "A2", "B1"), range(1, 6)
ROWS = [(cycle, well, 100.0 * cycle + place) for (place, well), cycle in product(enumerate(WELLS), CYCLES)]


def as_csv():
    return "cycle,well,fluorescence\n" + "".join(f"{cycle},{well},{value}\n" for cycle, well, value in ROWS)


def as_parquet():
    table = pyarrow.table(dict(zip(("cycle", "well", "fluorescence"), zip(*ROWS, strict=True), strict=True)))
    out = io.BytesIO()
    pyarrow.parquet.write_table(table, out)
    return out.getvalue()


def as_hdf5():
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        fields = [("cycle", "i4"), ("well", "S3"), ("fluorescence", "f8")]
        file["reads"] = np.array([(cycle, well.encode(), value) for cycle, well, value in ROWS], dtype=fields)
    return out.getvalue()


@pytest.mark.parametrize(
    ("read", "name", "content"),
    [(columns.read, "a.csv", as_csv), (parquet.read, "a.parquet", as_parquet), (hdf5.read, "a.h5", as_hdf5)],
)
def test_a_long_table_is_a_set_of_curves_a_plate_and_still_a_table(read, name, content, tmp_path):
    output = read_here(read, tmp_path / name, content())

    (curve,) = documents(output, Kind.CURVE)
    (plate,) = documents(output, Kind.PLATE)
    assert (curve["x"]["label"], curve["y"]["label"]) == ("Cycle", "Fluorescence")
    assert [(one["label"], one["y"][-1]) for one in curve["series"]] == [("A1", 500), ("A2", 501), ("B1", 502)]
    assert plate["wells"]["B1"]["values"] == [102, 202, 302, 402, 502]
    assert plate["steps"] == {"label": "Cycle", "unit": None, "values": [1, 2, 3, 4, 5]}
    assert documents(output, Kind.TABLE)[0]["total_rows"] == 15


def test_the_dataset_of_a_long_table_says_what_its_columns_are(tmp_path):
    (dataset,) = read_here(columns.read, tmp_path / "a.csv", as_csv()).datasets

    assert {one.name: one.role for one in dataset.columns} == {
        "cycle": Role.AXIS,
        "well": Role.KEY,
        "fluorescence": Role.VALUE,
    }


def make_columns(*rows, names=("time_s", "sample", "target", "signal")):
    given = zip(names, zip(*rows, strict=True), strict=True)
    return [
        LongColumn(name, texts=list(values))
        if isinstance(values[0], str)
        else LongColumn(name, numbers=np.array(values, dtype=np.float64))
        for name, values in given
    ]


def test_two_columns_are_the_key_where_one_is_not_enough():
    rows = [(t, s, g, t * t) for s in ("S1", "S2") for g in ("GAPDH", "MYC") for t in range(5)]

    table = find_long_table(make_columns(*rows))

    assert [key.name for key in table.keys] == ["sample", "target"]
    assert list(table.rows_of) == [("S1", "GAPDH"), ("S1", "MYC"), ("S2", "GAPDH"), ("S2", "MYC")]
    assert table.axis.as_axis().unit == "s"


@pytest.mark.parametrize(
    "rows",
    [
        [(t, s, "x", 1.0 * t) for s in ("S1", "S2") for t in (0, 0, 1, 2, 3)],  # two points at one place
        [(t, f"S{t}", "x", 1.0 * t) for t in range(20)],  # a sample in each row
        [(t, s, "x", 1.0) for s in ("S1", "S2") for t in range(5)],  # nothing that changes
        [(1, s, "x", 1.0 * t) for s in ("S1", "S2") for t in range(5)],  # no axis
    ],
)
def test_other_tables_are_no_curves(rows):
    assert find_long_table(make_columns(*rows)) is None
