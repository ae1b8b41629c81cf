"""From a leased job to its end: choose the reader, fetch the file, let a child read it, keep what it found."""

import hashlib
import logging
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from files.checksum_mismatch import fail_mismatched_file
from files.choices import StorageClass
from files.models import File
from files.storage import object_store
from files.storage.interface import MIB, ObjectMissing, StoreUnavailable
from jobs.lease_renewer import LeaseRenewer, renewer_of
from jobs.leases import Lease, LeaseLost, end_attempt, lease_job, postpone_job
from jobs.origins import working_for
from processing import failures, outcomes
from processing.artefacts import ProcessorVersion, store_artefacts
from processing.confined.reading import read_file, scratch_folder
from processing.dataset_making.made import build_datasets, describe_datasets
from processing.failures import NotRecognised, ReaderDelayed, ReaderLost, ReadingFailed, describe_unknown_file
from processing.folders import (
    describe_member,
    find_folder_led_by,
    find_folder_of,
    note_members,
    wake_leader,
)
from processing.jobs import READINGS, end_reading
from processing.models import JobState, ProcessingJob
from processing.readings import HEAD_BYTES, InstrumentType
from processing.registry import choose_type, get_registry
from processing.shares import lease_next_reading, wake_for_freed_share
from processing.thumbnails import draw_after_reading

log = logging.getLogger(__name__)
Clock = Callable[[], datetime]
COLD = "It is kept in cold storage, and not read: bring it back and have it read again."
STORE_RETRY_DELAY = READINGS.lease  # as long as after a reading that fell silent


class Sha256Mismatch(Exception):
    """The bytes have another SHA-256 than their sender said."""


def process_file(file_id: int, *, clock: Clock) -> bool:
    """Read a file if it waits for that. Safe to call twice: only the holder of the lease works."""
    return _process(lease_job(READINGS, file_id, at=clock()), clock=clock)


def process_next(*, clock: Clock) -> bool:
    """Read the file whose turn it is; False where none waits whose instrument has not its share already."""
    has_read = _process(lease_next_reading(at=clock()), clock=clock)
    if has_read:
        wake_for_freed_share(at=clock())
    return has_read


def _process(lease: Lease[ProcessingJob] | None, *, clock: Clock) -> bool:
    if lease is None:
        return False
    with working_for(lease.job, "reading", file_id=lease.job.pk):
        _process_leased(lease, clock=clock)
    return True


def _process_leased(lease: Lease[ProcessingJob], *, clock: Clock) -> None:
    file_id = lease.job.pk
    file = File.objects.select_related("run__instrument").get(pk=file_id)
    try:
        if lease.is_exhausted:
            raise ReadingFailed(str(ReaderLost()), detail=lease.job.detail)
        with renewer_of(lease, clock=clock) as renewer:
            run_attempt(file, lease, renewer, clock=clock)
    except LeaseLost:
        log.warning("file %s is read by somebody else now, or again", file_id)
    except StoreUnavailable:
        log.warning("file %s waits for the object store", file_id)
        postpone_job(lease, at=clock(), wait=STORE_RETRY_DELAY)
    except Sha256Mismatch as error:
        end_reading(lease, state=JobState.FAILED, at=clock())
        fail_mismatched_file(file_id, found_sha256=str(error), at=clock())
    except NotRecognised as error:
        outcomes.release_unread_file(lease, reason=error.sentence, at=clock())
    except ReaderLost as error:
        log.warning("file %s: attempt %s was lost: %s", file_id, lease.attempt, error.detail)
        end_attempt(lease, reason=error.detail, at=clock())
    except ReaderDelayed as error:
        if lease.attempt < READINGS.max_attempts:
            log.warning("file %s: attempt %s took too long: %s", file_id, lease.attempt, error.sentence)
            end_attempt(lease, reason=error.detail, at=clock())
        else:
            outcomes.fail_file(lease, reason=error.sentence, detail=error.detail, at=clock())
    except ReadingFailed as error:
        log.info("file %s cannot be read: %s %s", file_id, error.sentence, error.detail)
        outcomes.fail_file(lease, reason=error.sentence, detail=error.detail, at=clock())
    except Exception as error:
        log.exception("file %s: attempt %s broke", file_id, lease.attempt)
        end_attempt(lease, reason=f"{type(error).__name__}: {error}", at=clock())


