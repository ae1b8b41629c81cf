"""A ZIP put together by the object store: we send headers and small files, the store copies the rest.

Every part of an upload but the last has at least 5 MiB. So what we send, the glue, is filled up to that size with the
beginning of the next large file, and the store copies what remains of it.
"""

import zipfile
from datetime import datetime

from archives import streaming as streamed
from archives.members import Member
from archives.zip_entries import SourceChanged, begin_entry, end_entry, refuse_wrong_size
from archives.zip_output import ZipOutput
from files.storage.interface import MIB, MIN_PART_SIZE, ObjectMissing, ObjectStore

MIN_BYTES_PER_COPY = 16 * MIB


def write_member(
    archive: zipfile.ZipFile, output: ZipOutput, member: Member, *, store: ObjectStore, moment: datetime
) -> Member:
    """One member of known size and CRC32; its bytes pass through us only as far as the glue needs them."""
    if member.size_bytes < MIN_BYTES_PER_COPY:
        return streamed.write_member(archive, output, member, store=store, moment=moment)
    begin_entry(archive, output, member, moment=moment)
    try:
        refuse_wrong_size(member, store=store)
        head = max(0, MIN_PART_SIZE - output.buffered_bytes)
        with store.open_range(member.storage_key, start=0, end=head) as source:
            output.write(source.read())
        output.copy(member.storage_key, start=head, end=member.size_bytes)
    except ObjectMissing:
        raise SourceChanged(member, "its bytes are no longer in the store.") from None
    end_entry(archive, output)
    return member
