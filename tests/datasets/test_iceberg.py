"""The Iceberg catalogue: a table for each name, kept to what the service holds, over the Parquet files as they lie."""

from datetime import timedelta
from io import StringIO

import duckdb
import pytest
from django.core.management import CommandError, call_command

from datasets.iceberg import catalog as catalogue
from datasets.iceberg.export import forget_snapshots
from datasets.iceberg.fitting import build_schema
from datasets.models import Dataset
from files.storage import object_store
from runs.models import Run
from tests.datasets.making import make_dataset
from tests.factories import make_run, make_user
from tests.moto_servers import running_moto
from tests.stores import s3_store_at, use_files, use_s3
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def place(settings, tmp_path):
    settings.IDS_DATA = tmp_path
    use_files(settings, tmp_path / "objects")
    yield tmp_path
    object_store.cache_clear()


def export(*arguments):
    """What it says: the tables, and what is left out."""
    out, errors = StringIO(), StringIO()
    call_command("export_catalog", *arguments, stdout=out, stderr=errors)
    return out.getvalue().splitlines(), errors.getvalue().splitlines()


def table(name="table"):
    return catalogue.load_table(catalogue.open_catalog(), name)


def rows(name="table"):
    return table(name).scan().to_arrow().to_pylist()


def delete(run):
    Run.objects.filter(pk=run.pk).update(deleted_at=now(), deleted_by=make_user())


def test_a_table_holds_the_datasets_of_its_name():
    first, second = make_run(run_id="one"), make_run(run_id="two")
    make_dataset({"well": ["A1", "A2"], "value": [1.0, 2.0]}, run=first)
    make_dataset({"well": ["A1"], "value": [5.0]}, run=second)
    make_dataset({"x": [1]}, run=make_run(), name="other")

    out, errors = export()

    assert out[:2] == ["other: 1 datasets, 1 new, 0 gone.", "table: 2 datasets, 2 new, 0 gone."]
    assert errors == []
    connection = table().scan().to_duckdb("plates")
    assert connection.sql("SELECT _run, avg(value) FROM plates GROUP BY _run ORDER BY _run").fetchall() == [
        ("one", 1.5),
        ("two", 5.0),
    ]


def test_no_byte_is_copied_and_none_is_removed(place):
    made = make_dataset({"a": [1]}, run=make_run())

    export()
    (task,) = table().scan().plan_files()
    export("--anew")

    assert task.file.file_path == object_store().address_of(made.file.storage_key)
    assert duckdb.sql(f"SELECT a FROM read_parquet('{task.file.file_path}')").fetchall() == [(1,)]
    assert list((place / "iceberg").rglob("*.parquet")) == []
    assert [row["a"] for row in rows()] == [1]


def test_again_adds_what_is_new_and_changes_nothing_otherwise():
    make_dataset({"a": [1]}, run=make_run())
    export()
    before = table().metadata_location

    unchanged, _ = export()
    same = table().metadata_location
    make_dataset({"a": [2]}, run=make_run())
    more, _ = export()

    assert unchanged[0] == "table: 1 datasets, 0 new, 0 gone."
    assert same == before
    assert more[0] == "table: 2 datasets, 1 new, 0 gone."
    assert sorted(row["a"] for row in rows()) == [1, 2]


def test_deleted_runs_and_replaced_files_leave_the_table():
    deleted, replaced = (make_dataset({"a": [n]}, run=make_run()) for n in (1, 2))
    export()
    delete(deleted.run)
    newer = make_dataset({"a": [4]}, run=make_run())
    Dataset.objects.filter(pk=newer.pk).delete()
    Dataset.objects.filter(pk=replaced.pk).update(file=newer.file)

    out, _ = export()

    assert out[0] == "table: 1 datasets, 1 new, 2 gone."
    assert [row["a"] for row in rows()] == [4]


def test_a_name_of_which_nothing_is_left_is_an_empty_table():
    made = make_dataset({"a": [1]}, run=make_run())
    export()
    made.delete()

    out, _ = export()

    assert out[0] == "table: 0 datasets, 0 new, 1 gone."
    assert rows() == []


def test_a_restored_run_comes_back():
    made = make_dataset({"a": [1]}, run=make_run())
    export()
    delete(made.run)
    export()
    Run.objects.filter(pk=made.run_id).update(deleted_at=None, deleted_by=None)

    out, _ = export()

    assert out[0] == "table: 1 datasets, 1 new, 0 gone."
    assert [row["a"] for row in rows()] == [1]


