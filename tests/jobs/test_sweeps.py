"""A sweep queues a task for each job that waits without one, and never more, whatever became of the broker."""

from datetime import timedelta

import pytest

from archives.jobs import BUILDS
from archives.models import ArchiveJob
from jobs.leases import lease_job, lease_next_job
from jobs.sweeps import enqueue_abandoned_jobs
from jobs.task_queue import enqueue_on_commit, publisher
from notifications.announcements import ANNOUNCEMENTS, announce
from notifications.models import NotificationKind
from processing.jobs import READINGS, enqueue_files
from tests.factories import make_run, make_stored_file
from wire.clock import now

pytestmark = pytest.mark.django_db
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def make_builds(number, *, at) -> list[ArchiveJob]:
    run = make_run()
    jobs = [ArchiveJob(run=run, cache_key=f"{n:064x}", file_ids=[1], created_at=at) for n in range(number)]
    return ArchiveJob.objects.bulk_create(jobs)


def published() -> None:
    """What was handed to the thread of this process has gone out."""
    publisher.unpublished.join()


def test_two_minutes_of_sweeps_queue_each_waiting_job_once(broker):
    at = now()
    make_builds(413, at=at)

    for tick in range(24):
        enqueue_abandoned_jobs(BUILDS, at=at + 5 * tick * SECOND)

    assert broker.waiting("archives") == 413


def test_deliveries_are_queued_once_as_well(broker):
    at = now()
    for _ in range(20):
        announce(kind=NotificationKind.GENERIC, message="Hello.", at=at - MINUTE)

    for tick in range(24):
        enqueue_abandoned_jobs(ANNOUNCEMENTS, at=at + 5 * tick * SECOND)

    assert broker.waiting("deliveries") == 20


@pytest.mark.django_db(transaction=True)
def test_a_job_whose_task_came_with_the_request_is_left_to_it(broker):
    at = now()
    make_builds(5, at=at)
    enqueue_on_commit(BUILDS.task, times=5)

    assert enqueue_abandoned_jobs(BUILDS, at=at + 5 * SECOND) == 0

    published()
    assert broker.waiting("archives") == 5


@pytest.mark.django_db(transaction=True)
def test_asking_again_for_files_that_wait_queues_nothing_more(broker):
    files = [make_stored_file(f"{n}.csv") for n in range(3)]

    enqueue_files(files[:2], claim=True, at=now())
    enqueue_files(files, claim=True, at=now())

    published()
    assert broker.waiting("processing") == 3


@pytest.mark.django_db(transaction=True)
def test_a_file_asked_for_while_it_is_read_has_a_new_task(broker):
    file = make_stored_file("a.csv")
    enqueue_files([file], claim=True, at=now())
    published()
    broker.lose("processing", tasks=1)
    lease_next_job(READINGS, at=now())

    enqueue_files([file], claim=True, at=now())

    published()
    assert broker.waiting("processing") == 1


def test_tasks_that_were_lost_are_queued_again(broker):
    at = now()
    make_builds(30, at=at - MINUTE)
    enqueue_abandoned_jobs(BUILDS, at=at)
    broker.lose("archives", tasks=12)

    assert enqueue_abandoned_jobs(BUILDS, at=at + 5 * SECOND) == 12


def test_a_job_whose_worker_died_is_queued_once_its_lease_has_run_out(broker):
    at = now()
    [job] = make_builds(1, at=at)
    lease_job(BUILDS, job.pk, at=at)

    assert enqueue_abandoned_jobs(BUILDS, at=at + BUILDS.lease - SECOND) == 0
    assert enqueue_abandoned_jobs(BUILDS, at=at + BUILDS.lease) == 1


@pytest.mark.django_db(transaction=True)
def test_what_was_asked_for_while_the_broker_stood_still_is_queued_once_when_it_goes_on(broker, monkeypatch):
    monkeypatch.setattr("jobs.task_queue.PUBLISH_SECONDS", 1)
    at = now()
    broker.stop()
    jobs = make_builds(40, at=at)
    for _ in jobs:
        enqueue_on_commit(BUILDS.task)
    published()
    assert enqueue_abandoned_jobs(BUILDS, at=at + MINUTE) == 0

    broker.go_on()
    for tick in range(6):
        enqueue_abandoned_jobs(BUILDS, at=at + MINUTE + 5 * tick * SECOND)

    assert broker.waiting("archives") == 40


def test_a_broker_that_is_gone_fails_no_sweep(broker):
    make_builds(1, at=now() - MINUTE)
    broker.server.stop()

    assert enqueue_abandoned_jobs(BUILDS, at=now()) == 0
