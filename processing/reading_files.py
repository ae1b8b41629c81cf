"""From a leased job to its end: choose the reader, fetch the file, let a child read it, keep what it found."""

import hashlib
import logging
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from files.lies import fail_lying_file
from files.models import File
from files.storage import object_store
from files.storage.port import MIB, ObjectMissing, StoreUnavailable
from processing import endings, failures, jobs
from processing.artefacts import Reader, store_artefacts
from processing.failures import NotRecognised, ReaderLost, ReadingFailed
from processing.isolation import read_file, scratch_folder
from processing.jobs import MAX_ATTEMPTS, Lease
from processing.models import JobState
from processing.readings import HEAD_BYTES, InstrumentType
from processing.registry import choose_type, registry
from wire.pulse import Pulse

log = logging.getLogger(__name__)
Clock = Callable[[], datetime]
STORE_PAUSE = jobs.LEASE  # as long as after a reading that fell silent
RENEW_SECONDS = jobs.LEASE.total_seconds() / 6


class LyingChecksum(Exception):
    """The bytes have another SHA-256 than their sender said."""


def process_file(file_id: int, *, clock: Clock) -> bool:
    """Read a file if it waits for that. Safe to call twice: only the holder of the lease works."""
    lease = jobs.lease_job(file_id, at=clock())
    if lease is None:
        return False
    file = File.objects.select_related("run__instrument").get(pk=file_id)
    try:
        if lease.job.attempts > MAX_ATTEMPTS:
            raise ReadingFailed(str(ReaderLost()), detail=lease.job.detail)
        with Pulse(lambda: jobs.renew_lease(lease, at=clock()), every=RENEW_SECONDS, lost=endings.LeaseLost) as pulse:
            attempt(file, lease, pulse, clock=clock)
    except endings.LeaseLost:
        log.warning("file %s is read by somebody else now, or again", file_id)
    except StoreUnavailable:
        log.warning("file %s waits for the object store", file_id)
        jobs.postpone_job(lease, at=clock(), wait=STORE_PAUSE)
    except LyingChecksum as error:
        jobs.end_job(lease, state=JobState.FAILED, at=clock())
        fail_lying_file(file_id, found_sha256=str(error), at=clock())
    except NotRecognised:
        endings.leave_file(lease, at=clock())
    except ReaderLost as error:
        log.warning("file %s: attempt %s was lost: %s", file_id, lease.job.attempts, error.detail)
        jobs.end_attempt(lease, at=clock(), detail=error.detail)
    except ReadingFailed as error:
        log.info("file %s cannot be read: %s %s", file_id, error.sentence, error.detail)
        endings.fail_file(lease, reason=error.sentence, detail=error.detail, at=clock())
    except Exception as error:
        log.exception("file %s: attempt %s broke", file_id, lease.job.attempts)
        jobs.end_attempt(lease, at=clock(), detail=f"{type(error).__name__}: {error}")
    return True


def attempt(file: File, lease: Lease, pulse: Pulse, *, clock: Clock) -> None:
    """One attempt, to its good end. Everything else is raised."""
    kind = kind_of(file)
    if kind is None:
        raise NotRecognised("No reader knows this file.")
    if not endings.begin_file(lease, at=clock()):
        return
    check_size(file, kind)
    with scratch_folder() as home:
        sha256 = fetch(file, home / "input" / file.filename, progress=pulse)
        reading = read_file(
            home, filename=file.filename, kind=kind, time_zone=file.run.instrument.time_zone, progress=pulse
        )
        reader = Reader(kind.name, registry().versions.get(kind.name, ""))
        rows = store_artefacts(file, reading.artefacts, reader=reader, at=clock(), progress=pulse)
    endings.complete_file(lease, reading, rows=rows, reader=reader, sha256=sha256, at=clock())


def kind_of(file: File) -> InstrumentType | None:
    """Which type reads the file: by its first bytes, its name and its instrument."""
    try:
        with object_store().open_range(file.storage_key or "") as source:
            head = source.read(HEAD_BYTES)
    except ObjectMissing:
        head = b""  # which check_size says better
    return choose_type(filename=file.filename, head=head, instrument_type=file.run.instrument.instrument_type)


def check_size(file: File, kind: InstrumentType) -> None:
    """The object is what was confirmed, and not more than this type reads."""
    stored = object_store().head(file.storage_key or "")
    if stored is None:
        raise ReadingFailed("The stored bytes of this file are gone.")
    if stored.size_bytes != file.size_bytes:
        raise ReadingFailed(
            f"The store has {stored.size_bytes:,} bytes of this file; its record says {file.size_bytes:,}."
        )
    if stored.size_bytes > kind.limits.input_bytes:
        raise ReadingFailed(failures.too_large(kind, stored.size_bytes))


def fetch(file: File, to: Path, *, progress: Callable[[], None]) -> str:
    """A private copy, and the SHA-256 of it. Raises LyingChecksum."""
    digest = hashlib.sha256()
    with object_store().open_range(file.storage_key or "") as source, to.open("wb") as copy:
        while chunk := source.read(MIB):
            digest.update(chunk)
            copy.write(chunk)
            progress()
    found = digest.hexdigest()
    if file.sha256 not in (None, found):
        raise LyingChecksum(found)
    return found