def test_columns_are_added_and_floats_widened():
    import numpy as np

    make_dataset({"a": np.array([0.5], "float32")}, run=make_run())
    export()
    make_dataset({"a": [1 / 3], "b": ["x"]}, run=make_run())

    _, errors = export()

    assert errors == []
    assert sorted((row["a"], row["b"]) for row in rows() if row["b"]) == [(1 / 3, "x")]
    assert [row["a"] for row in rows() if row["b"] is None] == [0.5]


def test_types_that_no_table_can_hold_are_left_out_and_named():
    make_dataset({"a": [0.5]}, run=make_run())
    make_dataset({"a": [1.5]}, run=make_run())
    odd = make_dataset({"a": ["text"]}, run=make_run(run_id="odd"))

    out, errors = export()
    again, _ = export()

    assert out[0] == "table: 2 datasets, 2 new, 0 gone."
    assert again[0] == "table: 2 datasets, 0 new, 0 gone."
    reason = "its column a is string, the table's is float64"
    assert errors == [f"table: {odd.run.instrument_id}/odd plate.csv ({odd.pk}) is left out: {reason}."]


def test_a_damaged_file_is_left_out_and_named():
    make_dataset({"a": [1]}, run=make_run())
    lost, cut = make_dataset({"a": [2]}, run=make_run()), make_dataset({"a": [3]}, run=make_run())
    store = object_store()
    store.delete(lost.file.storage_key)
    (store.layout.object_directory(cut.file.storage_key) / "data").write_bytes(b"PAR1 and no more")

    out, errors = export()

    assert out[0] == "table: 1 datasets, 1 new, 0 gone."
    assert [line.partition(" is left out: ")[2] for line in errors] == ["its Parquet file is missing or damaged."] * 2
    assert [row["a"] for row in rows()] == [1]


def test_rows_say_where_they_are_from_which_their_files_need_not():
    made = make_dataset({"a": [1]}, run=make_run(run_id="one"))

    export()

    place = {"_instrument": made.run.instrument_id, "_run": "one", "_source_file": made.source_file.relative_path}
    assert rows() == [place | {"a": 1}]
    assert [task.file.file_path for task in table().scan(row_filter="_run = 'two'").plan_files()] == []


def test_a_table_of_before_files_were_partitions_is_made_anew():
    catalogue.open_catalog().create_table(("ids", "table"), build_schema({"a": "int64"}))
    make_dataset({"a": [1]}, run=make_run(run_id="one"))

    out, _ = export()

    assert out[0] == "table: 1 datasets, 1 new, 0 gone."
    assert [row["_run"] for row in rows()] == ["one"]


def test_earlier_versions_are_forgotten_after_a_day():
    make_dataset({"a": [1]}, run=make_run())
    export()
    make_dataset({"a": [2]}, run=make_run())
    export()

    forget_snapshots(table(), before=now() - timedelta(days=1))
    kept = len(table().snapshots())
    forget_snapshots(table(), before=now() + timedelta(days=1))

    assert (kept, len(table().snapshots())) == (2, 1)
    assert len(rows()) == 2


def test_other_engines_may_not_remove_files():
    make_dataset({"a": [1]}, run=make_run())

    export()

    assert table().properties["gc.enabled"] == "false"


def test_what_is_missing_is_said_in_one_line(monkeypatch):
    monkeypatch.setattr("datasets.management.commands.export_catalog.is_installed", lambda: False)

    with pytest.raises(CommandError, match=r"pip install .*requirements-iceberg\.lock"):
        export()


def test_an_unknown_name_is_refused():
    with pytest.raises(CommandError, match="no dataset of the name plaets"):
        export("--name", "plaets")


def test_a_catalogue_out_of_reach_is_said(settings, tmp_path):
    settings.ICEBERG_CATALOG = {"uri": f"sqlite:///{tmp_path}/nowhere/catalog.db"}

    with pytest.raises(CommandError, match="cannot be written"):
        export()


def test_a_catalogue_over_s3_names_its_objects(settings, monkeypatch):
    with running_moto() as url:
        store = s3_store_at(url, bucket="lab")
        store._quick.create_bucket(Bucket="lab")
        use_s3(settings, monkeypatch, store)
        made = make_dataset({"a": [1, 2]}, run=make_run(run_id="one"))

        out, errors = export()

        assert out[-1].endswith("tables below s3://lab/iceberg.")
        assert errors == []
        (task,) = table().scan().plan_files()
        assert task.file.file_path == f"s3://lab/{made.file.storage_key}"
        assert [row["_run"] for row in rows()] == ["one", "one"]
