"""Which files are data."""

import json
from pathlib import Path
from typing import Any

import pytest

from instrument_watcher.config.model import TEMPORARY_FILES
from instrument_watcher.watching.patterns import Patterns

CASES = json.loads(Path(__file__).with_name("pattern_cases.json").read_text(encoding="utf-8"))  # the service's too


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['wanted']} {case['path']}")
def test_a_pattern_takes_what_the_table_says(case: dict[str, Any]):
    patterns = Patterns(wanted=case["wanted"], ignored=case.get("ignored", []))

    assert patterns.takes(case["path"]) is case["takes"]


@pytest.mark.parametrize("name", ["a.tmp", "~$report.xlsx", ".hidden", "a.csv~", "x.PART", "Thumbs.db", ".git"])
def test_what_is_temporary_is_left_at_any_depth(name: str):
    patterns = Patterns(wanted=["*"], ignored=TEMPORARY_FILES)

    assert not patterns.is_wanted(name)
    assert not patterns.is_wanted(f"deep/er/{name}")
