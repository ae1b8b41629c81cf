"""The index of metadata values holds every run that meets a comparison: its lexemes beside the comparison itself."""

import itertools
import random

import pytest

from runs.metadata_filters import Comparison, Operator, comparison_filter
from runs.metadata_values import may_meet
from runs.models import Run
from tests.factories import make_instrument

NUMBERS = [
    *(0, 1, -1, 2, 10, 0.1, 0.2999, 0.3, -0.3, 1.0000001, 1.00000001, 16777216, 16777217, -16777217, 2**53 + 1),
    *(10**30, -(10**30), 1e300, -1e300, 1e-300, -1e-300, 1.2e-38, 3.4e38, 3.41e38, 1e-45, 123456789012345678),
]
TEXTS = [
    *("", " ", "0", "1", "01", "-1", "1e3", "NaN", "Infinity", "true", "null", "a", "A", "ab", "abc", "b"),
    *("2026-11-20", "2026-11-20T10:15:00Z", "2026-11-21", "2026-12-01", "LYS-1", "LYS-2", "LYT", "0123456789a"),
    *(
        "0123456789b",
        "é",
        "e\u0301",
        "caf\u00e9",
        "cafe\u0301",
        "µg/ml",
        "日本語テスト日本語",
        "🧪",
        "\uffff",
        "z" * 300,
    ),
    *("a'b", 'a"b', "a\\b", "a|b & !c", "line\nline", "tab\t", "*", "K\u212a", "z" * 300),
]
OTHERS = [
    *(None, True, False, {}, {"a": 1}, [], [[]], [[3]], [[[3]]], [None], [{"v": 1}], [0, 5], ["a", 7], [True, "b"]),
    *([["LYS-1"], 2], [1] * 101, ["LYS-1"] * 101, [-1, [100]], [1e300, -1e300]),
]
RANGES = (Operator.GREATER, Operator.AT_LEAST, Operator.LESS, Operator.AT_MOST)
ASKED = [str(value) for value in NUMBERS] + [*("007", "-0", "1E3", "1e-400", "1e400", "2.9999"), *TEXTS]


@pytest.fixture
def runs(db):
    chance = random.Random(18)
    drawn = [chance.choice((1, -1)) * 10 ** chance.uniform(-3, 3) for _ in range(60)]
    values = [*NUMBERS, *TEXTS, *OTHERS, *drawn]
    home = make_instrument()
    many = {f"k{number}": number for number in range(2_001)} | {"v": 4}
    all_metadata = [*({"v": value} for value in values), {}, {"w": 1}, {"v.w": 1}, {"V": 1}, {"v=": 1}, many]
    Run.objects.bulk_create(
        Run(instrument=home, run_id=f"r{number}", caller_metadata=metadata)
        for number, metadata in enumerate(all_metadata)
    )
    return Run.objects.all()


def missed(runs, *comparisons):
    found = runs.filter(comparison_filter(comparisons))
    return list(found.exclude(may_meet("v", comparisons)).values_list("metadata", flat=True))


def test_every_run_that_meets_a_comparison_is_found(runs):
    for operator, value in itertools.product((*RANGES, Operator.OTHER), ASKED):
        assert missed(runs, Comparison("v", operator, value)) == [], (operator, value)

    assert missed(runs, Comparison("v", Operator.EXISTS, "true")) == []


def test_every_run_that_meets_two_of_a_key_is_found(runs):
    chance = random.Random(9)
    for _ in range(400):
        pair = [Comparison("v", chance.choice(RANGES), chance.choice(ASKED)) for _ in range(2)]
        assert missed(runs, *pair) == [], pair
