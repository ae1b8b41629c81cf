"""Which files are data."""

import pytest

from instrument_watcher.config.model import TEMPORARY_FILES
from instrument_watcher.watching.patterns import Patterns


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*", "a/b.csv"),
        ("*.csv", "a.csv"),
        ("*.csv", "deep/er/A.CSV"),
        ("*.{csv,raw}", "a.raw"),
        ("raw/*.csv", "raw/a.csv"),
        ("raw/**/*.csv", "raw/x/y/a.csv"),
        ("plate[0-9].csv", "plate7.csv"),
        ("Größe*.csv", "Größe 1.csv"),
    ],
)
def test_a_pattern_takes(pattern: str, path: str):
    assert Patterns(wanted=[pattern], ignored=[]).is_wanted(path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("*.csv", "a.csv.bak"), ("raw/*.csv", "a.csv"), ("raw/*.csv", "raw/x/a.csv"), ("*.csv", "a/csv")],
)
def test_a_pattern_leaves(pattern: str, path: str):
    assert not Patterns(wanted=[pattern], ignored=[]).is_wanted(path)


@pytest.mark.parametrize("name", ["a.tmp", "~$report.xlsx", ".hidden", "a.csv~", "x.PART", "Thumbs.db", ".git"])
def test_what_is_temporary_is_left_at_any_depth(name: str):
    patterns = Patterns(wanted=["*"], ignored=TEMPORARY_FILES)

    assert not patterns.is_wanted(name)
    assert not patterns.is_wanted(f"deep/er/{name}")
