"""The days of heartbeats: made ahead by whoever comes by, dropped when old."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from django.core.management import call_command
from django.core.management.sql import emit_post_migrate_signal
from django.db import IntegrityError, connection, transaction

from accounts.callers import caller_for_token
from operations.embedded.postgres import SERVICE
from tests.embedded import service_login
from tests.factories import make_token, make_watcher
from tests.races import at_once
from watchers import tasks
from watchers.choices import WatcherStatus
from watchers.heartbeats import HeartbeatReport, record_heartbeat
from watchers.models import Heartbeat
from watchers.partitions import DAYS_AHEAD, drop_old_partitions, ensure_partitions, has_partitions
from wire.clock import now

FAR = datetime(2040, 5, 17, 23, 59, 59, 999_000, tzinfo=UTC)


def days() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT inhrelid::regclass::text FROM pg_inherits
                WHERE inhparent = 'watchers_heartbeat'::regclass ORDER BY 1"""
        )
        return [name.removeprefix("watchers_heartbeat_") for (name,) in cursor.fetchall()]


def coming(at: datetime) -> list[str]:
    return [f"{at + timedelta(days=number):%Y%m%d}" for number in range(1 + DAYS_AHEAD)]


@pytest.fixture
def no_days(db):
    """The table as it is when nobody came by for a week."""
    with connection.cursor() as cursor:
        for day in days():
            cursor.execute(f"DROP TABLE watchers_heartbeat_{day}")


def test_migrate_leaves_today_and_the_days_to_come(db):
    """The day on which the database of the tests was made, which may have been yesterday."""
    first = datetime.strptime(days()[0], "%Y%m%d").replace(tzinfo=UTC)

    assert set(coming(first)) <= set(days())
    assert first <= now() < first + timedelta(days=2)


def test_migrate_ensures_them_though_it_has_nothing_to_do(no_days):
    emit_post_migrate_signal(verbosity=0, interactive=False, db="default")

    assert days() == coming(now())


def test_migrate_away_from_the_table_ends_quietly(db):
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION add_heartbeat_days(date, integer)")

    emit_post_migrate_signal(verbosity=0, interactive=False, db="default")

    assert not has_partitions()


def test_a_start_ensures_them_before_the_web_opens(no_days):
    call_command("prepare")

    assert days() == coming(now())


def test_the_hourly_task_ensures_them(no_days):
    tasks.ensure_heartbeat_partitions()

    assert days() == coming(now())


def test_days_begin_at_midnight_utc(no_days):
    ensure_partitions(at=FAR.astimezone().replace(microsecond=0))

    assert days() == ["20400517", "20400518", "20400519", "20400520"]


def test_only_missing_days_are_added(no_days):
    assert [
        ensure_partitions(at=FAR),
        ensure_partitions(at=FAR),
        ensure_partitions(at=FAR + timedelta(milliseconds=1)),
    ] == [4, 0, 1]


def test_a_day_takes_its_first_and_its_last_moment(no_days):
    watcher = make_watcher()
    ensure_partitions(at=FAR)
    midnight = FAR.replace(hour=0, minute=0, second=0, microsecond=0)

    for moment in (midnight, FAR):
        Heartbeat.objects.create(watcher=watcher, received_at=moment, status="watching")

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM watchers_heartbeat_20400517")
        assert cursor.fetchone() == (2,)


def test_there_is_no_day_for_everything_else(no_days):
    with pytest.raises(IntegrityError), transaction.atomic():
        Heartbeat.objects.create(watcher=make_watcher(), received_at=FAR, status="watching")


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_that_meets_a_gap_heals_it():
    token = make_token()
    watcher = make_watcher(token=token)

    record_heartbeat(watcher.pk, report=HeartbeatReport(WatcherStatus.WATCHING), by=caller_for_token(token), at=FAR)

    assert Heartbeat.objects.get().received_at == FAR
    assert set(coming(FAR)) <= set(days())


def test_a_gap_met_inside_a_transaction_leaves_it_whole(no_days):
    token = make_token()

    with transaction.atomic():
        watcher = make_watcher(token=token)
        report = HeartbeatReport(WatcherStatus.WATCHING)
        record_heartbeat(watcher.pk, report=report, by=caller_for_token(token), at=FAR)

    assert Heartbeat.objects.get().watcher == watcher


@pytest.mark.django_db(transaction=True)
def test_many_heartbeats_that_meet_a_gap_at_once_heal_it_once():
    token, at = make_token(), FAR + timedelta(days=400)
    watcher, by = make_watcher(token=token), caller_for_token(token)

    at_once(
        12, lambda number: record_heartbeat(watcher.pk, report=HeartbeatReport(WatcherStatus.WATCHING), by=by, at=at)
    )

    assert Heartbeat.objects.count() == 12


def test_days_past_their_time_are_dropped(no_days, settings):
    settings.HEARTBEAT_DAYS = 14
    at = now()
    for ago in (16, 15, 14, 0):
        with connection.cursor() as cursor:
            cursor.execute("SELECT add_heartbeat_days(%s, 1)", [(at - timedelta(days=ago)).date()])

    dropped = drop_old_partitions(at=at)

    assert dropped == 2
    assert days() == [f"{at - timedelta(days=14):%Y%m%d}", f"{at:%Y%m%d}"]


def test_the_database_itself_keeps_today(db):
    with pytest.raises(Exception, match="today and what follows stay"), connection.cursor() as cursor:
        cursor.execute("SELECT drop_heartbeat_days(%s)", [(now() + timedelta(days=1)).date()])


@pytest.mark.django_db(transaction=True)
def test_the_service_adds_and_drops_days_of_a_table_it_does_not_own():
    here, long_ago = connection.settings_dict, now().date() - timedelta(days=30)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [SERVICE])
        if cursor.fetchone() is None:
            pytest.skip("this PostgreSQL has a single role")

    with psycopg.connect(dbname=here["NAME"], host=here["HOST"], autocommit=True, **service_login()) as service:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            service.execute("ALTER TABLE watchers_heartbeat ADD COLUMN mine text")
        added = service.execute("SELECT add_heartbeat_days(%s, 2)", [long_ago]).fetchone()
        service.execute("SELECT reread_heartbeat_days()")
        dropped = service.execute("SELECT drop_heartbeat_days(%s)", [long_ago + timedelta(days=2)]).fetchone()

    assert (added, dropped) == ((2,), (2,))


def test_heartbeats_of_two_days_are_one_history(no_days, as_token):
    watcher = make_watcher()
    ensure_partitions(at=FAR)
    for moment in (FAR, FAR + timedelta(days=1)):
        Heartbeat.objects.create(watcher=watcher, received_at=moment, status="watching")

    rows = as_token().get(f"/api/v1/watchers/{watcher.pk}/heartbeats").json()["data"]

    assert [row["received_at"][:10] for row in rows] == ["2040-05-18", "2040-05-17"]
