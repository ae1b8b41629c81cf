"""Lanes: a receiver that hangs or is dead costs the others nothing, whoever serves them."""

import threading
from datetime import timedelta

import pytest

from accounts.callers import Caller
from changes.models import Webhook, WebhookDelivery
from changes.webhooks import lanes
from changes.webhooks.catalogue import WebhookSettings, add_webhook
from changes.webhooks.fan_out import fan_out_changes
from changes.webhooks.lane_threads import LaneThreads
from changes.webhooks.lanes import lease_lane, pause_after, release_lane, serve_lane
from changes.webhooks.receivers import ReceiverAdapter
from tests.changes.test_log import add
from tests.outside import dripping, outside
from tests.races import at_once
from wire.clock import now

pytestmark = pytest.mark.django_db(transaction=True)


def receive(url):
    return add_webhook(WebhookSettings(url=url), by=Caller(), at=now() - timedelta(seconds=1)).webhook


@pytest.mark.slow
def test_a_receiver_that_hangs_delays_no_other(monkeypatch):
    monkeypatch.setattr(ReceiverAdapter, "seconds", 120.0)  # longer than the others may take, until it ends below
    threads = LaneThreads(2)
    with outside() as quick:
        with dripping() as hanging:
            quick.answer("/events", {})
            receive(hanging.url), receive(f"{quick.url}/events")
            for _ in range(5):
                add()
            fan_out_changes(at=now())

            threads.wake(2)
            assert hanging.held.acquire(timeout=60)
            done = threading.Event()
            for _ in range(1200):
                if len(quick.calls) == 5 or done.wait(0.05):
                    break
            still_hanging = Webhook.objects.filter(url=hanging.url, lease_id__isnull=False).exists()
            told = len(quick.calls)
        threads._pool.shutdown()

    assert (told, still_hanging) == (5, True)


def test_one_lane_is_served_by_one_of_many(monkeypatch):
    monkeypatch.setattr(lanes, "TURN_SECONDS", 60.0)  # one turn for all, also where the machine stands still
    monkeypatch.setattr(lanes, "SLOW_MS", 60_000)
    with outside() as receiver:
        receiver.answer("/events", {})
        receive(f"{receiver.url}/events")
        for _ in range(10):
            add()
        fan_out_changes(at=now())

        at_once(4, lambda number: serve_lane(at=now()))

        assert len(receiver.calls) == 10


def test_a_lane_whose_holder_died_is_taken_over():
    at = now()
    webhook = receive("https://a.example/")
    Webhook.objects.update(due_at=at)

    first, second = lease_lane(at=at), lease_lane(at=at)
    third = lease_lane(at=at + lanes.LEASE)

    assert first is not None
    assert third is not None
    assert (first.pk, second, third.pk) == (webhook.pk, None, webhook.pk)


def test_who_lost_the_lease_gives_nothing_back():
    at = now()
    receive("https://a.example/")
    Webhook.objects.update(due_at=at)
    first = lease_lane(at=at)
    second = lease_lane(at=at + lanes.LEASE)
    assert first is not None
    assert second is not None

    release_lane(first, at=at)

    assert Webhook.objects.get().lease_id == second.lease_id


def test_few_slow_lanes_are_served_at_once():
    at = now()
    for number in range(lanes.MAX_SLOW_LANES + 1):
        receive(f"https://slow-{number}.example/")
    Webhook.objects.update(due_at=at, is_slow=True)
    quick = receive("https://quick.example/")
    Webhook.objects.filter(pk=quick.pk).update(due_at=at)

    leased = [lease_lane(at=at) for _ in range(lanes.MAX_SLOW_LANES + 2)]

    assert sum(lane is not None and lane.is_slow for lane in leased) == lanes.MAX_SLOW_LANES
    assert [lane.pk for lane in leased if lane and not lane.is_slow] == [quick.pk]


def test_what_was_written_while_a_lane_was_served_is_due():
    at = now()
    webhook = receive("https://a.example/")
    Webhook.objects.update(due_at=at)
    lane = lease_lane(at=at)
    assert lane is not None
    add()
    fan_out_changes(at=at)

    release_lane(lane, at=at)

    assert WebhookDelivery.objects.get().next_attempt_at == at
    assert Webhook.objects.get(pk=webhook.pk).due_at == at


@pytest.mark.parametrize(("failures", "seconds"), [(2, 5), (3, 5), (4, 10), (8, 160), (9, 300), (1_000_000, 300)])
def test_pauses_grow_to_five_minutes(failures, seconds):
    assert pause_after(failures) == timedelta(seconds=seconds)
