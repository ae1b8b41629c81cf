"""How the reading of a file begins and ends: in one transaction each, and only while the lease is held."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from datasets.writing import NewDataset, save_datasets
from files.choices import FileStatus
from files.models import File
from files.signals import file_completed, file_failed
from files.status import TRANSITION_COLUMNS, transition_file
from jobs.leases import Lease, LeaseLost, hold_lease
from processing.artefacts import ProcessorVersion, is_spectrum, save_artefacts
from processing.confined.output import Reading
from processing.jobs import end_reading
from processing.models import JobState, ProcessingJob
from processing.run_facts import refresh_run_facts
from runs.lifecycle import move_acquired_at_earlier


@transaction.atomic
def begin_file(lease: Lease[ProcessingJob], *, at: datetime) -> bool:
    """The file is being processed, by us. False: an external worker was faster, and the job has ended.

    Raises LeaseLost.
    """
    file, job = lock_file_and_job(lease)
    if file.status == FileStatus.PROCESSING and job.claimed_at is None:
        end_reading(lease, state=JobState.NOT_READ, at=at)
        return False
    transition_file(file, to=FileStatus.PROCESSING, at=at)
    file.save(update_fields=TRANSITION_COLUMNS)
    job.claimed_at = job.claimed_at or at
    job.save(update_fields=["claimed_at"])
    return True


@transaction.atomic
def complete_file(
    lease: Lease[ProcessingJob],
    reading: Reading,
    *,
    rows: Sequence[File],
    datasets: Sequence[NewDataset],
    reader: ProcessorVersion,
    sha256: str,
    at: datetime,
) -> None:
    """Keep everything that was found: on the file, as artefacts, and on the run. Raises LeaseLost."""
    file, job = lock_file_and_job(lease)
    if file.status != FileStatus.PROCESSING:  # an external worker has ended it
        end_reading(lease, state=JobState.NOT_READ, at=at)
        return
    file.extracted = build_extracted(file, reading)
    file.sha256 = file.sha256 or sha256
    transition_file(file, to=FileStatus.COMPLETED, at=at)
    file.save(update_fields=[*TRANSITION_COLUMNS, "extracted", "sha256"])
    save_artefacts(file, rows)
    save_datasets(file, datasets, at=at)
    before = job.run_facts
    known = {"run_facts": dict(reading.run), "processor": reader.name, "processor_version": reader.version}
    end_reading(lease, state=JobState.COMPLETED, at=at, **known)
    refresh_run_facts(file.run, before=before, after=reading.run)
    move_acquired_at_earlier(file.run, acquired_at=reading.acquired_at)
    file_completed.send(sender=File, file=file, at=at)


@transaction.atomic
def fail_file(lease: Lease[ProcessingJob], *, reason: str, detail: str, at: datetime) -> None:
    """The file cannot be read, and why. What an earlier reading found of the same bytes stays."""
    try:
        file, _ = lock_file_and_job(lease)
    except LeaseLost:
        return
    if file.status != FileStatus.PROCESSING:
        transition_file(file, to=FileStatus.PROCESSING, at=at)
    transition_file(file, to=FileStatus.FAILED, at=at)
    file.error_message = reason
    file.save(update_fields=TRANSITION_COLUMNS)
    end_reading(lease, state=JobState.FAILED, at=at, detail=detail)
    file.refresh_from_db()
    file_failed.send(sender=File, file=file, at=at)


@transaction.atomic
def release_unread_file(lease: Lease[ProcessingJob], *, reason: str, at: datetime) -> None:
    """Nobody reads it: it stays as it was before, uploaded, which is no error; its warnings say why."""
    try:
        file, job = lock_file_and_job(lease)
    except LeaseLost:
        return
    if file.status == FileStatus.PROCESSING and job.claimed_at is not None:
        back = {"status": FileStatus.UPLOADED, "processing_since": None, "error_message": None}
        File.objects.filter(pk=file.pk).update(**back)
    if file.status != FileStatus.COMPLETED:
        File.objects.filter(pk=file.pk).update(extracted={**file.extracted, "warnings": [reason]})
    end_reading(lease, state=JobState.NOT_READ, at=at)


def lock_file_and_job(lease: Lease[ProcessingJob]) -> tuple[File, ProcessingJob]:
    """The file with its run, and the job, in the order in which everybody locks them. Raises LeaseLost."""
    rows = File.objects.select_related("run").filter(pk=lease.job.pk)
    seen = rows.select_for_update(of=("run",), no_key=True).get()
    file = File.objects.select_for_update(no_key=True).get(pk=seen.pk)
    file.run = seen.run
    return file, hold_lease(lease)


def build_extracted(file: File, reading: Reading) -> dict[str, Any]:
    """All that is said of the file: its part of the run's facts, its own, and what a person should know."""
    found = {**reading.run, **reading.file}
    if reading.warnings:
        found["warnings"] = list(reading.warnings)
    if is_spectrum(file, reading.artefacts):
        found["kind"] = "curve"
    return found
