"""Thirty at once, with real threads: the database says who wins. (Others stand with what they are about.)"""

import pytest

from accounts.callers import caller_for_user
from accounts.members import set_admin
from accounts.models import User
from archives.jobs import BUILDS
from archives.models import ArchiveJob
from jobs.leases import lease_job, lease_next_job
from processing.jobs import READINGS
from processing.models import ProcessingJob
from tests.factories import make_run, make_stored_file, make_user
from tests.races import at_once
from wire.clock import now
from wire.errors import ServiceError

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 30


def test_a_build_has_one_owner():
    job = ArchiveJob.objects.create(run=make_run(), cache_key="0" * 64, file_ids=[1])
    at = now()

    leases = at_once(AT_ONCE, lambda _: lease_job(BUILDS, job.pk, at=at))

    job.refresh_from_db()
    assert [lease.id for lease in leases if lease] == [job.lease_id]
    assert job.attempts == 1


def test_a_reading_has_one_owner():
    file, at = make_stored_file("a.csv"), now()
    ProcessingJob.objects.create(file=file, requested_at=at)

    leases = at_once(AT_ONCE, lambda _: lease_job(READINGS, file.pk, at=at))

    assert sum(lease is not None for lease in leases) == 1


def test_of_many_waiting_jobs_each_has_one_owner():
    run, at = make_run(), now()
    jobs = [ArchiveJob.objects.create(run=run, cache_key=f"{n:064x}", file_ids=[1], created_at=at) for n in range(10)]

    leases = at_once(AT_ONCE, lambda _: lease_next_job(BUILDS, at=at))

    assert sorted(lease.job.pk for lease in leases if lease) == sorted(job.pk for job in jobs)


def test_admins_who_all_demote_each_other_leave_one():
    ring = [make_user(is_admin=True) for _ in range(10)]

    def demote(number):
        try:
            set_admin(user_id=ring[number - 1].pk, is_admin=False, by=caller_for_user(ring[number]))
        except ServiceError:
            return "refused"
        return "done"

    outcomes = at_once(len(ring), demote)

    assert User.objects.filter(is_admin=True).count() == len(ring) - outcomes.count("done") >= 1
