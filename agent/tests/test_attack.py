"""Random days in a laboratory: in the end every file is stored, none under a wrong name, and the agent is quiet.

A day that fails is made shorter, and told, by `python -m agent.tests.model.attack SEED [STEPS]` with `agent/src` on the
path (PYTHONPATH).
"""

import logging
import os

import pytest

from agent.tests.model.attack import attack
from agent.tests.model.days import plan

SHORT = range(8)
MANY = range(1000, 1000 + int(os.environ.get("IDS_TEST_DAYS", "150")))


@pytest.mark.parametrize("seed", SHORT)
def test_nothing_is_lost_on_a_random_day(seed: int):
    assert attack(plan(seed)) is None


@pytest.mark.slow
def test_nothing_is_lost_on_many_random_days(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(logging.getLogger("instrument_watcher"), "disabled", True)  # they say thousands of things
    assert {seed: fault for seed in MANY if (fault := attack(plan(seed, length=60)))} == {}
