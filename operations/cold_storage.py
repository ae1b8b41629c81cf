"""What `./ids manage doctor` says of the cold store: whether it answers, its room, and what waits to go or to come."""

import shutil
from collections.abc import Iterator
from datetime import datetime

from django.db import DatabaseError
from django.db.models import Count, Min

from files.cold.recalls import RECALLS
from files.models import File
from files.storage import cold_store
from files.storage.interface import ObjectStore
from files.storage.local import LocalStore
from operations.findings import Finding, build_unknown
from operations.upkeep import MIN_FREE_SHARE, format_age
from retention.candidates import filter_cooling
from retention.cooling import list_cooling_instruments, refuse_unmounted
from wire.clock import now
from wire.errors import ServiceError

SUBJECT = "cold store"
MAX_COUNTED = 10_000  # of an instrument's files that wait to move
RECALL_LATE_SECONDS = 24 * 3600
ABSENT_KEY = "doctor/absent"


def check_cold_store() -> Iterator[Finding]:
    cold = cold_store()
    try:
        if cold is None:
            yield from _tell_lost_store()
            return
        yield from _judge_store(cold)
        yield _count_waiting(at=now())
        yield _judge_recalls(at=now())
    except DatabaseError as error:
        yield build_unknown(SUBJECT, error)


def _tell_lost_store() -> Iterator[Finding]:
    """Nothing where there never was one."""
    if count := File.objects.cold().count():
        remedy = "set COLD_DIRECTORY or COLD_S3_BUCKET again: their bytes are out of reach"
        yield Finding(SUBJECT, f"none is configured, {count:,} files lie in one", remedy)
    elif list_cooling_instruments():
        yield Finding(SUBJECT, "none is configured, and instruments have a rule for it: nothing moves")


def _judge_store(cold: ObjectStore) -> Iterator[Finding]:
    try:
        refuse_unmounted(cold)
        cold.head(ABSENT_KEY)
    except ServiceError as problem:
        yield Finding(
            SUBJECT, f"out of reach ({problem.message})", "mount its disk, or let the service reach its bucket"
        )
        return
    if not isinstance(cold, LocalStore):
        yield Finding(SUBJECT, f"the bucket {cold.bucket} answers")
        return
    room = shutil.disk_usage(cold.layout.root)
    remedy = "make room: nothing moves to a full disk" if room.free / room.total < MIN_FREE_SHARE else ""
    yield Finding(SUBJECT, f"{room.free / room.total:.0%} free ({room.free / 2**30:.1f} GiB)", remedy)


def _count_waiting(*, at: datetime) -> Finding:
    """A file that waits is no fault: the mover has a minute every five."""
    waiting, is_more = 0, False
    for instrument in list_cooling_instruments():
        found = len(filter_cooling(instrument, at=at).values_list("pk")[: MAX_COUNTED + 1])
        is_more |= found > MAX_COUNTED
        waiting += min(found, MAX_COUNTED)
    return Finding(f"{SUBJECT}: to move", f"{waiting:,}{'+' * is_more} files")


def _judge_recalls(*, at: datetime) -> Finding:
    found = RECALLS.unfinished.aggregate(count=Count("pk"), since=Min("requested_at"))
    if not found["count"]:
        return Finding(f"{SUBJECT}: to bring back", "nobody waits")
    age = at - found["since"]
    remedy = "look into the builder's log" if age.total_seconds() > RECALL_LATE_SECONDS else ""
    return Finding(f"{SUBJECT}: to bring back", f"{found['count']:,} wait, the first for {format_age(age)}", remedy)
