"""Bringing the right bytes back from the replica, where one is configured."""

from files.integrity.verification import Progress, find_contradiction, ignore_progress, read_checksums
from files.storage.interface import ObjectMissing, ObjectStore
from files.stored.inventory import ReferencedObject


class NotHealed(Exception):
    """Why the bytes are as they were."""


def heal_object(
    name: ReferencedObject,
    *,
    content_type: str,
    store: ObjectStore,
    replica: ObjectStore | None,
    progress: Progress = ignore_progress,
) -> None:
    """Put the replica's bytes in the place of what is there, once they are known to be right.

    They are read twice, and the second time refused unless they have the CRC32 and length of the first. Raises
    NotHealed, StoreUnavailable.
    """
    if replica is None:
        raise NotHealed("No replica is configured.")
    if name.sha256 is None and name.crc32 is None:
        raise NotHealed("No checksum is known to judge the replica's bytes by.")
    try:
        sums = read_checksums(replica, name.key, progress=progress)
        if sums is None:
            raise NotHealed("The replica's copy cannot be read.")
        if find_contradiction(name, size_bytes=sums.size_bytes, crc32=sums.crc32, sha256=sums.sha256):
            raise NotHealed("The replica's copy is not right either.")
        with replica.open_range(name.key) as source:
            store.mend(name.key, source, size_bytes=sums.size_bytes, crc32=sums.crc32, content_type=content_type)
    except ObjectMissing:
        raise NotHealed("The replica has no copy.") from None
