"""The index of metadata values holds every run that meets a comparison: its lexemes beside the comparison itself."""

import itertools
import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.callers import caller_for_token
from runs import metadata_matches, search
from runs.metadata_filters import Comparison, Operator, comparison_filter
from runs.metadata_matches import match_comparisons
from runs.metadata_values import may_meet
from runs.models import Run
from runs.search import RunSearch, filter_runs, search_runs
from tests.factories import make_instrument, make_run, make_token
from wire.clock import now
from wire.lists.pagination import Window

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
OTHERS: list[object] = [
    *(None, True, False, {}, {"a": 1}, [], [[]], [[3]], [[[3]]], [None], [{"v": 1}], [0, 5], ["a", 7], [True, "b"]),
    *([["LYS-1"], 2], [1] * 101, ["LYS-1"] * 101, [-1, [100]], [1e300, -1e300]),
]
RANGES = (Operator.GREATER, Operator.AT_LEAST, Operator.LESS, Operator.AT_MOST)
RARE = {700: {"ct": 3.5}, 800: {"ct": "2026-11-19"}}
ASKED = [str(value) for value in NUMBERS] + [*("007", "-0", "1E3", "1e-400", "1e400", "2.9999"), *TEXTS]


@pytest.fixture
def by(db):
    return caller_for_token(make_token())


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


def analyze():
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; ANALYZE runs_run")


def missed(runs, *comparisons):
    found = runs.filter(comparison_filter(comparisons))
    return list(found.exclude(may_meet("v", comparisons)).values_list("metadata", flat=True))


def test_every_run_that_meets_a_comparison_is_found(runs):
    for operator, value in itertools.product((*RANGES, Operator.OTHER), ASKED):
        assert missed(runs, Comparison("v", operator, value)) == [], (operator, value)

    assert missed(runs, Comparison("v", Operator.EXISTS, "true")) == []


def test_every_run_that_meets_two_of_a_key_is_found(runs):
    chance = random.Random(9)
    for _ in range(300):
        pair = [Comparison("v", chance.choice(RANGES), chance.choice(ASKED)) for _ in range(2)]
        assert missed(runs, *pair) == [], pair


@pytest.mark.parametrize("most", [0, 20_000])  # what nobody in the sample meets is gathered, and all that can be
def test_both_ways_find_the_same(runs, monkeypatch, most):
    analyze()
    monkeypatch.setattr(metadata_matches, "MAX_GATHERED", most)
    chance = random.Random(27)
    operators = [*RANGES, Operator.OTHER, Operator.CONTAINS, Operator.CONTAINS]
    for _ in range(60):
        asked = tuple(
            Comparison("v", chance.choice(operators), chance.choice(ASKED) or "0") for _ in range(chance.choice((1, 2)))
        )
        expected = set(runs.filter(comparison_filter(asked)).values_list("pk", flat=True))
        matches = match_comparisons(asked, among=runs)
        assert set(matches.gathered.values_list("pk", flat=True)) == expected, asked
        assert matches.count in (None, len(expected))


@pytest.mark.parametrize("value", ["cafe", "caf", "KELVIN", "line\nl", "e", "\u00e9", "% _", "1.5"])
def test_parts_of_texts_are_found_in_any_form(db, value):
    home = make_instrument()
    texts = [
        "cafe\u0301",
        "caf\u00e9",
        "CAFE",
        "kelvin",
        "\u212aelvin",
        "line\nline",
        "50% _x",
        "1.5",
        1.5,
        ["a", "Cafe"],
    ]
    Run.objects.bulk_create(
        Run(instrument=home, run_id=f"t{place}", caller_metadata={"v": text}) for place, text in enumerate(texts)
    )
    asked = (Comparison("v", Operator.CONTAINS, value),)

    found = match_comparisons(asked, among=Run.objects.all()).gathered

    assert set(found.values_list("pk")) == set(Run.objects.filter(comparison_filter(asked)).values_list("pk"))


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("%", ["50% _x"]),
        ("_X", ["50% _x"]),
        ("\\", ["back\\slash"]),
        ("caf", ["Caf\u00e9", ["tea", "cafe"]]),
        ("\u00c9", ["Caf\u00e9"]),
        ("5", ["50% _x", "1.5"]),
        ("tea", [["tea", "cafe"]]),
        ('"', []),
        ("a.*e", []),
    ],
)
def test_a_part_is_sought_in_texts_and_in_the_members_of_an_array(db, part, expected):
    home = make_instrument()
    values = ["50% _x", "back\\slash", "Caf\u00e9", ["tea", "cafe"], "1.5", 1.5, {"tea": "tea"}, None]
    Run.objects.bulk_create(
        Run(instrument=home, run_id=f"t{place}", caller_metadata={"2024": value}) for place, value in enumerate(values)
    )

    found = Run.objects.filter(comparison_filter([Comparison("2024", Operator.CONTAINS, part)]))

    assert [run.metadata["2024"] for run in found.order_by("run_id")] == expected


