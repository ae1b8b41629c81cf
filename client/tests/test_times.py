from datetime import date, datetime, timedelta, timezone

import pytest

from instrument_data.times import end_text, moment_text, parse_moment

AT = datetime(2026, 11, 23, 12, 0, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        ("last week", "2026-11-16T12:00:00.000Z"),
        ("Last  Week", "2026-11-16T12:00:00.000Z"),
        ("last 3 days", "2026-11-20T12:00:00.000Z"),
        ("3 days ago", "2026-11-20T12:00:00.000Z"),
        ("90 minutes ago", "2026-11-23T10:30:00.000Z"),
        ("1 hour", "2026-11-23T11:00:00.000Z"),
        ("now", "2026-11-23T12:00:00.000Z"),
        ("today", "2026-11-23"),
        ("yesterday", "2026-11-22"),
        ("2026-11-02", "2026-11-02"),
        ("2026-11-02T10:00:00+02:00", "2026-11-02T08:00:00.000Z"),
        ("2026-11-02T10:00:00Z", "2026-11-02T10:00:00.000Z"),
        (date(2026, 11, 2), "2026-11-02"),
        (datetime(2026, 11, 2, 10, tzinfo=timezone(timedelta(hours=2))), "2026-11-02T08:00:00.000Z"),
        (timedelta(days=7), "2026-11-16T12:00:00.000Z"),
    ],
)
def test_times_as_people_say_them(said, sent):
    assert moment_text(said, at=AT) == sent


@pytest.mark.parametrize("said", ["", "soon", "2026-13-02", "99999999 days ago", "3 fortnights ago", "٣ days ago x"])
def test_what_is_no_time_says_what_would_be_one(said):
    with pytest.raises(ValueError, match="last week"):
        moment_text(said, at=AT)


def test_the_services_timestamps_are_read():
    assert parse_moment("2026-11-02T10:00:00.123Z") == datetime(2026, 11, 2, 10, 0, 0, 123000, tzinfo=timezone.utc)


def test_an_end_lies_ahead_and_a_day_lasts_until_its_midnight():
    assert end_text(timedelta(days=2), at=AT) == "2026-11-25T12:00:00.000Z"
    assert end_text("2026-11-02T10:00:00Z") == "2026-11-02T10:00:00.000Z"
    assert parse_moment(end_text(date(2026, 11, 2))) == datetime(2026, 11, 3).astimezone()
