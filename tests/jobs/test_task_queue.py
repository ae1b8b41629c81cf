import threading

import pytest

from jobs import task_queue
from jobs.task_queue import TaskPublisher, enqueue_on_commit


def test_nothing_is_queued_for_what_was_not_committed(db, monkeypatch):
    queued = []
    monkeypatch.setattr(task_queue.publisher, "add", lambda task, times: queued.append(task))

    enqueue_on_commit("archives.build", times=2)

    assert queued == []


@pytest.mark.django_db(transaction=True)
def test_a_task_is_queued_after_the_commit(monkeypatch):
    queued = []
    monkeypatch.setattr(task_queue.publisher, "add", lambda task, times: queued.append((task, times)))

    enqueue_on_commit("archives.build", times=2)

    assert queued == [("archives.build", 2)]


def test_a_stalled_broker_holds_up_nobody(monkeypatch):
    stalled, entered = threading.Event(), threading.Event()

    class Broker:
        def send_task(self, task):
            entered.set()
            stalled.wait(30)

    monkeypatch.setattr(task_queue, "current_app", Broker())
    publisher = TaskPublisher()
    publisher.add("a", times=1)
    entered.wait(30)

    for _ in range(task_queue.MAX_UNPUBLISHED + 5):
        publisher.add("a", times=1)

    assert publisher.unpublished.full()
    stalled.set()
    publisher.unpublished.join()  # what is left would go to the broker of other tests


def test_a_dead_broker_is_no_error(monkeypatch):
    class Broker:
        def send_task(self, task):
            raise ConnectionError

    monkeypatch.setattr(task_queue, "current_app", Broker())
    publisher = TaskPublisher()

    publisher.add("a", times=1)

    publisher.unpublished.join()
    assert publisher.thread is not None
    assert publisher.thread.is_alive()
