"""How the reading of a file begins and ends: in one transaction each, and only while the lease is held."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from files.models import File, FileStatus
from files.signals import file_failed
from files.status import MOVED_COLUMNS, move_file
from processing import jobs
from processing.artefacts import Reader, is_spectrum, save_artefacts
from processing.jobs import Lease
from processing.models import JobState, ProcessingJob
from processing.output import Reading
from processing.run_facts import refresh_run
from runs.lifecycle import move_earlier


class LeaseLost(Exception):
    """Somebody else reads the file now, or it was asked for anew; what this attempt found is dropped."""


@transaction.atomic
def begin_file(lease: Lease, *, at: datetime) -> bool:
    """The file is being processed, by us. False: an external worker was faster, and the job has ended.

    Raises LeaseLost.
    """
    file, job = locked(lease)
    if file.status == FileStatus.PROCESSING and job.claimed_at is None:
        jobs.end_job(lease, state=JobState.NOT_READ, at=at)
        return False
    move_file(file, to=FileStatus.PROCESSING, at=at)
    file.save(update_fields=MOVED_COLUMNS)
    job.claimed_at = job.claimed_at or at
    job.save(update_fields=["claimed_at"])
    return True


@transaction.atomic
def complete_file(
    lease: Lease, reading: Reading, *, rows: Sequence[File], reader: Reader, sha256: str, at: datetime
) -> None:
    """Keep everything that was found: on the file, as artefacts, and on the run. Raises LeaseLost."""
    file, job = locked(lease)
    if file.status != FileStatus.PROCESSING:  # an external worker has ended it
        jobs.end_job(lease, state=JobState.NOT_READ, at=at)
        return
    file.extracted = extracted(file, reading)
    file.sha256 = file.sha256 or sha256
    move_file(file, to=FileStatus.COMPLETED, at=at)
    file.save(update_fields=[*MOVED_COLUMNS, "extracted", "sha256"])
    save_artefacts(file, rows)
    before = job.run_facts
    known = {"run_facts": dict(reading.run), "processor": reader.name, "processor_version": reader.version}
    jobs.end_job(lease, state=JobState.COMPLETED, at=at, **known)
    refresh_run(file.run, before=before, after=reading.run)
    move_earlier(file.run, acquired_at=reading.acquired_at)


@transaction.atomic
def fail_file(lease: Lease, *, reason: str, detail: str, at: datetime) -> None:
    """The file cannot be read, and why. What an earlier reading found of the same bytes stays."""
    try:
        file, _ = locked(lease)
    except LeaseLost:
        return
    if file.status != FileStatus.PROCESSING:
        move_file(file, to=FileStatus.PROCESSING, at=at)
    move_file(file, to=FileStatus.FAILED, at=at)
    file.error_message = reason
    file.save(update_fields=MOVED_COLUMNS)
    jobs.end_job(lease, state=JobState.FAILED, at=at, detail=detail)
    file.refresh_from_db()
    file_failed.send(sender=File, file=file, at=at)


@transaction.atomic
def leave_file(lease: Lease, *, at: datetime) -> None:
    """Nobody reads it: it stays as it was before, uploaded, which is no error."""
    try:
        file, job = locked(lease)
    except LeaseLost:
        return
    if file.status == FileStatus.PROCESSING and job.claimed_at is not None:
        back = {"status": FileStatus.UPLOADED, "processing_since": None, "error_message": None}
        File.objects.filter(pk=file.pk).update(**back)
    jobs.end_job(lease, state=JobState.NOT_READ, at=at)


def locked(lease: Lease) -> tuple[File, ProcessingJob]:
    """The file with its run, and the job, in the order in which everybody locks them. Raises LeaseLost."""
    rows = File.objects.select_related("run").filter(pk=lease.job.pk)
    seen = rows.select_for_update(of=("run",), no_key=True).get()
    file = File.objects.select_for_update(no_key=True).get(pk=seen.pk)
    file.run = seen.run
    job = jobs.leased(lease).select_for_update().first()
    if job is None:
        raise LeaseLost
    return file, job


def extracted(file: File, reading: Reading) -> dict[str, Any]:
    """All that is said of the file: its part of the run's facts, its own, and what a person should know."""
    found = {**reading.run, **reading.file}
    if reading.warnings:
        found["warnings"] = list(reading.warnings)
    if is_spectrum(file, reading.artefacts):
        found["kind"] = "curve"
    return found
