"""One thread watches the deadlines of all queries."""

import threading
import time
from types import SimpleNamespace

from datasets.deadlines import Deadlines

SOON, LONG = 0.05, 60


def test_who_is_late_is_interrupted():
    late = threading.Event()

    with Deadlines().watch(SOON, late.set):
        assert late.wait(LONG)


def test_an_interrupt_that_came_too_early_comes_again():
    heard, ended = [], threading.Event()

    def interrupt():
        heard.append(True)
        if len(heard) > 1:
            ended.set()

    with Deadlines().watch(SOON, interrupt):
        assert ended.wait(LONG)


def test_who_is_in_time_is_left_alone(monkeypatch):
    deadlines, early, late, clock = Deadlines(), threading.Event(), threading.Event(), [0.0]
    monkeypatch.setattr("datasets.deadlines.time", SimpleNamespace(monotonic=lambda: clock[0]))

    with deadlines.watch(SOON, early.set):
        pass
    clock[0] = 2 * SOON
    with deadlines.watch(0, late.set):
        assert late.wait(LONG)

    assert not early.is_set()


def test_an_earlier_deadline_does_not_wait_for_a_later_one():
    deadlines, first, second = Deadlines(), threading.Event(), threading.Event()
    began = time.monotonic()

    with deadlines.watch(LONG, first.set), deadlines.watch(SOON, second.set):
        second.wait(LONG)

    assert time.monotonic() - began < LONG
    assert not first.is_set()


def test_many_share_one_thread():
    deadlines, before = Deadlines(), count_threads()

    for _ in range(100):
        with deadlines.watch(LONG, threading.Event().set):
            pass

    assert count_threads() == before + 1


def count_threads():
    """Others come and go with what earlier tests left behind."""
    return sum(thread.name == "deadlines" for thread in threading.enumerate())
