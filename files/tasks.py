"""What the files app does without being asked. Every task may run twice."""

import logging
from contextlib import suppress

from celery import shared_task
from django.conf import settings

from files.cold.bringing_back import bring_back_next
from files.cold.recalls import RECALLS
from files.intake.quotas import delete_old_intakes
from files.integrity.scrub import scrub_due_files
from files.models import File
from files.pictures.unsent import remove_unsent_pictures
from files.removing.lock import RemovalOnHold
from files.storage.orphans import sweep_orphans
from files.stored.sizes import correct_ranges, list_ranges
from files.uploads.read_back import delete_old_read_backs, read_back_next
from files.uploads.verification import SHARINGS, share_next
from jobs.leases import due_jobs
from jobs.quiet_scheduler import only_where
from jobs.sweeps import enqueue_abandoned_jobs
from wire.clock import now

log = logging.getLogger(__name__)
COUNT_SECONDS = 60.0


@shared_task(name="files.sweep")
def remove_unused() -> None:
    """Remove objects that no row names, uploads and pictures that were given up, and what was counted for quotas."""
    with suppress(RemovalOnHold):  # the next sweep finds them
        remove_unsent_pictures(at=now())
    sweep_orphans(at=now())
    delete_old_intakes(at=now())
    delete_old_read_backs(at=now())
    if settings.DEDUPLICATE:
        enqueue_abandoned_jobs(SHARINGS, at=now())


@shared_task(name="files.count_stored")
def count_stored() -> None:
    """Count what is stored again, as many ranges of files as fit a minute; the next time goes on with the others."""
    for drift in correct_ranges(list_ranges(), at=now(), seconds=COUNT_SECONDS):
        log.warning("what is stored was counted otherwise than it was kept: %s", drift)


@shared_task(name="files.read_back")
def read_back() -> None:
    """Compare the large object that has waited longest with its checksum."""
    read_back_next(clock=now)


@shared_task(name="files.bring_back")
@only_where(lambda at: due_jobs(RECALLS, at=at).exists())
def bring_back() -> None:
    """Bring cold files back for a minute, for who has waited longest; it rings for itself where more is to do."""
    bring_back_next(clock=now)


@shared_task(name="files.share_object")
def share_object() -> None:
    """Read the uploaded object that has waited longest, so that files of the same bytes share it."""
    share_next(clock=now)


@shared_task(name="files.scrub")
@only_where(lambda at: File.objects.exists())
def scrub() -> None:
    """Read stored bytes whose turn it is again, for most of a minute; the next time goes on with the others."""
    scrub_due_files(clock=now)
