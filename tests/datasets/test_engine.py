"""What a query may take: time, memory, and nothing outside of the store."""

import pytest

from datasets.engine import Abandonment, QueryTooLarge, open_query
from datasets.sources import DatasetDamaged
from datasets.sql import Statement
from files.storage import object_store
from tests.stores import use_files

ENDLESS = Statement("SELECT sum(a.i * b.i) FROM range(10000000) a(i), range(10000000) b(i)")


def test_a_query_over_its_time_is_ended(settings):
    settings.DATASET_QUERY_SECONDS = 0.3

    with open_query() as query, pytest.raises(QueryTooLarge, match="took longer than"):
        query.read_number(ENDLESS)


def test_a_query_over_its_memory_is_ended():
    with open_query() as query, pytest.raises(QueryTooLarge, match="more memory"):
        query.read_number(Statement("SELECT len(list(i)) FROM range(400000000) a(i)"))


@pytest.mark.parametrize("source", ["read_parquet('/etc/passwd')", "read_csv('/etc/passwd')", "glob('/etc/*')"])
def test_nothing_outside_of_the_store_is_opened(source):
    with open_query() as query, pytest.raises(DatasetDamaged):
        query.read_number(Statement(f"SELECT count(*) FROM {source}"))


def test_nobody_works_for_who_has_left():
    abandonment = Abandonment()

    with open_query(abandonment) as query:
        reader = query.read_batches(Statement("SELECT * FROM range(1000000) a(i)"), columns=1)
        query.next_batch(reader)
        abandonment.abandon()

        assert query.next_batch(reader) is None


def test_the_store_of_the_moment_is_what_it_may_open(settings, tmp_path):
    for name in ("before", "after"):
        use_files(settings, tmp_path / name)
        table = tmp_path / name / "one.csv"
        table.parent.mkdir(exist_ok=True)
        table.write_text("a\n1\n")

        with open_query() as query:
            assert query.read_number(Statement(f"SELECT count(*) FROM read_csv('{table}')")) == 1

    object_store.cache_clear()
