"""Waiting for a service that is away."""

import threading
import time

import pytest

from instrument_watcher.service import link as links
from instrument_watcher.service.errors import ServiceAway, SlowDown
from instrument_watcher.service.link import Link
from instrument_watcher.uploading import pacing
from instrument_watcher.uploading.pacing import Pace, Stopping, backoff


class Sleeper(threading.Event):
    """A clock that moves by what is waited for, and by nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.slept = 0.0

    def monotonic(self) -> float:
        return self.slept

    def wait(self, timeout: float | None = None) -> bool:
        self.slept += timeout or 0.0
        return False


@pytest.fixture
def sleeper(monkeypatch: pytest.MonkeyPatch) -> Sleeper:
    sleeper = Sleeper()
    monkeypatch.setattr(links, "time", sleeper)
    return sleeper


def test_failures_of_several_threads_within_one_wait_count_once(sleeper: Sleeper):
    link = Link()

    for _ in range(50):
        link.found_away(ServiceAway("no route"))
    link.wait(sleeper)

    assert links.FIRST_WAIT / 2 <= sleeper.slept <= links.FIRST_WAIT
    assert link.why == "no route"


def test_a_wait_ends_when_the_service_is_found_back():
    link = Link()
    link.found_away(ServiceAway("busy", retry_after=3600))
    threading.Timer(0.2, link.found_up).start()

    assert timed(lambda: link.wait(threading.Event())) < 60
    assert link.is_up()


def test_a_wait_ends_when_the_agent_stops():
    link, stop = Link(), threading.Event()
    link.found_away(ServiceAway("busy", retry_after=30))
    threading.Timer(0.1, stop.set).start()

    assert link.wait(stop) is False


def test_being_asked_to_slow_down_is_no_absence(sleeper: Sleeper):
    link = Link()

    link.found_away(SlowDown("slow down", retry_after=3.0))

    assert link.is_up()
    assert link.wait(sleeper)
    assert sleeper.slept == 3.0


def test_waits_double_up_to_a_bound_and_half_of_each_is_chance():
    shortest = [backoff(attempt, first=1, most=10, random=lambda: 0.0) for attempt in range(6)]
    longest = [backoff(attempt, first=1, most=10, random=lambda: 1.0) for attempt in range(6)]

    assert shortest == [0.5, 1, 2, 4, 5, 5]
    assert longest == [1, 2, 4, 8, 10, 10]


def test_all_uploads_together_keep_the_bandwidth_limit():
    pace = Pace(threading.Event(), bytes_per_second=lambda: 1_000_000)

    def send() -> None:
        for _ in range(10):
            pace.before_sending(50_000)

    def send_beside_another() -> None:
        other = threading.Thread(target=send)
        other.start()
        send()
        other.join()

    assert timed(send_beside_another) >= 0.45  # a megabyte at a megabyte a second, less the free burst


def test_a_busy_disk_makes_readers_wait_until_it_is_quiet(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pacing, "LISTEN_EVERY", 3600.0)
    heard = iter([True, True, False])

    class Disk:
        def is_busy(self, *, during) -> bool:
            return next(heard)

    pace = Pace(threading.Event(), disk=Disk())  # type: ignore[arg-type]

    pace.before_reading()
    pace.before_reading()

    assert list(heard) == []


def test_every_wait_ends_with_the_agent():
    stop = threading.Event()
    pace = Pace(stop, bytes_per_second=lambda: 1)
    threading.Timer(0.1, stop.set).start()

    with pytest.raises(Stopping):
        pace.before_sending(100)


def test_a_pause_ends_the_wait_of_a_slow_link(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pacing, "LOOK_AGAIN", 0.01)
    is_paused = threading.Event()
    pace = Pace(threading.Event(), is_halted=is_paused.is_set, bytes_per_second=lambda: 1)
    threading.Timer(0.1, is_paused.set).start()

    with pytest.raises(Stopping):
        pace.before_sending(1000)


class Impatient(threading.Event):
    """Waiting for it is a failure."""

    def wait(self, timeout: float | None = None) -> bool:
        raise AssertionError(f"it was waited for {timeout} s")


def test_somebody_who_asks_ends_the_wait_for_the_service():
    link = Link()
    link.found_away(ServiceAway("Nobody answers.", retry_after=3600))
    with pytest.raises(AssertionError, match="it was waited"):
        link.wait(Impatient())

    link.try_now()

    assert link.wait(Impatient())


def timed(work) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began
