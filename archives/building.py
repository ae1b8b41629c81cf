"""Running one archive job from lease to end."""

import logging
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from archives.builder import build_archive
from archives.entries import LyingChecksum, SourceChanged
from archives.jobs import LEASE, end_attempt, fail_job, finish_job, lease_job, postpone_job, renew_lease
from archives.members import Member, list_members
from archives.models import ArchiveJob
from files.lies import fail_lying_file
from files.storage import object_store
from files.storage.port import ObjectExists, StoreUnavailable
from wire.pulse import Pulse

log = logging.getLogger(__name__)
RENEW_SECONDS = LEASE.total_seconds() / 6
STORE_PAUSE = LEASE  # as long as after a build that fell silent


class LeaseLost(Exception):
    """Somebody else builds now; what this builder wrote is dropped."""


def build_job(job_id: UUID, *, clock: Callable[[], datetime]) -> bool:
    """Build the archive if nobody does. Safe to call twice: only the holder of the lease works."""
    lease = lease_job(job_id, at=clock())
    if lease is None:
        return False
    job = ArchiveJob.objects.select_related("run").get(pk=lease.job.pk)
    try:
        with Pulse(lambda: renew_lease(lease, at=clock()), every=RENEW_SECONDS, lost=LeaseLost) as pulse:
            size_bytes = _publish(job, pulse)
        finish_job(job.pk, size_bytes=size_bytes, at=clock())
    except LeaseLost:
        log.warning("archive %s is built by somebody else now", job.pk)
    except StoreUnavailable:
        log.warning("archive %s waits for the object store", job.pk)
        postpone_job(lease, at=clock(), wait=STORE_PAUSE)
    except LyingChecksum as error:
        fail_lying_file(error.member.file_id, found_sha256=error.found, at=clock())
        fail_job(job.pk, reason=error.message, at=clock())
    except SourceChanged as error:
        fail_job(job.pk, reason=error.message, at=clock())
    except Exception as error:
        log.exception("archive %s: attempt %s broke", job.pk, lease.job.attempts)
        end_attempt(lease, reason=f"Building broke: {error}", at=clock())
    return True


def _publish(job: ArchiveJob, pulse: Pulse) -> int:
    store = object_store()
    done = store.head(job.storage_key)
    if done is not None:  # a builder published it and died before it could say so
        return done.size_bytes
    members = _members(job)
    try:
        return build_archive(job, job.run, members, store=store, progress=pulse).size_bytes
    except ObjectExists:
        winner = store.head(job.storage_key)
        if winner is None:
            raise LeaseLost from None
        return winner.size_bytes


def _members(job: ArchiveJob) -> list[Member]:
    members = list_members(job)
    if len(members) != len(job.file_ids):
        gone = sorted(set(job.file_ids) - {member.file_id for member in members})
        missing = Member(gone[0], f"file {gone[0]}", 0, "", None, None)
        raise SourceChanged(missing, "it was removed after the archive was asked for.")
    return members
