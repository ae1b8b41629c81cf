"""To which run a file belongs."""

import time

import pytest

from instrument_watcher.config.model import GroupBy, Grouping
from instrument_watcher.watching.grouping import Group, group_by

EVIL = r"^(.*?,){25}P"


@pytest.mark.parametrize(
    ("grouping", "path", "run_id"),
    [
        (Grouping(GroupBy.PREFIX), "2026/R12_a_b.csv", "R12"),
        (Grouping(GroupBy.PREFIX), "alone.csv", "alone"),
        (Grouping(GroupBy.PREFIX, separator="-"), "R12-a_b.csv", "R12"),
        (Grouping(GroupBy.PREFIX, separator=" - "), "R12 - A1.csv", "R12"),
        (Grouping(GroupBy.STEM), "2026/plate7.csv", "plate7"),
        (Grouping(GroupBy.STEM), "plate7.raw.csv", "plate7.raw"),
        (Grouping(GroupBy.STEM), "no ending", "no ending"),
        (Grouping(GroupBy.TOP_FOLDER), "R1/raw/a.csv", "R1"),
        (Grouping(GroupBy.DEEPEST_FOLDER), "2026/R1/a.csv", "R1"),
        (Grouping(GroupBy.REGEX, pattern=r"plate-(\d+)"), "day 1/plate-007.csv", "007"),
        (Grouping(GroupBy.REGEX, pattern=r"^(.+?)/"), "день 1/a.csv", "день 1"),
        (Grouping(GroupBy.STEM), " spaced .csv", "spaced"),
    ],
)
def test_the_rule_finds_the_run(grouping: Grouping, path: str, run_id: str):
    assert group_by(grouping)(path) == Group(run_id)


@pytest.mark.parametrize(
    ("grouping", "path", "reason"),
    [
        (Grouping(GroupBy.TOP_FOLDER), "a.csv", "It lies in no folder of its own, and folders are the runs."),
        (Grouping(GroupBy.DEEPEST_FOLDER), "a.csv", "It lies in no folder of its own, and folders are the runs."),
        (Grouping(GroupBy.REGEX, pattern=r"plate-(\d+)"), "x.csv", "The grouping pattern does not match it."),
        (Grouping(GroupBy.REGEX, pattern=r"x(\d+)?"), "x.csv", "The grouping pattern does not match it."),
        (Grouping(GroupBy.REGEX, pattern=r"^(.*)$"), "a/b.csv", "A run's name holds no / or \\."),
        (Grouping(GroupBy.PREFIX), "_a.csv", "The run would have an empty name."),
        (Grouping(GroupBy.PREFIX), "\u200b_a.csv", "The run would have an empty name."),
        (Grouping(GroupBy.STEM), "a" * 256, "The run's name would be longer than 255 characters."),
        (
            Grouping(GroupBy.STEM),
            "gpj\u202egnp.csv",
            "The run's name would hold characters that turn the direction of text.",
        ),
        (Grouping(GroupBy.REGEX, pattern=r"/(.*)/"), "a/../b.csv", "A run cannot be called . or .."),
    ],
)
def test_a_file_without_a_run_is_told_why(grouping: Grouping, path: str, reason: str):
    assert group_by(grouping)(path) == Group(None, reason)


def test_an_evil_pattern_is_cut_off():
    group = group_by(Grouping(GroupBy.REGEX, pattern=EVIL))
    began = time.monotonic()

    found = group("1," * 200)

    assert found == Group(None, "The grouping pattern took over 0.25 s on this path.")
    assert time.monotonic() - began < 30
