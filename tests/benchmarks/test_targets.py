"""`pytest -m benchmark tests/benchmarks`: every measure at ten thousand runs, one line each."""

import sys

import pytest

from operations.bench.history import SMALL
from operations.bench.measures import run_measures
from operations.bench.seed import seed_database

pytestmark = [pytest.mark.benchmark, pytest.mark.django_db(transaction=True)]


def test_the_targets_are_met_at_ten_thousand_runs(tmp_path, capsys):
    seed_database(runs=SMALL, say=print)

    lines = list(run_measures([], history=tmp_path))

    with capsys.disabled():
        sys.stdout.writelines(f"\n{line}" for line in lines)
    assert [str(line) for line in lines if line.passed is False] == []
