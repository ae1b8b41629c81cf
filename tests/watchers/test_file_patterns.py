"""What the service foresees of patterns is what the agent does."""

import json
from pathlib import Path

import pytest

from watchers.file_patterns import FilePatterns, PatternsUnusable

CASES = json.loads((Path(__file__).parents[2] / "agent" / "tests" / "pattern_cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['wanted']} {case['path']}")
def test_a_pattern_takes_what_the_agents_table_says(case):
    patterns = FilePatterns(wanted=case["wanted"], ignored=case.get("ignored", []))

    assert patterns.takes(case["path"]) is case["takes"]


def test_patterns_without_end_are_refused():
    with pytest.raises(PatternsUnusable):
        FilePatterns(wanted=["{1..100000}"], ignored=[])


def test_patterns_are_given_up_when_their_time_is_over(monkeypatch):
    monkeypatch.setattr("watchers.file_patterns.MAX_SECONDS", 0.0)

    with pytest.raises(PatternsUnusable, match="too long"):
        FilePatterns(wanted=["*.csv"], ignored=[]).takes("a.csv")


def test_a_pattern_that_backtracks_costs_no_minutes():
    patterns = FilePatterns(wanted=["*a" * 20 + "*b?"], ignored=[])

    assert not patterns.takes("a" * 250 + "b")
