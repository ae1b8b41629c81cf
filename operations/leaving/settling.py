"""What an imported row has otherwise than the exported one: nobody signs in, no secret works, no work goes on."""

import hashlib
import secrets
from datetime import datetime
from typing import Any
from uuid import UUID

from files.choices import FileStatus
from files.object_keys import build_storage_key
from files.storage import object_store
from operations.leaving.rows import Row


def settle_row(name: str, row: Row, *, packed: set[int], at: datetime) -> Row:
    """The row as it is to be here; `packed` are the files whose bytes came along, `at` is when the import began."""
    if name == "people":
        return row | {"is_active": False}
    if name == "tokens":
        return row | {"revoked_at": row["revoked_at"] or at.isoformat()}
    if name == "watchers":
        return row | {"deleted_at": row["deleted_at"] or at.isoformat()}
    return _settle_file(row, packed=packed) if name == "files" else row


def _settle_file(row: Row, *, packed: set[int]) -> Row:
    """What was being read is read anew; what waits for its bytes, or came without them, is asked for anew.

    Purged files stay what they were: rows that say what their bytes had been.
    """
    settled = row | {"processing_since": None}
    if row["purged_at"]:
        return settled
    if row["uploaded_at"] and row["id"] in packed:
        is_busy = row["status"] == FileStatus.PROCESSING
        return settled | ({"status": FileStatus.UPLOADED.value} if is_busy else {})
    return settled | {"status": FileStatus.DETECTED.value, "uploaded_at": None, "storage_key": None}


def add_own_values(name: str, made: Any, *, export_id: UUID) -> None:
    """Columns that did not leave: passwords and digests that nobody knows, and where the bytes lie here."""
    if name == "people":
        made.set_unusable_password()
    elif name == "tokens":
        made.digest = hashlib.sha256(secrets.token_bytes(32)).hexdigest()
    elif name == "files" and made.uploaded_at:
        made.storage_bucket = object_store().bucket
        made.storage_key, made.key_nonce = key_of(made, export_id=export_id)


def key_of(file: Any, *, export_id: UUID) -> tuple[str, str]:
    """The same at each attempt, so that an import that goes on finds what it stored."""
    nonce = hashlib.sha256(f"{export_id}/{file.pk}".encode()).hexdigest()[:32]
    return build_storage_key(file, nonce), nonce