def run_attempt(file: File, lease: Lease[ProcessingJob], renewer: LeaseRenewer, *, clock: Clock) -> None:
    """One attempt, to its good end. Everything else is raised."""
    if file.purged_at is not None:
        raise NotRecognised(f"Its bytes were purged by the rule {file.purged_by_rule}.")
    if file.storage_class == StorageClass.COLD:
        raise NotRecognised(COLD)
    part_of = find_folder_of(file)
    if part_of is not None:
        wake_leader(part_of, arrived=file, at=clock())
        raise NotRecognised(describe_member(part_of))
    head = read_stored_head(file)
    kind = choose_type(filename=file.filename, head=head, instrument_type=file.run.instrument.instrument_type)
    if kind is None:
        raise NotRecognised(describe_unknown_file(file.filename, head))
    folder = find_folder_led_by(file, kind.folder)
    if folder is not None and lease.job.claimed_at is None and (missing := folder.describe_missing()):
        raise NotRecognised(missing)
    if not outcomes.begin_file(lease, at=clock()):
        return
    members = folder.list_members() if folder else []
    if any(member.storage_class == StorageClass.COLD for _, member in members):
        raise NotRecognised(COLD)
    check_room(check_size(file, kind, members=members))
    with scratch_folder() as home:
        sha256 = fetch_file(file, home / "input" / file.filename, progress=renewer)
        for place, member in members:
            fetch_member(member, home / "input" / place, progress=renewer)
        reading = read_file(
            home, filename=file.filename, kind=kind, time_zone=file.run.instrument.time_zone, progress=renewer
        )
        reader = ProcessorVersion(kind.name, get_registry().versions.get(kind.name, ""))
        made = build_datasets(file, reading.datasets, folder=home, kind=kind, progress=renewer)
        artefacts = [*reading.artefacts, *(one.artefact for one in made)]
        rows = store_artefacts(file, artefacts, reader=reader, at=clock(), progress=renewer)
    if folder is not None:
        reading = replace(reading, warnings=[*folder.describe_left_out(), *reading.warnings])
    datasets = describe_datasets(made, rows, reader=reader)
    outcomes.complete_file(lease, reading, rows=rows, datasets=datasets, reader=reader, sha256=sha256, at=clock())
    if folder is not None:
        note_members(folder, [member for _, member in members])
    draw_after_reading(file.run)


def read_stored_head(file: File) -> bytes:
    """The first bytes; none where they are gone, which check_size says better."""
    try:
        with object_store().open_range(file.storage_key or "") as source:
            return source.read(HEAD_BYTES)
    except ObjectMissing:
        return b""


def check_size(file: File, kind: InstrumentType, *, members: Sequence[tuple[str, File]] = ()) -> int:
    """The bytes of the object, which are those confirmed, with what is read together with it: no more than are read."""
    stored = object_store().head(file.storage_key or "")
    if stored is None:
        raise ReadingFailed("The stored bytes of this file are gone.")
    if stored.size_bytes != file.size_bytes:
        raise ReadingFailed(
            f"The store has {stored.size_bytes:,} bytes of this file; its record says {file.size_bytes:,}."
        )
    together = stored.size_bytes + sum(member.size_bytes or 0 for _, member in members)
    if together > kind.most_bytes(file.filename):
        excuse = failures.describe_size_limit(kind, file.filename, together)
        raise NotRecognised(f"It is kept, and not read: {excuse}")
    return together


def check_room(size: int) -> None:
    """A copy, and what its reader may write beside it, fit onto the disk; else the file stays as it was."""
    needed, free = 2 * size, shutil.disk_usage(tempfile.gettempdir()).free
    if needed > free:
        room = f"{needed / MIB:,.0f} MiB are needed for its copy, {free / MIB:,.0f} MiB are free"
        raise NotRecognised(f"It is kept, and not read: {room}. Have it read again once there is room.")


def fetch_member(file: File, to: Path, *, progress: Callable[[], None]) -> None:
    """A copy of a file that lies in the folder of the one that is read. One that is not stored is left out."""
    if file.uploaded_at is None or file.purged_at is not None:
        return
    to.parent.mkdir(parents=True, exist_ok=True)
    fetch_file(file, to, progress=progress)


def fetch_file(file: File, to: Path, *, progress: Callable[[], None]) -> str:
    """A private copy, and the SHA-256 of it. Raises LyingChecksum."""
    digest = hashlib.sha256()
    with object_store().open_range(file.storage_key or "") as source, to.open("wb") as copy:
        while chunk := source.read(MIB):
            digest.update(chunk)
            copy.write(chunk)
            progress()
    found = digest.hexdigest()
    if file.sha256 not in (None, found):
        raise Sha256Mismatch(found)
    return found
