"""Many files of one run at once: what is plain goes through the database together, in a statement or two.

Whatever is not plain, and all of them where one is in the way of the others, is left to the way of a single file. So
each is answered as it would have been alone, and one that is refused refuses no other.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, transaction

from accounts.callers import Caller
from files.choices import FileStatus
from files.models import File
from files.records import NewFile, with_slim_run
from files.status import TRANSITIONS
from files.storage import object_store
from files.storage.interface import StoredObject, StoreUnavailable
from files.uploads.confirmation import accept_uploads, confirm_upload
from files.uploads.multipart import choose_part_size, refuse_unsuitable_bytes
from files.uploads.requests import UploadTicket, open_ticket, request_upload_url
from files.uploads.reservation import ReservedKey, create_files_with_keys, reserve_first_keys
from runs.lifecycle import lock_active_run
from runs.models import Run
from wire.errors import ServiceError

Path = tuple[str, str]  # category and place within the run


@dataclass(frozen=True)
class UploadOrder:
    """What request_upload_url is told of one file."""

    new: NewFile
    part_size: int | None = None
    new_version: bool = False

    @property
    def path(self) -> Path:
        return str(self.new.category), self.new.relative_path

    @property
    def is_plain(self) -> bool:
        size_bytes = self.new.size_bytes or 0
        return not self.new_version and choose_part_size(size_bytes, asked=self.part_size) is None


class OrdersTogether:
    """The uploads that one request asks for."""

    def __init__(
        self, orders: Iterable[UploadOrder | Exception], *, instrument: str, run_id: str, by: Caller, at: datetime
    ) -> None:
        self._instrument, self._run_id, self._by, self._at = instrument, run_id, by, at
        self._reserved: dict[Path, ReservedKey] = {}
        plain = [order for order in orders if isinstance(order, UploadOrder) and order.is_plain]
        with suppress(ServiceError, DatabaseError):  # each then hears for itself what is wrong
            self._reserved = self._reserve(plain)

    def open_ticket(self, order: UploadOrder) -> UploadTicket:
        """As request_upload_url. A path that is asked for again finds what was there the first time."""
        reserved = self._reserved.pop(order.path, None) if order.is_plain else None
        if reserved is not None:
            return open_ticket(reserved, order.new, part_size=None, by=self._by, at=self._at)
        return request_alone(order, instrument=self._instrument, run_id=self._run_id, by=self._by, at=self._at)

    @transaction.atomic
    def _reserve(self, orders: Sequence[UploadOrder]) -> dict[Path, ReservedKey]:
        """Keys for the first orders of paths that are new, or known and without a key."""
        bucket = object_store().bucket
        wanted: dict[Path, NewFile] = {}
        for order in orders:
            refuse_unsuitable_bytes(order.new, part_size=None)
            wanted.setdefault(order.path, order.new)
        run = lock_active_run(instrument=self._instrument, run_id=self._run_id, by=self._by)
        known = _find_known(run, wanted)
        unknown = [new for path, new in wanted.items() if path not in known]
        keyless = [(file, wanted[path]) for path, file in known.items() if _awaits_key(file)]
        made = create_files_with_keys(run, unknown, bucket=bucket, at=self._at) if unknown else []
        if keyless:
            reserve_first_keys(run, keyless, bucket=bucket, at=self._at)
        files = [*made, *(file for file, _ in keyless)]
        return {(str(file.category), file.relative_path): ReservedKey(file, is_new_key=True) for file in files}


def request_alone(order: UploadOrder, *, instrument: str, run_id: str, by: Caller, at: datetime) -> UploadTicket:
    """The way of a single file."""
    return request_upload_url(
        instrument=instrument,
        run_id=run_id,
        new=order.new,
        part_size=order.part_size,
        new_version=order.new_version,
        by=by,
        at=at,
    )


def confirm_together(file_ids: Sequence[int], *, run: Run, by: Caller, at: datetime) -> dict[int, File]:
    """Those of these files of the run, by id, that the store has and that are marked as uploaded now."""
    with suppress(ServiceError, DatabaseError):
        return _accept(run, _ask_store(run, file_ids), by=by, at=at)
    return {}


def _find_known(run: Run, wanted: Iterable[Path]) -> dict[Path, File]:
    found = File.objects.filter(run=run, relative_path__in=[path for _, path in wanted])
    return {(str(file.category), file.relative_path): file for file in found}


def _awaits_key(file: File) -> bool:
    return file.deleted_at is None and file.uploaded_at is None and file.storage_key is None


def _ask_store(run: Run, file_ids: Sequence[int]) -> dict[int, StoredObject]:
    """What the store has of the files that wait for their bytes in one piece."""
    stored = {}
    for file in File.objects.active().filter(run=run, pk__in=set(file_ids)):
        if _awaits_bytes(file):
            try:
                stored[file.pk] = confirm_upload(file)
            except StoreUnavailable:
                break
            except ServiceError:
                continue
    return stored


@transaction.atomic
def _accept(run: Run, stored: dict[int, StoredObject], *, by: Caller, at: datetime) -> dict[int, File]:
    """Locked as single files are, the run first; whatever changed since the store was asked is left alone."""
    if not stored:
        return {}
    lock_active_run(instrument=run.instrument_id, run_id=run.run_id, by=by)
    rows = with_slim_run(File.objects.active().filter(run=run, pk__in=stored)).order_by("pk")
    locked = rows.select_for_update(of=("self",), no_key=True)
    files = {file.pk: file for file in locked if _awaits_bytes(file) and file.storage_key == stored[file.pk].key}
    if files:
        accept_uploads([(file, stored[key]) for key, file in files.items()], by=by, at=at)
    return files


def _awaits_bytes(file: File) -> bool:
    is_one_piece = file.storage_key is not None and file.multipart_upload_id is None
    return file.uploaded_at is None and is_one_piece and FileStatus.UPLOADED in TRANSITIONS[file.status]
