"""Running one archive job from lease to end."""

import logging
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from archives.builder import build_archive
from archives.jobs import BUILDS, CRATE_BUILDS, fail_exhausted, fail_job, finish_job
from archives.members import FilesAreCold, Member, list_members, refuse_cold_members
from archives.models import ArchiveJob
from archives.zip_entries import MemberChecksumMismatch, SourceChanged
from files.checksum_mismatch import fail_mismatched_file
from files.storage import object_store
from files.storage.interface import ObjectExists, StoreUnavailable
from jobs.lease_renewer import LeaseRenewer, renewer_of
from jobs.leases import Lease, LeaseLost, end_attempt, lease_job, lease_next_job, postpone_job

log = logging.getLogger(__name__)
STORE_PAUSE = BUILDS.lease  # as long as after a build that fell silent


def build_job(job_id: UUID, *, clock: Callable[[], datetime]) -> bool:
    """Build the archive if nobody does. Safe to call twice: only the holder of the lease works."""
    return _build(lease_job(BUILDS, job_id, at=clock()), clock=clock)


def build_next(*, clock: Callable[[], datetime]) -> bool:
    """Build the archive that has waited longest; False where none waits."""
    return _build(lease_next_job(BUILDS, at=clock()), clock=clock)


def build_next_crate(*, clock: Callable[[], datetime]) -> bool:
    """The same, of RO-Crates only."""
    return _build(lease_next_job(CRATE_BUILDS, at=clock()), clock=clock)


def _build(lease: Lease[ArchiveJob] | None, *, clock: Callable[[], datetime]) -> bool:
    if lease is None or fail_exhausted(lease, at=clock()):
        return False
    job = ArchiveJob.objects.select_related("run").get(pk=lease.job.pk)
    try:
        with renewer_of(lease, clock=clock) as renewer:
            size_bytes = _publish(job, renewer)
        finish_job(job.pk, size_bytes=size_bytes, at=clock())
    except LeaseLost:
        log.warning("archive %s is built by somebody else now", job.pk)
    except StoreUnavailable:
        log.warning("archive %s waits for the object store", job.pk)
        postpone_job(lease, at=clock(), wait=STORE_PAUSE)
    except MemberChecksumMismatch as error:
        fail_mismatched_file(error.member.file_id, found_sha256=error.found, at=clock())
        fail_job(job.pk, reason=error.message, at=clock())
    except SourceChanged as error:
        fail_job(job.pk, reason=error.message, at=clock())
    except Exception as error:
        log.exception("archive %s: attempt %s broke", job.pk, lease.attempt)
        end_attempt(lease, reason=f"Building broke: {error}"[:500], at=clock())
    return True


def _publish(job: ArchiveJob, renewer: LeaseRenewer) -> int:
    store = object_store()
    done = store.head(job.storage_key)
    if done is not None:  # a builder published it and died before it could say so
        return done.size_bytes
    members = _members(job)
    try:
        return build_archive(job, job.run, members, store=store, progress=renewer).size_bytes
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
    try:
        refuse_cold_members(job.file_ids)
    except FilesAreCold as cold:
        raise SourceChanged(members[0], f"it became cold after the archive was asked for. {cold.message}") from None
    return members
