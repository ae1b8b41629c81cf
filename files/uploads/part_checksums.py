"""The CRC32 of a multipart upload from those of its parts, so that every byte is covered by one that was verified.

Each part went in through a signed URL that binds its CRC32, so a store that compares checksums has verified it. Most
such stores tell which CRC32 a stored part has; where one does not, the issued one is known, or, where a part was asked
for again with a corrected one, the bytes themselves have to be read. Of other stores all bytes are (`read_back`).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from files.models import File, UploadPart
from files.storage.checksums import combine_crc32s
from files.storage.interface import Part
from files.uploads.read_back import compute_crc32_of_range


def count_parts(file: File) -> int:
    """Of a file whose multipart upload was begun."""
    size_bytes, part_size = _sizes(file)
    return -(-size_bytes // part_size)


def size_of_part(file: File, part_number: int) -> int:
    """Every part but the last is full."""
    size_bytes, part_size = _sizes(file)
    return min(part_size, size_bytes - (part_number - 1) * part_size)


def known_crc32s(file: File, stored: Sequence[Part] = ()) -> dict[int, str]:
    """By part number: what the store tells of its parts, else the one CRC32 that a URL was issued for."""
    told = {part.part_number: part.crc32 for part in stored if part.crc32 is not None}
    issued = {number: crc32s[0] for number, crc32s in _list_issued_crc32s(file).items() if len(crc32s) == 1}
    return issued | told


def combine_part_crc32s(file: File, crc32s: Mapping[int, str]) -> str | None:
    """The CRC32 of the whole; None where that of a part is not known."""
    numbers = range(1, count_parts(file) + 1)
    if any(number not in crc32s for number in numbers):
        return None
    return combine_crc32s((crc32s[number], size_of_part(file, number)) for number in numbers)


def compute_crc32(file: File) -> str:
    """The CRC32 of a published multipart object; only the parts in doubt are read."""
    known = known_crc32s(file)
    numbers = range(1, count_parts(file) + 1)
    return combine_crc32s(
        (known.get(number) or _compute_part_crc32(file, number), size_of_part(file, number)) for number in numbers
    )


def record_issued_parts(file: File, parts: Iterable[tuple[int, str]]) -> None:
    """A part may be asked for again; with another CRC32 it is then in doubt which one the store has."""
    rows = [
        UploadPart(file=file, upload_id=file.multipart_upload_id or "", part_number=number, crc32=crc32)
        for number, crc32 in sorted(parts)
    ]
    UploadPart.objects.bulk_create(rows, ignore_conflicts=True)


def has_issued_parts(file: File) -> bool:
    """Whether a URL went out for a part of the open upload: somebody is sending, or has sent."""
    return UploadPart.objects.filter(file=file, upload_id=file.multipart_upload_id or "").exists()


def _list_issued_crc32s(file: File) -> dict[int, list[str]]:
    rows = UploadPart.objects.filter(file=file, upload_id=file.multipart_upload_id or "")
    found = defaultdict(list)
    for number, crc32 in rows.values_list("part_number", "crc32"):
        found[number].append(crc32)
    return found


def _compute_part_crc32(file: File, part_number: int) -> str:
    _, part_size = _sizes(file)
    start = (part_number - 1) * part_size
    return compute_crc32_of_range(file.storage_key or "", start=start, end=start + size_of_part(file, part_number))


def _sizes(file: File) -> tuple[int, int]:
    if file.size_bytes is None or file.part_size is None:
        raise ValueError(f"no multipart upload of file {file.pk} was begun")
    return file.size_bytes, file.part_size
