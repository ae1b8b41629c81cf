"""The rules of leases, tried on archive jobs; every kind of job follows them."""

from datetime import timedelta

import pytest

from archives.jobs import BUILDS
from archives.models import ArchiveJob
from jobs.leases import (
    LeaseLost,
    due_jobs,
    end_attempt,
    end_job,
    hold_lease,
    lease_job,
    lease_next_job,
    postpone_job,
    renew_lease,
)
from tests.factories import make_run
from wire.clock import now

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture
def job() -> ArchiveJob:
    return ArchiveJob.objects.create(run=make_run(), cache_key="0" * 64, file_ids=[1])


def test_a_leased_job_is_nobody_elses_until_the_lease_runs_out(job):
    at = now()
    lease_job(BUILDS, job.pk, at=at)

    assert lease_job(BUILDS, job.pk, at=at + BUILDS.lease - SECOND) is None
    assert lease_job(BUILDS, job.pk, at=at + BUILDS.lease).attempt == 2


def test_a_renewed_lease_lasts_from_then_on(job):
    at = now()
    lease = lease_job(BUILDS, job.pk, at=at)

    assert renew_lease(lease, at=at + 20 * SECOND)
    assert lease_job(BUILDS, job.pk, at=at + BUILDS.lease) is None


def test_a_lease_that_was_taken_over_can_do_nothing_more(job):
    at = now()
    lost = lease_job(BUILDS, job.pk, at=at)
    holder = lease_job(BUILDS, job.pk, at=at + BUILDS.lease)

    assert renew_lease(lost, at=at) is False
    assert end_job(lost, {"status": "failed", "completed_at": at}) is False
    end_attempt(lost, reason="too late", at=at)
    postpone_job(lost, at=at, wait=SECOND)
    with pytest.raises(LeaseLost):
        hold_lease(lost)
    assert hold_lease(holder).error_message is None


def test_a_broken_attempt_pauses_and_says_why(job):
    at = now()

    end_attempt(lease_job(BUILDS, job.pk, at=at), reason="It broke.", at=at)

    job.refresh_from_db()
    assert (job.attempts, job.error_message, job.lease_id) == (1, "It broke.", None)
    assert not due_jobs(BUILDS, at=at + BUILDS.pause - SECOND)
    assert due_jobs(BUILDS, at=at + BUILDS.pause).get() == job


def test_a_postponed_job_has_its_attempt_back(job):
    at = now()

    postpone_job(lease_job(BUILDS, job.pk, at=at), at=at, wait=20 * SECOND)

    job.refresh_from_db()
    assert (job.attempts, job.lease_until) == (0, at + 20 * SECOND)


def test_after_the_last_attempt_a_lease_is_for_writing_the_end(job):
    at = now()
    attempts = [lease_job(BUILDS, job.pk, at=at + number * BUILDS.lease) for number in range(4)]

    assert [lease.attempt for lease in attempts] == [1, 2, 3, 3]
    assert [lease.is_exhausted for lease in attempts] == [False, False, False, True]


def test_what_has_ended_is_never_leased(job):
    at = now()

    assert end_job(lease_job(BUILDS, job.pk, at=at), {"status": "failed", "completed_at": at})

    assert lease_job(BUILDS, job.pk, at=at + BUILDS.lease) is None


def test_the_job_that_has_waited_longest_is_next(job):
    older = ArchiveJob.objects.create(run=job.run, cache_key="1" * 64, file_ids=[1], created_at=job.created_at - SECOND)

    assert [lease_next_job(BUILDS, at=now()).job for _ in range(2)] == [older, job]
    assert lease_next_job(BUILDS, at=now()) is None
