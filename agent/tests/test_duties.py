"""What the agent's threads hear of each other."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest

from instrument_watcher.duties import Duties


class AskedWithin(threading.Event):
    """Somebody says that it is urgent just when it was found that nobody had."""

    def is_set(self) -> bool:
        was_set = super().is_set()
        self.set()
        return was_set


@pytest.mark.parametrize("within", ["before the look", "in the look"])
def test_who_wants_a_release_just_as_a_look_for_one_begins_is_heard(within: str):
    looks: list[bool] = []

    def look(*, urgent: bool) -> bool:
        looks.append(urgent)
        if within == "in the look":
            duties._is_urgent.set()
        return False

    parts: Any = SimpleNamespace(updates=SimpleNamespace(look=look))
    duties = Duties(parts, finish=lambda outcome: None)
    if within == "before the look":
        duties._is_urgent = AskedWithin()

    duties._look_for_update()

    assert looks == [False]
    assert duties._is_urgent.wait(0)
    duties._look_for_update()
    assert looks == [False, True]
