from datetime import UTC, datetime

import pytest
from rest_framework import serializers

from wire.fields import (
    Choice,
    Details,
    LongText,
    Metadata,
    QueryBoolean,
    QueryDateTime,
    QueryInteger,
    StrictBoolean,
    StrictInteger,
    Text,
    Timestamp,
    Uuid,
)


def refused(field, value):
    with pytest.raises(serializers.ValidationError):
        field.run_validation(value)
    return True


@pytest.mark.parametrize("value", ["a\nb", "a\x00", "\ud800", "a\x85b", 5, True, ["a"], None, ""])
def test_short_texts_refuse_controls_and_other_types(value):
    assert refused(Text(), value)


def test_short_texts_are_kept_exactly():
    assert Text().run_validation("  Größe ☃ ") == "  Größe ☃ "


def test_long_texts_have_unix_lines():
    assert LongText().run_validation("one\r\ntwo\rthree\tx") == "one\ntwo\nthree\tx"


@pytest.mark.parametrize("value", [True, 1.0, 1.5, "5", None, 2**63, [1]])
def test_whole_numbers_are_whole_numbers(value):
    assert refused(StrictInteger(), value)


@pytest.mark.parametrize("value", ["", "\u0661", "1.0", "1e3", "1_0", "+1", " 1", "1 ", "9" * 400])
def test_numbers_in_a_query_are_ascii_digits(value):
    assert refused(QueryInteger(), value)


@pytest.mark.parametrize("value", [0, 1, "true", None, "yes"])
def test_truth_in_a_body_is_true_or_false(value):
    assert refused(StrictBoolean(), value)


@pytest.mark.parametrize("value", ["", "True", "1", "yes"])
def test_truth_in_a_query_is_true_or_false(value):
    assert refused(QueryBoolean(), value)


@pytest.mark.parametrize("value", ["", "c", 1, ["a"], {"a": 1}, None])
def test_a_choice_is_one_of_its_texts(value):
    assert refused(Choice(choices=["a", "b"]), value)


@pytest.mark.parametrize(
    "value",
    [
        "2024-01-01T10:00:00",
        "2024-02-30T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "2024-01-01T25:00:00Z",
        "2024-01-01",
        "2024-01-01T10:00:00+99:99",
        12345,
        "",
        "yesterday",
    ],
)
def test_a_timestamp_is_a_full_date_time_that_exists(value):
    assert refused(Timestamp(), value)


def test_a_timestamp_is_cut_to_milliseconds():
    assert Timestamp().run_validation("2024-05-01T23:59:59.9999999Z") == datetime(
        2024, 5, 1, 23, 59, 59, 999_000, tzinfo=UTC
    )


def test_a_timestamp_shows_as_utc_with_milliseconds():
    field = Timestamp()

    assert field.to_representation(field.run_validation("2024-05-01T12:00:00.5+02:00")) == "2024-05-01T10:00:00.500Z"


def test_a_day_in_a_query_is_a_day_of_the_service(settings):
    settings.TIME_ZONE = "Europe/Berlin"

    first, last = QueryDateTime().run_validation("2024-05-01"), QueryDateTime(end=True).run_validation("2024-05-01")

    assert first == datetime(2024, 4, 30, 22, tzinfo=UTC)
    assert last == datetime(2024, 5, 1, 21, 59, 59, 999_000, tzinfo=UTC)


@pytest.mark.parametrize("value", ["x", "0" * 32, "{00000000-0000-4000-8000-000000000000}", 1, None])
def test_a_uuid_is_canonical(value):
    assert refused(Uuid(), value)


@pytest.mark.parametrize("value", [{"a\x0bb": 1}, {"a": {"b": ["x\r"]}}, {"a\tb": 1}, [], "x", None])
def test_metadata_is_an_object_of_clean_texts(value):
    assert refused(Metadata(), value)


def test_metadata_texts_may_hold_tab_and_line_feed():
    assert Metadata().run_validation({"a": "x\ty\nz"}) == {"a": "x\ty\nz"}


def test_details_have_unix_lines_inside():
    assert Details().run_validation({"a": ["x\r\ny"]}) == {"a": ["x\ny"]}
