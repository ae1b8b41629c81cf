"""The bytes that a file is waiting for, and the key that means them and nothing else."""

from dataclasses import dataclass

from files.models import File
from files.object_keys import key_of, new_upload_id

COLUMNS = (
    "size_bytes",
    "sha256",
    "crc32",
    "storage_bucket",
    "storage_key",
    "upload_id",
    "multipart_upload_id",
    "part_size",
)


@dataclass(frozen=True)
class Announcement:
    """What a caller says of the bytes to come; a checksum that is not said is None."""

    size_bytes: int
    sha256: str | None = None
    crc32: str | None = None

    def agrees_with(self, file: File) -> bool:
        """Whether nothing that is said here contradicts what is recorded, or adds to it."""
        return self.size_bytes == file.size_bytes and all(
            said in (None, recorded) for said, recorded in ((self.sha256, file.sha256), (self.crc32, file.crc32))
        )


def announce(file: File, announcement: Announcement) -> None:
    """Take over what is said of a file that is not uploaded yet. Other bytes than before get another key."""
    if announcement.agrees_with(file):
        return
    file.size_bytes, file.sha256, file.crc32 = announcement.size_bytes, announcement.sha256, announcement.crc32
    forget_upload(file)


def draw_key(file: File, *, bucket: str) -> None:
    """A key that nothing was ever stored under."""
    file.upload_id = new_upload_id()
    file.storage_bucket, file.storage_key = bucket, key_of(file, file.upload_id)
    file.multipart_upload_id = file.part_size = None


def forget_upload(file: File) -> None:
    """What was sent so far belongs to nobody; the sweep finds it."""
    file.storage_bucket = file.storage_key = file.upload_id = None
    file.multipart_upload_id = file.part_size = None
