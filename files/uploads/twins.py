"""Files whose bytes the store has already, in another run: nothing is sent (`DEDUPLICATE`).

Told only to whoever may read the other file and knows both checksums of its bytes: a hash alone, which people pass on,
shall not tell what others have. For everybody else the answer is that of bytes that nobody has.
"""

from dataclasses import replace
from datetime import datetime

from django.conf import settings
from django.db import transaction

from accounts.callers import Caller
from accounts.scopes import Scope
from files.models import File
from files.records import NewFile, lock_active_file
from files.shared.objects import SoughtBytes, find_in_store, lock_sharable, name_shared_object
from files.uploads.confirmation import accept_upload
from files.uploads.declaration import UPLOAD_COLUMNS, UploadDeclaration


def adopt_twin(file: File, new: NewFile, *, by: Caller, at: datetime) -> File:
    """The file as it is now: uploaded, where it may share the object of another one; else as it was."""
    if not settings.DEDUPLICATE or new.sha256 is None or new.crc32 is None or not by.holds(Scope.FILES_READ):
        return file
    sought = SoughtBytes(new.sha256, new.size_bytes or 0, by.instrument_ids, crc32=new.crc32)
    shared = sought.find()
    stored = find_in_store(shared) if shared is not None else None
    if shared is None or stored is None:
        return file
    with transaction.atomic():
        current = lock_active_file(file.pk, by=by)
        if current.uploaded_at is not None:
            return current
        lock_sharable([shared.storage_key])
        is_as_announced = UploadDeclaration(new.size_bytes or 0, new.sha256, new.crc32).agrees_with(current)
        if not is_as_announced or current.storage_key != file.storage_key or sought.find() != shared:
            return file
        name_shared_object(current, shared)
        current.multipart_upload_id = current.part_size = None
        current.save(update_fields=UPLOAD_COLUMNS)
        current.upload_parts.all().delete()
        accept_upload(current, replace(stored, crc32=new.crc32), by=by, at=at)
    return current
