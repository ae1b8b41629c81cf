"""Which files are data."""

import json
from pathlib import Path
from typing import Any

import pytest

from instrument_watcher.config.model import TEMPORARY_FILES
from instrument_watcher.watching import patterns
from instrument_watcher.watching.patterns import Patterns

CASES = json.loads(Path(__file__).with_name("pattern_cases.json").read_text(encoding="utf-8"))  # the service's too


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['wanted']} {case['path']}")
def test_a_pattern_takes_what_the_table_says(case: dict[str, Any]):
    judge = Patterns(wanted=case["wanted"], ignored=case.get("ignored", []))

    assert judge.takes(case["path"]) is case["takes"]


@pytest.mark.parametrize("name", ["a.tmp", "~$report.xlsx", ".hidden", "a.csv~", "x.PART", "Thumbs.db", ".git"])
def test_what_is_temporary_is_left_at_any_depth(name: str):
    judge = Patterns(wanted=["*"], ignored=TEMPORARY_FILES)

    assert not judge.is_wanted(name)
    assert not judge.is_wanted(f"deep/er/{name}")


HEAVY, DEEP = "**/a/" * 12 + "[b]", "a/" * 60 + "a"


@pytest.mark.parametrize("pattern", ["*a" * 40 + "b", "*[ab]" * 30 + "[cd]", "?*" * 25 + "b"])
def test_a_pattern_that_can_be_matched_in_many_ways_comes_to_an_end(pattern: str):
    assert not Patterns(wanted=[pattern], ignored=[]).takes("a" * 200)


def test_what_is_not_known_in_time_takes_a_file_too_many_rather_than_losing_one(monkeypatch, caplog):
    monkeypatch.setattr(patterns, "MATCH_SECONDS", 1e-6)
    wanted, ignored = Patterns(wanted=[HEAVY], ignored=[]), Patterns(wanted=["*"], ignored=[HEAVY])

    assert [wanted.takes(DEEP) for _ in range(100)] == [True] * 100
    assert [ignored.is_ignored(DEEP) for _ in range(100)] == [False] * 100
    assert caplog.text.count("takes too long to match") == 2
