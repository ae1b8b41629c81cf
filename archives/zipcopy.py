"""A ZIP put together by the object store: we send headers and small files, the store copies the rest (stack.md, ZIP).

Every part of an upload but the last has at least 5 MiB. So what we send, the glue, is filled up to that size with the
beginning of the next large file, and the store copies what remains of it.
"""

import zipfile
from datetime import datetime

from archives import streamed
from archives.entries import SourceChanged, begin_known, end_known, refuse_other_size
from archives.members import Member
from archives.output import Output
from files.storage.port import MIB, MIN_PART_SIZE, ObjectMissing, ObjectStore

WORTH_COPYING = 16 * MIB


def write_member(
    archive: zipfile.ZipFile, output: Output, member: Member, *, store: ObjectStore, moment: datetime
) -> Member:
    """One member of known size and CRC32; its bytes pass through us only as far as the glue needs them."""
    if member.size_bytes < WORTH_COPYING:
        return streamed.write_member(archive, output, member, store=store, moment=moment)
    begin_known(archive, output, member, moment=moment)
    try:
        refuse_other_size(member, store=store)
        head = max(0, MIN_PART_SIZE - output.unsent)
        with store.open_range(member.storage_key, start=0, end=head) as source:
            output.write(source.read())
        output.copy(member.storage_key, start=head, end=member.size_bytes)
    except ObjectMissing:
        raise SourceChanged(member, "its bytes are no longer in the store.") from None
    end_known(archive, output)
    return member