def test_more_than_few_are_asked_again_page_by_page(runs, by, monkeypatch):
    monkeypatch.setattr(metadata_matches, "MAX_FEW_RUNS", 5)
    monkeypatch.setattr(search, "MAX_SORTED_MATCHES", 5)
    asked = RunSearch(comparisons=(Comparison("v", Operator.GREATER, "0"),))
    expected = runs.filter(comparison_filter(asked.comparisons)).order_by("-happened_at", "-pk")

    page = search_runs(asked, window=Window(per_page=7), by=by, at=now())

    assert [run.pk for run in page.rows] == [run.pk for run in expected[:7]]
    assert page.total == expected.count() > 7


def test_what_is_changed_and_deleted_is_found_as_it_is(by):
    run, other = make_run(caller_metadata={"v": 1}), make_run(caller_metadata={"v": 3})
    asked = RunSearch(comparisons=(Comparison("v", Operator.GREATER, "2"),))
    assert [found.pk for found in filter_runs(asked, by=by, at=now())] == [other.pk]

    Run.objects.filter(pk=run.pk).update(caller_metadata={"v": 9})
    Run.objects.filter(pk=other.pk).update(extracted={"v": 9}, caller_metadata={"v": 0})

    assert [found.pk for found in filter_runs(asked, by=by, at=now())] == [run.pk]


def test_words_are_looked_for_among_what_comparisons_find(by):
    make_run(run_id="lyso 1", caller_metadata={"v": 1})
    make_run(run_id="other", caller_metadata={"v": 3})
    wanted = make_run(run_id="lyso 2", caller_metadata={"v": 3})
    asked = RunSearch(words=("lyso",), comparisons=(Comparison("v", Operator.GREATER, "2"),))

    assert [found.pk for found in filter_runs(asked, by=by, at=now())] == [wanted.pk]


@pytest.mark.parametrize(
    ("comparison", "index"),
    [
        (Comparison("ct", Operator.GREATER, "2.5"), "runs_by_metadata_value"),
        (Comparison("ct", Operator.AT_MOST, "2026-11-20"), "runs_by_metadata_value"),
        (Comparison("ct", Operator.EXISTS, "true"), "runs_by_metadata_value"),
        (Comparison("plate", Operator.CONTAINS, "P-7001"), "runs_by_part_of_metadata"),
    ],
)
def test_few_are_gathered_by_their_index(by, monkeypatch, comparison, index):
    monkeypatch.setattr(metadata_matches, "MAX_GATHERED", 200)  # so that a sample is asked
    home = make_instrument()
    Run.objects.bulk_create(
        Run(instrument=home, run_id=f"p{place}", caller_metadata={"plate": f"P-{7_000 + place}"} | RARE.get(place, {}))
        for place in range(1_500)
    )
    analyze()

    with CaptureQueriesContext(connection) as queries:
        found = filter_runs(RunSearch(comparisons=(comparison,)), by=by, at=now())

    assert 0 < found.count() < 10
    assert "TABLESAMPLE" in queries[1]["sql"]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {queries[2]['sql']}")
        assert index in str(cursor.fetchall())


@pytest.mark.parametrize("most", [-1, 20_000])
@pytest.mark.parametrize("exact_total", [True, False])
@pytest.mark.parametrize(
    "more",
    [(), (Comparison("w", Operator.EXISTS, "false"),), (Comparison("w", Operator.OTHER, "2"),)],
    ids=["alone", "two keys", "beside another"],
)
def test_runs_without_a_key_are_counted_as_all_but_those_with_it(runs, by, monkeypatch, most, exact_total, more):
    analyze()
    monkeypatch.setattr(metadata_matches, "MAX_GATHERED", most)
    Run.objects.filter(pk=runs.filter(metadata={})[0].pk).update(deleted_at=now(), deleted_by_token=make_token())
    asked = RunSearch(comparisons=(Comparison("v", Operator.EXISTS, "false"), *more), text="R")
    expected = runs.filter(comparison_filter(asked.comparisons), deleted_at__isnull=True)

    page = search_runs(asked, window=Window(per_page=500, exact_total=exact_total), by=by, at=now())

    assert page.total == expected.count() == len(page.rows) > 0
    assert {run.pk for run in page.rows} == set(expected.values_list("pk", flat=True))
