import threading

import pytest

from wire import bell
from wire.bell import Bell, ring_on_commit


def test_nobody_rings_for_what_was_not_committed(db, monkeypatch):
    rung = []
    monkeypatch.setattr(bell.bell, "ring", lambda task, arguments: rung.append(task))

    ring_on_commit("archives.build", job_id="1")

    assert rung == []


@pytest.mark.django_db(transaction=True)
def test_the_bell_rings_after_the_commit(monkeypatch):
    rung = []
    monkeypatch.setattr(bell.bell, "ring", lambda task, arguments: rung.append((task, arguments)))

    ring_on_commit("archives.build", job_id="1")

    assert rung == [("archives.build", {"job_id": "1"})]


def test_a_stalled_broker_holds_up_nobody(monkeypatch):
    stalled, entered = threading.Event(), threading.Event()

    class Broker:
        def send_task(self, task, kwargs):
            entered.set()
            stalled.wait(30)

    monkeypatch.setattr(bell, "current_app", Broker())
    one = Bell()
    one.ring("a", {})
    entered.wait(30)

    for _ in range(bell.MOST_WAITING + 5):
        one.ring("a", {})

    assert one.waiting.full()
    stalled.set()


def test_a_dead_broker_is_no_error(monkeypatch):
    class Broker:
        def send_task(self, task, kwargs):
            raise ConnectionError

    monkeypatch.setattr(bell, "current_app", Broker())
    one = Bell()

    one.ring("a", {})

    one.waiting.join()
    assert one.thread is not None
    assert one.thread.is_alive()
