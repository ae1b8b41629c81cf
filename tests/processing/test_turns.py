"""Fair shares of the readers, whoever floods them."""

from datetime import timedelta

import pytest

from files.models import File
from jobs.leases import lease_next_job, renew_lease
from processing import tasks
from processing.jobs import READINGS, end_reading, enqueue_files
from processing.models import JobState, ProcessingJob
from processing.shares import lease_next_reading, wake_for_freed_share
from tests.factories import make_file, make_instrument, make_run
from tests.races import at_once
from wire.clock import now

pytestmark = pytest.mark.django_db


def make_arrivals(instrument_id: str, *, files: int) -> list[File]:
    run = make_run(instrument=make_instrument(id=instrument_id))
    rows = [make_file(f"{number}.csv", run=run) for number in range(files)]
    enqueue_files(rows, claim=False, at=now())
    return rows


def add_arrivals(like: File, *, files: int) -> None:
    rows = [make_file(run=like.run) for _ in range(files)]
    enqueue_files(rows, claim=False, at=now())


def read_next() -> str | None:
    """Reads one file to its end; of which instrument it was."""
    lease = lease_next_job(READINGS, at=now())
    assert lease
    end_reading(lease, state=JobState.COMPLETED, at=now())
    return lease.job.instrument_id


def test_a_file_of_another_instrument_waits_for_none_of_two_hundred():
    make_arrivals("busy", files=200)
    for _ in range(20):
        read_next()

    make_arrivals("quiet", files=1)

    assert "quiet" in [read_next(), read_next()]


def test_two_busy_instruments_take_turns():
    make_arrivals("first", files=60)
    for _ in range(20):
        read_next()
    make_arrivals("second", files=60)

    read = [read_next() for _ in range(40)]

    assert read.count("first") == read.count("second") == 20
    assert {tuple(sorted(read[at : at + 2])) for at in range(0, 40, 2)} == {("first", "second")}


def test_who_was_busy_for_long_is_not_put_behind_who_begins():
    early = make_arrivals("early", files=50)
    for _ in range(49):
        read_next()
    lease_next_job(READINGS, at=now())
    make_arrivals("late", files=50)

    add_arrivals(early[0], files=1)

    assert "early" in [read_next() for _ in range(3)]


def test_files_of_one_instrument_are_read_as_they_came():
    files = make_arrivals("one", files=5)

    assert [lease_next_job(READINGS, at=now()).job.pk for _ in files] == [file.pk for file in files]


def test_a_file_that_is_asked_for_again_goes_to_the_end_of_its_instruments_line():
    first, second = make_arrivals("one", files=2)

    enqueue_files([first], claim=True, at=now())

    assert [lease_next_job(READINGS, at=now()).job.pk for _ in range(2)] == [second.pk, first.pk]


def begin_reading() -> str | None:
    """Leases one file, which is then being read; of which instrument it is, or None."""
    lease = lease_next_reading(at=now())
    return lease.job.instrument_id if lease else None


def test_an_instrument_that_has_its_share_leaves_the_next_reader_to_others():
    make_arrivals("hostile", files=5)
    make_arrivals("quiet", files=1)

    begun = [begin_reading() for _ in range(4)]

    assert sorted(filter(None, begun)) == ["hostile", "hostile", "quiet"]


def test_a_reading_that_ended_frees_its_share():
    make_arrivals("hostile", files=5)
    lease = lease_next_reading(at=now())
    assert lease
    begin_reading()
    assert begin_reading() is None

    end_reading(lease, state=JobState.COMPLETED, at=now())

    assert begin_reading() == "hostile"


def test_a_reader_that_fell_silent_holds_no_share():
    make_arrivals("hostile", files=3)
    begin_reading()
    begin_reading()

    assert lease_next_reading(at=now() + 2 * READINGS.lease)


def test_a_lease_is_renewed_while_its_instrument_has_its_share():
    make_arrivals("hostile", files=3)
    lease = lease_next_reading(at=now())
    assert lease
    begin_reading()

    assert renew_lease(lease, at=now())


def test_without_a_limit_every_reader_may_read_of_one_instrument(settings):
    settings.READINGS_PER_INSTRUMENT = 0
    make_arrivals("busy", files=5)

    assert [begin_reading() for _ in range(5)] == ["busy"] * 5


def test_files_beyond_the_share_are_not_queued_again_and_again(monkeypatch):
    published = []
    monkeypatch.setattr("jobs.sweeps.publish", lambda task, *, times, deadline: published.append(times))
    monkeypatch.setattr("jobs.sweeps.queue_length", lambda task: 0)
    make_arrivals("hostile", files=5)
    begin_reading()
    begin_reading()
    ProcessingJob.objects.update(requested_at=now() - timedelta(minutes=1))

    tasks.sweep()

    assert published == [0]


def test_the_end_of_a_reading_wakes_a_reader_for_files_whose_tasks_found_nothing_to_do(monkeypatch):
    woken = []
    monkeypatch.setattr("processing.shares.enqueue", woken.append)
    monkeypatch.setattr("processing.shares.queue_length", lambda task: 0)
    make_arrivals("hostile", files=3)
    lease = lease_next_reading(at=now())
    assert lease
    begin_reading()
    wake_for_freed_share(at=now())
    assert woken == []

    end_reading(lease, state=JobState.COMPLETED, at=now())
    wake_for_freed_share(at=now())

    assert woken == ["processing.process"]


@pytest.mark.django_db(transaction=True)
def test_readers_that_begin_at_the_same_instant_do_not_overdraw_a_share():
    make_arrivals("hostile", files=8)

    begun = at_once(6, lambda _: begin_reading())

    assert sorted(filter(None, begun)) == ["hostile", "hostile"]


def test_a_job_that_is_asked_for_is_a_new_one_of_the_model():
    file, at = make_file(), now()

    enqueue_files([file], claim=False, at=at)

    asked = ProcessingJob.objects.filter(file=file).values().get()
    new = ProcessingJob(file=file, instrument=file.run.instrument, turn=0, requested_at=at)
    assert asked == {field.attname: getattr(new, field.attname) for field in ProcessingJob._meta.concrete_fields}


def test_asking_again_begins_anew_and_keeps_who_claimed_it():
    file, at = make_file(), now()
    enqueue_files([file], claim=True, at=at)
    lease = lease_next_job(READINGS, at=at)
    end_reading(lease, state=JobState.FAILED, at=at, processor="generic")
    ProcessingJob.objects.update(claimed_at=at, detail="broken")

    enqueue_files([file], claim=False, at=at + timedelta(seconds=1))

    job = ProcessingJob.objects.get(file=file)
    assert (job.state, job.attempts, job.lease_id, job.ended_at, job.detail) == ("waiting", 0, None, None, "")
    assert (job.claimed_at, job.requested_at, job.processor) == (at, at + timedelta(seconds=1), "generic")
