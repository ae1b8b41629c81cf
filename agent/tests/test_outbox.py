"""Events on their way."""

from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.outbox import BATCH_BYTES


def messages(journal: Journal) -> list[str]:
    return [event.message for event in journal.events.batch()]


def test_events_come_out_in_order_and_stay_until_they_are_removed(journal: Journal):
    for number in range(3):
        journal.events.add("error", f"event {number}", number=number)

    first = journal.events.batch()
    again = journal.events.batch()
    journal.events.remove(again[:2])

    assert [event.wire() for event in first] == [event.wire() for event in again]
    assert messages(journal) == ["event 2"]


def test_at_the_bound_the_oldest_go_and_the_drop_is_reported_once(journal: Journal):
    journal.events.kept = 100
    for number in range(125):
        journal.events.add("error", f"event {number}")

    batch = journal.events.batch()
    journal.events.remove(batch)

    assert [event.message for event in batch][:2] == ["event 30", "event 31"]
    assert batch[-1].message == "30 events were dropped while the service was away."
    assert batch[-1].details["count"] == 30
    assert messages(journal) == []


def test_a_batch_fits_one_request(journal: Journal):
    for _ in range(600):
        journal.events.add("error", "x" * 3000, text="y" * 1500)

    batch = journal.events.batch()

    assert 0 < len(batch) < 500
    assert sum(len(str(event.wire())) for event in batch) < BATCH_BYTES
