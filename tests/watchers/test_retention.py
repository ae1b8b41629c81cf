from datetime import timedelta

from django.db import connection

from tests.factories import make_event
from watchers import events, tasks
from watchers.events import delete_old_events
from watchers.models import WatcherEvent
from wire.clock import now


def test_events_past_their_time_are_deleted_by_the_day_they_came(db, settings):
    settings.EVENT_DAYS = 90
    at = now()
    make_event(message="old", received_at=at - timedelta(days=90, milliseconds=1), happened_at=at)
    make_event(message="kept", received_at=at - timedelta(days=90), happened_at=at - timedelta(days=900))

    deleted = delete_old_events(at=at)

    assert deleted == 1
    assert list(WatcherEvent.objects.values_list("message", flat=True)) == ["kept"]


def test_deletion_goes_in_batches_until_nothing_is_left(db, monkeypatch):
    monkeypatch.setattr(events, "EVENTS_PER_DELETE", 2)
    for _ in range(5):
        make_event(received_at=now() - timedelta(days=1000))

    assert delete_old_events(at=now()) == 5


def test_one_run_of_the_task_is_bounded(db, monkeypatch):
    monkeypatch.setattr(events, "EVENTS_PER_DELETE", 2)
    for _ in range(5):
        make_event(received_at=now() - timedelta(days=1000))

    assert delete_old_events(at=now(), most=4) == 4


def test_a_batch_is_bounded_whatever_the_plan(db, monkeypatch):
    """PostgreSQL chooses a nested loop where its statistics say that the table is nearly empty."""
    monkeypatch.setattr(events, "EVENTS_PER_DELETE", 2)
    for _ in range(5):
        make_event(received_at=now() - timedelta(days=1000))

    with connection.cursor() as cursor:
        for way in ("hashjoin", "mergejoin", "sort", "hashagg", "material"):
            cursor.execute(f"SET LOCAL enable_{way} = off")
    assert delete_old_events(at=now(), most=2) == 2


def test_the_task_may_run_on_nothing(db):
    tasks.delete_old_events_and_heartbeats()
