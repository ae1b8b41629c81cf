"""Waiting until a file no longer changes."""

from instrument_watcher.journal.rows import Sighting
from instrument_watcher.watching.settling import Settling


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
