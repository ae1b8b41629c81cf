"""`--all` ends in time: what its time is over for is skipped, fast tests never are."""

from types import SimpleNamespace

import pytest

from tests.lanes import BEGIN_UNTIL, LANES, pytest_runtest_setup


def marked(*names):
    return SimpleNamespace(get_closest_marker=lambda name: name in names)


@pytest.mark.parametrize("lane", LANES)
def test_a_lane_begins_in_time_or_says_that_it_did_not(monkeypatch, lane):
    monkeypatch.delenv(BEGIN_UNTIL, raising=False)
    pytest_runtest_setup(marked(lane))
    monkeypatch.setenv(BEGIN_UNTIL, "inf")
    pytest_runtest_setup(marked(lane))

    monkeypatch.setenv(BEGIN_UNTIL, "0")
    with pytest.raises(pytest.skip.Exception, match="the time of --all was over"):
        pytest_runtest_setup(marked(lane))


def test_a_fast_test_always_begins(monkeypatch):
    monkeypatch.setenv(BEGIN_UNTIL, "0")

    pytest_runtest_setup(marked())
