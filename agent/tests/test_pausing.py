"""A pause of the uploads ends by itself, whatever the clocks do, and outlives a restart."""

import threading
import time

import pytest

from instrument_watcher.chronicle import Chronicle
from instrument_watcher.journal.journal import Journal
from instrument_watcher.uploading import pausing
from instrument_watcher.uploading.pausing import Pause


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def told(journal: Journal) -> list[str]:
    return [event.event_type for event in journal.events.batch()]


def test_it_ends_when_its_time_is_over_and_says_so_once(journal: Journal, chronicle: Chronicle):
    clock = Clock()
    pause = Pause(journal, chronicle, now=clock)
    pause.begin(60)
    clock.now += 59
    pause.note_end()
    assert pause.is_on()

    clock.now += 1
    pause.note_end()
    pause.note_end()

    assert not pause.is_on()
    assert told(journal) == ["uploads_paused", "uploads_resumed"]


def test_a_restart_goes_on_with_it(journal: Journal, chronicle: Chronicle):
    clock = Clock()
    Pause(journal, chronicle, now=clock).begin(600)

    assert 590 < Pause(journal, chronicle, now=clock).seconds_left() <= 600


def test_a_clock_that_was_set_back_makes_it_no_longer(
    journal: Journal, chronicle: Chronicle, monkeypatch: pytest.MonkeyPatch
):
    clock = Clock()
    Pause(journal, chronicle, now=clock).begin(600)
    monkeypatch.setattr(time, "time", lambda: 0.0)

    assert Pause(journal, chronicle, now=clock).seconds_left() == 600


def test_one_that_ended_while_no_agent_ran_is_told_to_have_ended(journal: Journal, chronicle: Chronicle):
    journal.facts.set(pausing.PAUSE, {"until": 1.0, "seconds": 600})

    pause = Pause(journal, chronicle)
    pause.note_end()

    assert not pause.is_on()
    assert told(journal) == ["uploads_resumed"]


@pytest.mark.parametrize("seconds", [0, -1, 86_401, float("nan")])
def test_none_is_without_end(journal: Journal, chronicle: Chronicle, seconds: float):
    with pytest.raises(ValueError, match="A pause is of"):
        Pause(journal, chronicle).begin(seconds)


def test_waiting_for_its_end_ends_with_the_agent(journal: Journal, chronicle: Chronicle):
    pause, stop = Pause(journal, chronicle), threading.Event()
    pause.begin(600)
    stop.set()

    assert not pause.wait_over(stop)
