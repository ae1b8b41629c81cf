"""Transitions are found by the sweep and told once."""

from contextlib import contextmanager
from datetime import timedelta

import pytest

from tests.factories import make_watcher
from tests.races import at_once
from watchers import tasks
from watchers.liveness import announce_transitions
from watchers.models import Watcher
from watchers.signals import watcher_came_online, watcher_went_offline
from wire.clock import now

LONG_AGO = timedelta(minutes=5)


@contextmanager
def told():
    """What is announced meanwhile: ("offline" or "online", watcher, at)."""
    heard = []

    def went_offline(watcher, at, **announced):
        heard.append(("offline", watcher, at))

    def came_online(watcher, at, **announced):
        heard.append(("online", watcher, at))

    watcher_went_offline.connect(went_offline)
    watcher_came_online.connect(came_online)
    try:
        yield heard
    finally:
        watcher_went_offline.disconnect(went_offline)
        watcher_came_online.disconnect(came_online)


def test_a_watcher_that_fell_silent_is_told_of_once(db):
    at = now()
    watcher = make_watcher(status="watching", last_heartbeat_at=at - LONG_AGO)

    with told() as heard:
        announce_transitions(at=at)
        announce_transitions(at=at + timedelta(seconds=30))

    watcher.refresh_from_db()
    assert heard == [("offline", watcher, at)]
    assert watcher.offline_announced_at == at


def test_a_watcher_that_came_back_is_told_of_once(db):
    at = now()
    watcher = make_watcher(status="watching", last_heartbeat_at=at, offline_announced_at=at - timedelta(hours=1))

    with told() as heard:
        announce_transitions(at=at)
        announce_transitions(at=at)

    assert heard == [("online", watcher, at)]


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "watching", "last_heartbeat_at": timedelta(minutes=4, seconds=59)},
        {"status": "stopped", "last_heartbeat_at": timedelta(days=1)},
        {"status": "registered"},
        {"status": "watching", "last_heartbeat_at": timedelta(days=1), "deleted_at": timedelta(0)},
        {"status": "stopped", "last_heartbeat_at": timedelta(0), "offline_announced_at": timedelta(hours=1)},
    ],
)
def test_others_are_not_told_of(db, fields):
    at = now()
    make_watcher(**{name: at - value if isinstance(value, timedelta) else value for name, value in fields.items()})

    with told() as heard:
        announce_transitions(at=at)

    assert heard == []


def test_one_that_stopped_while_offline_is_told_of_when_it_falls_silent_again(db):
    at = now()
    watcher = make_watcher(status="stopped", last_heartbeat_at=at, offline_announced_at=at)
    announce_transitions(at=at)
    Watcher.objects.update(status="watching", last_heartbeat_at=at - LONG_AGO)

    with told() as heard:
        announce_transitions(at=at)

    assert heard == [("offline", watcher, at)]


def test_nobody_is_called_silent_before_the_service_has_listened_long_enough(db):
    at = now()
    make_watcher(status="watching", last_heartbeat_at=at - timedelta(days=3))

    with told() as heard:
        announce_transitions(at=at, listening_since=at - timedelta(minutes=4))
        early = list(heard)
        announce_transitions(at=at, listening_since=at - LONG_AGO)

    assert early == []
    assert [kind for kind, _, _ in heard] == ["offline"]


def test_an_announcement_that_fails_is_tried_again_and_holds_up_no_other(db, caplog):
    at = now()
    watchers = [make_watcher(status="watching", last_heartbeat_at=at - LONG_AGO) for _ in range(3)]
    bad = [watchers[1].pk]

    def fail(watcher, **announced):
        if watcher.pk in bad:
            raise RuntimeError("the outbox is full")

    watcher_went_offline.connect(fail)
    try:
        with told() as heard:
            first = announce_transitions(at=at)
            bad.clear()
            second = announce_transitions(at=at)
    finally:
        watcher_went_offline.disconnect(fail)

    assert (first, second) == (2, 1)
    assert {watcher.pk for _, watcher, _ in heard} == {watcher.pk for watcher in watchers}


@pytest.mark.django_db(transaction=True)
def test_sweeps_at_once_tell_once():
    at = now()
    make_watcher(status="watching", last_heartbeat_at=at - LONG_AGO)

    with told() as heard:
        at_once(5, lambda number: announce_transitions(at=at))

    assert len(heard) == 1


def test_the_scheduled_task_sweeps(db, monkeypatch):
    monkeypatch.setattr(tasks, "WORKER_STARTED_AT", now() - timedelta(hours=1))
    make_watcher(status="watching", last_heartbeat_at=now() - LONG_AGO)

    with told() as heard:
        tasks.announce_liveness()

    assert [kind for kind, _, _ in heard] == ["offline"]
