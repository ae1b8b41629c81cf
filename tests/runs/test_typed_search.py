"""What the box of the run list understands, and that all else stays as it was typed."""

from datetime import date

import pytest

from runs.metadata_filters import Operator
from runs.typed_search import Kind, list_comparisons, parse_search, read_day, read_span

TODAY = date(2026, 11, 25)  # a Wednesday


def understood(text):
    return [(term.kind, term.value) for term in parse_search(text).terms]


@pytest.mark.parametrize(
    "text",
    [
        "", "refold", "two  words ", " led by a space", "2026-11-20_lysozyme", "a:b", "plate:7", "http://x", "T=25",
        "x>y", "a280>o.5", ">1", "od600>", "last", "last word", "weekly", "yesterday.", 'say "hi', 'a"b"', ":",
        "-tag:x", "metadata.:x", "ratio 1:2", "last 4 beakers", "lastweek", "this", "50%<i>", "é:ü",
    ],
)  # fmt: skip
def test_what_is_no_operator_stays_exactly_as_it_was_typed(text):
    found = parse_search(text)

    assert (found.words, found.terms) == (text, ())


def test_all_operators_together_and_the_words_that_are_left():
    text = 'instrument:neo2 lyso by:anna status:failed tag:x sample:LYS* od600>1 since:yesterday last week "two words"'

    found = parse_search(text)

    assert found.words == "lyso two words"
    assert [(term.kind, term.value) for term in found.terms] == [
        (Kind.INSTRUMENT, "neo2"), (Kind.PERSON, "anna"), (Kind.STATUS, "failed"), (Kind.TAG, "x"),
        (Kind.METADATA, "LYS*"), (Kind.METADATA, "1"), (Kind.SINCE, "yesterday"), (Kind.SPAN, "last week"),
    ]  # fmt: skip


def test_each_term_knows_what_is_left_without_it():
    found = parse_search("a by:anna  b tag:x")

    assert [term.rest for term in found.terms] == ["a b tag:x", "a by:anna b"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on:neo2", (Kind.INSTRUMENT, "neo2")),
        ("is:failed", (Kind.STATUS, "failed")),
        ("BY:Anna", (Kind.PERSON, "Anna")),
        ('by:"Anna Kowalczyk"', (Kind.PERSON, "Anna Kowalczyk")),
        ("until:2026-11-01", (Kind.UNTIL, "2026-11-01")),
        ("Last  4 WEEKS", (Kind.SPAN, "last 4 weeks")),
        ("by:", (Kind.PERSON, "")),
    ],
)
def test_spellings(text, expected):
    assert understood(text) == [expected]


@pytest.mark.parametrize("text", ['"by:anna"', '"yesterday"', '"last week"', '"od600 > 1"'])
def test_within_quotation_marks_nothing_is_an_operator(text):
    found = parse_search(text)

    assert (found.words, found.terms) == (text.strip('"'), ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("od600>1", ("od600", [(Operator.GREATER, "1")])),
        ("a280 >= 0.5", ("a280", [(Operator.AT_LEAST, "0.5")])),
        ("T_C≤-1e3", ("T_C", [(Operator.AT_MOST, "-1e3")])),
        ("sample:LYS", ("sample", [(Operator.EQUALS, "LYS")])),
        ("sample:LYS*", ("sample", [(Operator.AT_LEAST, "LYS"), (Operator.LESS, "LYT")])),
        ("sample:*ys*", ("sample", [(Operator.CONTAINS, "ys")])),
        ("sample:*", ("sample", [(Operator.EQUALS, "*")])),
        ("metadata.buffer:Tris", ("buffer", [(Operator.EQUALS, "Tris")])),
        ('metadata.buffer:"50 mM Tris"', ("buffer", [(Operator.EQUALS, "50 mM Tris")])),
    ],
)
def test_metadata(text, expected):
    [term] = parse_search(text).terms

    assert (term.key, list(list_comparisons(term))) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", TODAY), ("Yesterday", date(2026, 11, 24)), ("2026-11-14", date(2026, 11, 14)),
        ("2026-10", date(2026, 10, 1)), ("monday", date(2026, 11, 23)), ("wednesday", date(2026, 11, 18)),
        ("soon", None), ("2026-02-30", None), ("", None),
    ],
)  # fmt: skip
def test_days(text, expected):
    assert read_day(text, today=TODAY) == expected


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("yesterday", "2026-11-24", "2026-11-24"), ("today", "2026-11-25", "2026-11-25"),
        ("last week", "2026-11-16", "2026-11-22"), ("this week", "2026-11-23", "2026-11-25"),
        ("last month", "2026-10-01", "2026-10-31"), ("this month", "2026-11-01", "2026-11-25"),
        ("last year", "2025-01-01", "2025-12-31"), ("last day", "2026-11-24", "2026-11-24"),
        ("last 4 weeks", "2026-10-29", "2026-11-25"), ("last 7 days", "2026-11-19", "2026-11-25"),
    ],
)  # fmt: skip
def test_spans(text, first, last):
    assert read_span(text, today=TODAY) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize("text", ["this 4 weeks", "last 0 days"])
def test_spans_that_are_none(text):
    assert read_span(text, today=TODAY) is None


def test_a_text_of_many_operators_is_taken_apart_up_to_a_bound():
    found = parse_search(" ".join(f"tag:t{number}" for number in range(30)))

    assert len(found.terms) == 20
    assert found.words.startswith("tag:t20 ")
