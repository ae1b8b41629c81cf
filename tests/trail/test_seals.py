"""Every row of the trail gets its seal, in order, also where rows commit late or two sealers meet."""

import threading
from datetime import date

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from accounts.models import TrailChain, TrailLink, TrailSealer
from accounts.trail.rows import find_trail_model
from accounts.trail.sealing import seal_trail
from accounts.trail.verification import count_waiting, find_extent, verify_rows
from instruments.models import Instrument
from runs.models import Run
from tests.factories import make_instrument, make_run
from tests.races import at_once
from tests.trail.altering import alter

RunTrail = find_trail_model(Run)


def faults():
    return list(verify_rows(find_extent()))


def test_each_row_follows_the_one_before_it_in_its_table(db):
    instrument = make_instrument()
    runs = [make_run(instrument=instrument) for _ in range(3)]

    sealed = seal_trail()

    first, second, third = TrailLink.objects.filter(kind="run").order_by("row_id")
    assert sealed == len(runs) + 1
    assert bytes(first.previous) == bytes(32)
    assert (bytes(second.previous), bytes(third.previous)) == (bytes(first.sha256), bytes(second.sha256))
    assert list(RunTrail.objects.values_list("pgh_id", flat=True).order_by("pgh_id")) == [
        link.row_id for link in (first, second, third)
    ]
    assert faults() == []


def test_sealing_goes_on_where_it_ended(db):
    make_run()
    seal_trail(size=1)
    make_run()

    assert (seal_trail(size=1), seal_trail(), count_waiting(), faults()) == (2, 0, 0, [])


def test_a_new_day_begins_with_the_head_of_the_last(db):
    run = make_run()
    alter("UPDATE runs_runtrail SET pgh_created_at = '2026-03-01T12:00Z'")
    seal_trail()
    Run.objects.filter(pk=run.pk).update(source="worker")
    alter("UPDATE runs_runtrail SET pgh_created_at = '2026-03-02T12:00Z' WHERE pgh_label = 'update'")

    seal_trail()

    before, after = TrailChain.objects.filter(kind="run").order_by("day")
    assert (before.day, after.day) == (date(2026, 3, 1), date(2026, 3, 2))
    assert bytes(TrailLink.objects.get(pk=after.first_id).previous) == bytes(before.sha256)
    assert list(verify_rows(find_extent(since=date(2026, 3, 2)))) == []
    assert faults() == []


def test_a_clock_that_was_set_back_begins_no_second_chain_of_a_day(db):
    run = make_run()
    alter("UPDATE runs_runtrail SET pgh_created_at = '2026-03-02T12:00Z'")
    seal_trail()
    Run.objects.filter(pk=run.pk).update(source="worker")
    alter("UPDATE runs_runtrail SET pgh_created_at = '2026-03-01T12:00Z' WHERE pgh_label = 'update'")

    seal_trail()

    assert [chain.rows_count for chain in TrailChain.objects.filter(kind="run")] == [2]
    assert faults() == []


@pytest.mark.django_db(transaction=True)
def test_a_row_that_commits_late_is_waited_for():
    make_instrument(id="early")
    late = start_writer("late")
    make_instrument(id="next")

    first, waiting = seal_trail(), count_waiting()
    late.end()
    seal_trail()

    named = dict(find_trail_model(Instrument).objects.values_list("pgh_obj_id", "pgh_id"))
    assert named["early"] < named["late"] < named["next"]
    assert (first, waiting) == (0, 2)
    assert list(TrailLink.objects.order_by("row_id").values_list("row_id", flat=True)) == sorted(named.values())
    assert faults() == []


class Writer(threading.Thread):
    """It makes an instrument, and commits when it is told to."""

    def __init__(self, name):
        super().__init__()
        self.instrument, self.written, self.told = name, threading.Event(), threading.Event()

    def run(self):
        try:
            with transaction.atomic():
                make_instrument(id=self.instrument)
                self.written.set()
                self.told.wait()
        finally:
            connection.close()

    def end(self):
        self.told.set()
        self.join()


def start_writer(name):
    writer = Writer(name)
    writer.start()
    assert writer.written.wait(30)
    return writer


@pytest.mark.django_db(transaction=True)
def test_only_those_who_wrote_before_are_waited_for():
    """Writers without a pause do not hold the seals up."""
    first = start_writer("a")
    seal_trail()
    second = start_writer("b")
    first.end()

    sealed = seal_trail()

    second.end()
    named = dict(find_trail_model(Instrument).objects.values_list("pgh_obj_id", "pgh_id"))
    assert sealed == 1
    assert list(TrailLink.objects.values_list("row_id", flat=True)) == [named["a"]]


@pytest.mark.django_db(transaction=True)
def test_two_sealers_seal_each_row_once():
    instrument = make_instrument()
    for _ in range(40):
        make_run(instrument=instrument)

    sealed = at_once(2, lambda number: seal_trail(size=3))

    assert sum(sealed) + seal_trail() == 41
    assert TrailLink.objects.count() == 41
    assert faults() == []


def test_a_table_has_one_chain_a_day(db):
    values = {"kind": "run", "day": date(2026, 3, 1), "first_id": 1, "last_id": 1, "rows_count": 1, "sha256": b""}
    TrailChain.objects.create(**values)

    with pytest.raises(IntegrityError, match="one_chain_a_day_and_kind"), transaction.atomic():
        TrailChain.objects.create(**values)


@pytest.mark.parametrize("statement", ["UPDATE accounts_traillink SET sha256 = ''", "DELETE FROM accounts_traillink"])
def test_a_slip_of_the_owner_alters_no_seal(db, statement):
    make_run()
    seal_trail()

    with pytest.raises(DatabaseError, match="append_only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_the_sealer_says_how_far_it_is(db):
    make_run()

    seal_trail()

    assert str(TrailSealer.objects.get()) == f"sealed through {RunTrail.objects.get().pgh_id}"
