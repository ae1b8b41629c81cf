"""Past days of heartbeats: one an hour stays, and when a watcher was heard is known as before."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from tests.embedded import service_login
from tests.factories import make_watcher
from watchers import tasks
from watchers.models import Heartbeat, Watcher
from watchers.partitions import ensure_partitions, find_first_full_moment, thin_old_partitions, utc_day_of
from watchers.uptime import find_longest_gap, read_uptime
from wire.clock import now

pytestmark = pytest.mark.django_db
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
def midnight() -> datetime:
    """Of five days ago, whose partition is there."""
    day = datetime.combine(utc_day_of(now()) - 5 * DAY, datetime.min.time(), UTC)
    ensure_partitions(at=day)
    return day


@pytest.fixture
def committed_midnight(midnight: datetime) -> Iterator[datetime]:
    """For a test that commits: a day that was thinned would refuse the heartbeats of tests that come later."""
    yield midnight
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE watchers_heartbeat_{midnight:%Y%m%d}")


def beat(watcher: Watcher, *moments: datetime, **fields: object) -> None:
    Heartbeat.objects.bulk_create(
        Heartbeat(watcher=watcher, received_at=moment, **({"status": "watching"} | fields)) for moment in moments
    )


def every_minute(begins: datetime, minutes: int) -> list[datetime]:
    return [begins + MINUTE * number for number in range(minutes)]


def test_the_last_heartbeat_of_each_hour_stays_and_knows_the_first(midnight):
    watcher = make_watcher()
    beat(watcher, *every_minute(midnight + 9 * HOUR + 30 * MINUTE, 90))

    thin_old_partitions(at=now(), most=20)

    assert list(Heartbeat.objects.order_by("received_at").values_list("heard_since", "received_at")) == [
        (midnight + 9 * HOUR + 30 * MINUTE, midnight + 9 * HOUR + 59 * MINUTE),
        (midnight + 10 * HOUR, midnight + 10 * HOUR + 59 * MINUTE),
    ]


def test_it_stays_with_all_that_it_said(midnight):
    watcher = make_watcher()
    beat(watcher, midnight, queue_depth=1)
    beat(watcher, midnight + MINUTE, queue_depth=7, errors=2, status="stopped", agent_version="1.2", sent_at=midnight)

    thin_old_partitions(at=now(), most=20)

    kept = Heartbeat.objects.get()
    assert (kept.queue_depth, kept.errors, kept.status, kept.agent_version) == (7, 2, "stopped", "1.2")
    assert (kept.sent_at, kept.watcher) == (midnight, watcher)


def test_watchers_are_thinned_apart(midnight):
    one, other = make_watcher(), make_watcher()
    beat(one, *every_minute(midnight, 3))
    beat(other, *every_minute(midnight, 3))

    thin_old_partitions(at=now(), most=20)

    assert set(Heartbeat.objects.values_list("watcher", "heard_since")) == {(one.pk, midnight), (other.pk, midnight)}


def test_a_silence_within_an_hour_keeps_its_ends(midnight):
    watcher = make_watcher(created_at=midnight - DAY)
    beat(watcher, *every_minute(midnight, 10), *every_minute(midnight + 20 * MINUTE, 40))

    thin_old_partitions(at=now(), most=20)

    gap = find_longest_gap(watcher.pk, since=midnight)
    assert Heartbeat.objects.count() == 2
    assert gap is not None
    assert (gap.begins, gap.ends) == (midnight + 9 * MINUTE, midnight + 20 * MINUTE)


def test_uptime_is_what_it_was(midnight):
    watcher = make_watcher(created_at=midnight - DAY)
    beat(watcher, *every_minute(midnight, 130), *every_minute(midnight + 190 * MINUTE, 60))
    before = read_uptime([watcher], since=midnight, hours=24, at=now())[watcher.pk]

    thin_old_partitions(at=now(), most=20)

    after = read_uptime([watcher], since=midnight, hours=24, at=now())[watcher.pk]
    assert after == before
    assert list(after.states[:5]) == ["", "", "part", "part", "part"]
    assert Heartbeat.objects.count() == 5


def test_without_a_silence_there_is_no_gap_between_thinned_hours(midnight):
    watcher = make_watcher(created_at=midnight - DAY)
    beat(watcher, *every_minute(midnight, 300))

    thin_old_partitions(at=now(), most=20)

    assert find_longest_gap(watcher.pk, since=midnight) is None


def test_today_and_yesterday_stay_as_they_came(midnight, settings):
    settings.HEARTBEAT_FULL_DAYS = 0
    watcher, yesterday = make_watcher(), find_first_full_moment(at=now())
    ensure_partitions(at=yesterday)
    beat(watcher, *every_minute(yesterday, 5))

    thin_old_partitions(at=now(), most=20)

    assert Heartbeat.objects.count() == 5


def test_more_days_stay_where_the_setting_says_so(midnight, settings):
    settings.HEARTBEAT_FULL_DAYS = 5
    beat(make_watcher(), *every_minute(midnight, 5))

    thin_old_partitions(at=now(), most=20)

    assert Heartbeat.objects.count() == 5


def test_a_thinned_day_is_not_thinned_again(midnight):
    beat(make_watcher(), *every_minute(midnight, 5))

    assert [thin_old_partitions(at=now(), most=20) > 0, thin_old_partitions(at=now(), most=20)] == [True, 0]


def test_a_day_that_was_cut_off_between_the_two_steps_is_finished(midnight):
    beat(make_watcher(), *every_minute(midnight, 5))
    with connection.cursor() as cursor:
        cursor.execute("SELECT thin_heartbeat_day(%s, '5 min')", [midnight.date()])
        assert cursor.fetchone() == (False,)
    assert Heartbeat.objects.count() == 5

    thin_old_partitions(at=now(), most=20)

    assert Heartbeat.objects.count() == 1


def test_the_hourly_task_thins(midnight, settings):
    beat(make_watcher(), *every_minute(midnight, 5))

    tasks.delete_old_events_and_heartbeats()

    assert Heartbeat.objects.count() == 1


def test_the_database_itself_keeps_the_last_day_whole():
    with pytest.raises(Exception, match="today and yesterday stay whole"), connection.cursor() as cursor:
        cursor.execute("SELECT thin_heartbeat_day(%s, '5 min')", [utc_day_of(now()) - DAY])


def test_a_thinned_day_takes_no_heartbeat_that_stands_for_itself_alone(midnight):
    watcher = make_watcher()
    beat(watcher, midnight)
    thin_old_partitions(at=now(), most=20)

    with pytest.raises(IntegrityError, match="heartbeat_day_is_thinned"), transaction.atomic():
        beat(watcher, midnight + MINUTE)


@pytest.mark.django_db(transaction=True)
def test_the_service_thins_days_of_a_table_it_does_not_own(committed_midnight):
    beat(make_watcher(), *every_minute(committed_midnight, 5))
    here = connection.settings_dict

    with psycopg.connect(dbname=here["NAME"], host=here["HOST"], autocommit=True, **service_login()) as service:
        thin = "SELECT thin_heartbeat_day(%s, '5 min')"
        answers = [service.execute(thin, [committed_midnight.date()]).fetchone() for _ in range(3)]
    assert answers == [(False,), (True,), (True,)]
    assert Heartbeat.objects.count() == 1
