"""From the text of a file to Parquet: every number to its last bit, every text as it is."""

import json
import math

import pyarrow.parquet
import pytest

from files.models import File
from processing.dataset_making.checks import check_dataset
from processing.dataset_making.files import write_dataset
from processing.dataset_making.parquet import write_parquet
from processing.processors.columns import reader
from tests.factories import make_file
from tests.processing.here import read_here

pytestmark = pytest.mark.django_db
NUMBERS = [math.sin(n) * 10.0 ** (n % 20 - 15) for n in range(1, 2_000)]


def as_parquet(folder, text):
    (dataset,) = read_here(reader.read, folder / "log.csv", text).datasets
    write_dataset(folder / "0", dataset, most_bytes=10**9)
    checked = check_dataset(folder / "0")
    statistics = write_parquet(checked, source=make_file("log.csv"), to=folder / "parquet")
    return pyarrow.parquet.read_table(folder / "parquet"), [one.as_json() for one in statistics]


def test_numbers_of_seventeen_digits_come_through(tmp_path):
    text = "sample,alpha (V)\n" + "".join(f"s{n},{number:.17g}\n" for n, number in enumerate(NUMBERS))

    table, statistics = as_parquet(tmp_path, text)

    assert table.column("alpha").to_pylist() == NUMBERS
    assert table.column("sample").to_pylist()[:2] == ["s0", "s1"]
    assert (statistics[1]["min"], statistics[1]["max"]) == (min(NUMBERS), max(NUMBERS))
    assert statistics[0]["distinct_count"] == len(NUMBERS)


def test_more_rows_than_a_page_shows_keep_their_texts(tmp_path):
    text = "sample,note,value\n" + "".join(f"s{n},µ {n},{n}.5\n" for n in range(6_000)) + "last,,\n"

    table, statistics = as_parquet(tmp_path, text)

    assert table.column("note").to_pylist()[5_998:] == ["µ 5998", "µ 5999", None]
    assert table.column("value").to_pylist()[5_999:] == [5999.5, None]
    assert statistics[2]["null_count"] == 1


def test_the_file_has_the_columns_of_the_table_and_says_where_it_is_from(tmp_path):
    table, statistics = as_parquet(tmp_path, "run,value [mm]\nmine,1.5\n,2.5\n")

    run, said = File.objects.get().run, table.schema.metadata
    assert table.column_names == ["run", "value"]
    assert table.column("run").to_pylist() == ["mine", None]
    assert len(statistics) == 2
    assert (said[b"ids.instrument_id"], said[b"ids.run_id"]) == (run.instrument_id.encode(), run.run_id.encode())
    assert json.loads(said[b"ids.unit"]) == {"value": "mm"}
    chunk = pyarrow.parquet.ParquetFile(tmp_path / "parquet").metadata.row_group(0).column(0)
    assert "RLE_DICTIONARY" in chunk.encodings
