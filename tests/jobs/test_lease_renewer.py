"""A lease is kept by progress, and by a thread while one call takes long."""

import threading

import pytest

from jobs.lease_renewer import LeaseRenewer
from jobs.leases import LeaseLost

pytestmark = pytest.mark.django_db  # the thread closes a connection it may have opened
EVERY = 0.02


class Renewals:
    """Answers `is_kept`, and tells when it was asked so often."""

    def __init__(self, *, times: int = 2, is_kept: bool = True) -> None:
        self.left, self.is_kept = times, is_kept
        self.enough = threading.Event()
        self.threads: set[str] = set()

    def __call__(self) -> bool:
        self.threads.add(threading.current_thread().name)
        self.left -= 1
        if self.left <= 0:
            self.enough.set()
        return self.is_kept


def test_a_call_that_takes_long_keeps_the_lease():
    renewals = Renewals()

    with LeaseRenewer(renewals, every=EVERY):
        assert renewals.enough.wait(30)

    assert renewals.threads == {"lease renewer"}


def test_progress_after_the_lease_was_lost_ends_the_work():
    renewer = LeaseRenewer(Renewals(is_kept=False), every=0)

    with pytest.raises(LeaseLost):
        renewer()


def test_work_that_shows_no_progress_for_too_long_loses_its_lease(monkeypatch):
    monkeypatch.setattr("jobs.lease_renewer.SILENT_SECONDS", 0)
    renewals = Renewals()

    with LeaseRenewer(renewals, every=EVERY) as renewer:
        renewer.thread.join(60)

    assert not renewer.thread.is_alive()
    assert renewals.threads == set()
