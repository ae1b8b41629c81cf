"""What a child hands over as columns, checked as a stranger's input."""

import json
import struct

import numpy as np
import pyarrow.parquet
import pytest

from processing.confined.output import InvalidOutput
from processing.dataset_making.checks import check_datasets, read_batches
from processing.dataset_making.files import write_dataset
from processing.dataset_making.parquet import build_schema, write_parquet
from processing.dataset_making.values import name_datasets
from processing.readings import Column, Dataset, DatasetKind
from tests.factories import make_file

PLENTY = 10**9


@pytest.fixture
def given(tmp_path):
    values = [Column("A [nm]", np.array([1 / 3, np.nan])), Column("text", ["µ", None]), Column("n", [1, None])]
    write_dataset(tmp_path / "0", Dataset("table", "T", DatasetKind.TABLE, values), most_bytes=PLENTY)
    return tmp_path


def read_all(folder):
    (dataset,) = check_datasets(folder)
    schema = build_schema(dataset, make_file("a.csv"))
    return [row for batch in read_batches(dataset, schema) for row in batch.to_pylist()]


@pytest.mark.django_db
def test_values_come_through_to_the_last_bit(given):
    first, second = read_all(given)

    assert first == {"a_nm": 1 / 3, "text": "µ", "n": 1}
    assert np.isnan(second["a_nm"])
    assert (second["text"], second["n"]) == (None, None)


def change(folder, **changes):
    path = folder / "0" / "about.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "../x"},
        {"kind": "moon"},
        {"columns": []},
        {"columns": [{"name": "a", "type": "object"}]},
        {"columns": [{"name": "a", "type": "float64"}] * 2},
        {"columns": [{"name": "file_row_number", "type": "float64"}]},
        {"columns": [{"name": 'a"; DROP', "type": "float64"}]},
        {"blocks": [-1]},
        {"blocks": [10**9]},
        {"blocks": [True]},
        {"blocks": "x"},
    ],
)
def test_a_description_that_cannot_be_is_refused(given, changes):
    change(given, **changes)

    with pytest.raises(InvalidOutput):
        check_datasets(given)


HUGE = struct.pack("<3q", 2**62, 0, 0)


@pytest.mark.django_db
@pytest.mark.parametrize("data", [b"", b"x" * 10, HUGE, struct.pack("<3q", 16, 0, -1) + bytes(16)])
def test_values_that_are_not_what_was_said_are_refused(given, data):
    (given / "0" / "0").write_bytes(data)

    with pytest.raises(InvalidOutput):
        read_all(given)


@pytest.mark.django_db
def test_offsets_beyond_the_text_are_refused(tmp_path):
    text = Dataset("t", "", DatasetKind.TABLE, [Column("t", ["ab"])])
    write_dataset(tmp_path / "0", text, most_bytes=PLENTY)
    (tmp_path / "0" / "0").write_bytes(struct.pack("<3q", 2, 16, 0) + b"ab" + struct.pack("<2q", 0, 10**12))

    with pytest.raises(InvalidOutput):
        read_all(tmp_path)


@pytest.mark.django_db
def test_text_that_is_not_utf_8_is_refused(tmp_path):
    text = Dataset("t", "", DatasetKind.TABLE, [Column("t", ["ab"])])
    write_dataset(tmp_path / "0", text, most_bytes=PLENTY)
    (tmp_path / "0" / "0").write_bytes(struct.pack("<3q", 2, 16, 0) + b"\xff\xfe" + struct.pack("<2q", 0, 2))

    with pytest.raises(InvalidOutput):
        read_all(tmp_path)


@pytest.mark.django_db
def test_a_link_in_the_place_of_values_is_refused(given):
    (given / "0" / "0").unlink()
    (given / "0" / "0").symlink_to("/etc/passwd")

    with pytest.raises(InvalidOutput):
        read_all(given)


def test_datasets_of_one_name_are_numbered_in_the_order_of_the_file():
    datasets = [Dataset("table", "", DatasetKind.TABLE, []) for _ in range(3)]

    assert [one.name for one in name_datasets(datasets)] == ["table", "table_2", "table_3"]


@pytest.mark.django_db
def test_columns_are_described_in_the_metadata_of_the_file_and_types_need_no_more(given, tmp_path):
    (dataset,) = check_datasets(given)

    write_parquet(dataset, source=make_file("a.csv"), to=tmp_path / "table.parquet")

    schema = pyarrow.parquet.read_schema(tmp_path / "table.parquet")
    assert json.loads(schema.metadata[b"ids.columns"])["a_nm"] == {"title": "A [nm]"}
    assert schema.types[:3] == [pyarrow.float64(), pyarrow.string(), pyarrow.int64()]
    assert b"ARROW:schema" not in pyarrow.parquet.read_metadata(tmp_path / "table.parquet").metadata
