"""The bytes that a file is waiting for, and the key that means them and nothing else."""

from dataclasses import dataclass

from django.conf import settings

from files.models import File
from files.object_keys import build_storage_key, new_key_nonce
from files.shared.keys import build_shared_key

UPLOAD_COLUMNS = (
    "size_bytes",
    "sha256",
    "crc32",
    "storage_bucket",
    "storage_key",
    "key_nonce",
    "multipart_upload_id",
    "part_size",
)


@dataclass(frozen=True)
class UploadDeclaration:
    """What a caller says of the bytes to come; a checksum that is not said is None."""

    size_bytes: int
    sha256: str | None = None
    crc32: str | None = None

    def agrees_with(self, file: File) -> bool:
        """Whether nothing that is said here contradicts what is recorded, or adds to it."""
        return self.size_bytes == file.size_bytes and all(
            said in (None, recorded) for said, recorded in ((self.sha256, file.sha256), (self.crc32, file.crc32))
        )


def declare_upload(file: File, announcement: UploadDeclaration) -> None:
    """Take over what is said of a file that is not uploaded yet. Other bytes than before get another key."""
    if announcement.agrees_with(file):
        return
    file.size_bytes, file.sha256, file.crc32 = announcement.size_bytes, announcement.sha256, announcement.crc32
    clear_upload(file)


def assign_storage_key(file: File, *, bucket: str) -> None:
    """A key that nothing was ever stored under."""
    file.key_nonce = new_key_nonce()
    nonce = file.key_nonce
    file.storage_bucket = bucket
    file.storage_key = build_shared_key(nonce) if settings.DEDUPLICATE else build_storage_key(file, nonce)
    file.multipart_upload_id = file.part_size = None


def clear_upload(file: File) -> None:
    """What was sent so far belongs to nobody; the sweep finds it."""
    file.storage_bucket = file.storage_key = file.key_nonce = None
    file.multipart_upload_id = file.part_size = None
