"""Waiting until a file no longer changes."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from instrument_watcher.activity import Activity
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import Sighting
from instrument_watcher.watching.folder import FolderWatch
from instrument_watcher.watching.settling import Settling


class AskedJustThen(threading.Event):
    """Somebody asks in the moment after it was first looked at."""

    def __init__(self, ask: Callable[[], None]) -> None:
        super().__init__()
        self._asks = [ask]

    def is_set(self) -> bool:
        was = super().is_set()
        while self._asks:
            self._asks.pop()()
        return was


def test_a_file_is_due_when_nothing_changed_for_the_period():
    settling = Settling(stability_seconds=10)
    settling.see("a", Sighting(1, 1), now=0)
    settling.see("a", Sighting(1, 1), now=6)

    assert list(settling.due(now=9.9)) == []
    assert list(settling.due(now=10)) == [("a", Sighting(1, 1))]
    assert list(settling.due(now=20)) == []


def test_a_change_of_size_or_time_begins_the_period_anew():
    settling = Settling(stability_seconds=10)
    settling.see("grows", Sighting(1, 1), now=0)
    settling.see("is touched", Sighting(1, 1), now=0)
    settling.see("grows", Sighting(2, 1), now=5)
    settling.see("is touched", Sighting(1, 2), now=6)

    assert list(settling.due(now=10)) == []
    assert settling.next_due() == 15
    assert [path for path, _ in settling.due(now=16)] == ["grows", "is touched"]


def test_the_longest_waiting_comes_first():
    settling = Settling(stability_seconds=1)
    settling.see("b", Sighting(1, 1), now=0)
    settling.see("a", Sighting(1, 1), now=0.5)

    assert [path for path, _ in settling.due(now=9)] == ["b", "a"]
    assert settling.next_due() is None


def test_who_asks_just_as_a_round_begins_is_heard(root: Path, journal: Journal, chronicle: Chronicle, config: Config):
    (root / "R1/a.csv").write_bytes(b"a")
    slow = replace(config, stability_seconds=3600)
    watch = FolderWatch(slow, journal, chronicle, Activity(), found=lambda: None)
    watch._is_hurried = AskedJustThen(watch.hurry)
    watch.stop()  # no round waits for the next notice

    watch.step(time.monotonic())
    watch.step(time.monotonic())

    watch._observation.end()
    assert journal.files.find("R1/a.csv") is not None
