"""Fair shares of the readers at work: files of one instrument that each take all their time leave room for others."""

from dataclasses import replace
from datetime import datetime

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count
from kombu.exceptions import OperationalError

from jobs.leases import JobQueue, Lease, due_jobs, lease_next_job
from jobs.task_queue import enqueue, queue_length
from processing.jobs import READINGS
from processing.models import JobState, ProcessingJob

SHARE_LOCK = 0x1D5_54A2  # advisory lock: who counts what is read leases before the next one counts


@transaction.atomic
def lease_next_reading(*, at: datetime) -> Lease[ProcessingJob] | None:
    """Take the right to read the file whose turn it is, of instruments that do not have their share already."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [SHARE_LOCK])
    lease = lease_next_job(leave_out_full_shares(at=at), at=at)
    return replace(lease, queue=READINGS) if lease else None


def leave_out_full_shares(*, at: datetime) -> JobQueue[ProcessingJob]:
    """The readings of all instruments of which fewer than READINGS_PER_INSTRUMENT files are being read."""
    if not settings.READINGS_PER_INSTRUMENT:
        return READINGS
    being_read = ProcessingJob.objects.filter(state=JobState.RUNNING, lease_until__gt=at).values("instrument")
    full = being_read.annotate(files=Count("pk")).filter(files__gte=settings.READINGS_PER_INSTRUMENT)
    waiting = READINGS.unfinished.exclude(instrument__in=list(full.values_list("instrument", flat=True)))
    return replace(READINGS, unfinished=waiting)


def wake_for_freed_share(*, at: datetime) -> None:
    """After a reading: tasks of files whose instrument had its share found nothing to do, and are gone."""
    try:
        is_unseen = due_jobs(leave_out_full_shares(at=at), at=at).exists() and not queue_length(READINGS.task)
    except OperationalError:  # the broker is away; the sweep will make up for it
        return
    if is_unseen:
        enqueue(READINGS.task)
