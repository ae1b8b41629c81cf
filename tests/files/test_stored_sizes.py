"""What is stored: noted by triggers, folded, and corrected range by range."""

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import connection, transaction
from django.db.models import F

from files.models import File, StoredChange, StoredRange
from files.stored import sizes as stored_sizes
from files.stored.sizes import correct_range, correct_ranges, find_drift, fold_changes, list_ranges, read_kept_sizes
from files.tasks import count_stored
from files.triggers import FILES_PER_RANGE
from overview.gauges import measure_stored_sizes, read_stored_sizes
from tests.factories import make_file, make_run, make_stored_file
from wire.clock import now

pytestmark = pytest.mark.django_db


def kept() -> dict[str, tuple[int, int]] | None:
    """As if each range had been counted before."""
    for number in list_ranges():
        StoredRange.objects.get_or_create(number=number, defaults={"counted_at": now()})
    return read_kept_sizes()


def test_files_count_once_their_bytes_are_stored():
    run = make_run()
    make_file(run=run, size_bytes=7)
    make_stored_file(run=run, data=b"12345")

    assert kept() == {"raw": (1, 5)}


def test_what_is_dismissed_and_what_is_deleted_no_longer_counts():
    make_stored_file(data=b"123")
    dismissed, deleted = make_stored_file(data=b"12345", category="processed"), make_stored_file(data=b"1")
    File.objects.filter(pk=dismissed.pk).update(deleted_at=now())
    File.objects.filter(pk=deleted.pk).delete()

    assert kept() == {"raw": (1, 3)}


def test_many_files_of_one_statement_are_one_change():
    run = make_run()
    for _ in range(4):
        make_file(run=run, size_bytes=5)

    key = {"storage_bucket": "local", "storage_key": F("filename")}
    File.objects.update(uploaded_at=now(), status="uploaded", **key)

    change = StoredChange.objects.get()
    assert (change.id_range, change.objects_count, change.size_bytes) == (list_ranges()[-1], 4, 20)


def test_a_move_that_stores_nothing_notes_nothing():
    file = make_stored_file(data=b"123")
    before = StoredChange.objects.count()

    File.objects.filter(pk=file.pk).update(status="processing", processing_since=now())

    assert StoredChange.objects.count() == before


def test_folding_keeps_the_sum_in_one_row():
    for _ in range(3):
        make_stored_file(data=b"12")

    fold_changes()

    assert StoredChange.objects.count() == 1
    assert kept() == {"raw": (3, 6)}


def test_what_comes_to_nothing_is_folded_away():
    make_stored_file(data=b"12")
    File.objects.all().delete()

    fold_changes()

    assert not StoredChange.objects.exists()


def test_before_each_range_was_counted_nothing_is_said():
    make_stored_file(data=b"12")

    assert read_kept_sizes() is None


def test_files_from_before_the_counting_are_counted():
    make_stored_file(data=b"12")
    StoredChange.objects.all().delete()

    measure_stored_sizes(at=now())

    assert read_stored_sizes() == {"raw": (1, 2), "archive": (0, 0)}


def test_a_wrong_number_is_corrected_by_the_hourly_count(caplog):
    file = make_stored_file(data=b"12")
    number = file.pk // FILES_PER_RANGE
    StoredChange.objects.create(id_range=number, category="raw", objects_count=5, size_bytes=50)

    count_stored()

    assert kept() == {"raw": (1, 2)}
    assert "objects 6 → 1, bytes 52 → 2" in caplog.text


def test_a_range_is_judged_by_its_own_files(monkeypatch):
    monkeypatch.setattr(stored_sizes, "FILES_PER_RANGE", 10)
    run = make_run()
    for pk in (29, 30, 39, 40):
        make_file(run=run, pk=pk, size_bytes=1, status="uploaded")
    StoredChange.objects.all().delete()
    StoredChange.objects.create(id_range=3, category="raw", objects_count=1, size_bytes=9)

    [drift] = find_drift(3)

    assert (drift.kept_objects, drift.objects, drift.kept_bytes, drift.bytes) == (1, 2, 9, 2)


def test_ranges_never_counted_come_first_then_the_oldest_count(monkeypatch):
    monkeypatch.setattr(stored_sizes, "FILES_PER_RANGE", 10)
    make_file(pk=35)
    StoredRange.objects.create(number=0, counted_at=now())
    StoredRange.objects.create(number=1, counted_at=now() - timedelta(hours=1))

    assert list_ranges() == [2, 3, 1, 0]
    assert list_ranges(uncounted=True) == [2, 3]


def test_a_count_ends_with_its_time():
    make_stored_file(data=b"12")
    StoredChange.objects.all().delete()

    assert list(correct_ranges(list_ranges(), at=now(), seconds=-1)) == []
    assert StoredRange.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_twin_corrections_correct_once():
    file = make_stored_file(data=b"12")
    StoredChange.objects.all().delete()
    number, together = file.pk // FILES_PER_RANGE, Barrier(2)

    def correct() -> None:
        together.wait(30)
        correct_range(number, at=now())
        connection.close()

    twins = [Thread(target=correct) for _ in range(2)]
    for twin in twins:
        twin.start()
    for twin in twins:
        twin.join(30)

    assert kept() == {"raw": (1, 2)}


@pytest.mark.django_db(transaction=True)
def test_a_correction_leaves_out_what_is_not_committed_and_does_not_wait_for_it():
    make_stored_file(data=b"12")
    StoredChange.objects.all().delete()
    run = make_run()

    with transaction.atomic():
        file = make_stored_file(run=run, data=b"12345")
        correcting = Thread(target=lambda: (correct_range(file.pk // FILES_PER_RANGE, at=now()), connection.close()))
        correcting.start()
        correcting.join(30)
        assert not correcting.is_alive()

    assert kept() == {"raw": (2, 7)}
