"""Between the answers of boto3 and the port's words."""

from collections.abc import Mapping
from typing import Any, BinaryIO

from files.storage.checksums import Crc32, crc32_from_base64, crc32_to_base64
from files.storage.interface import MIB, BytesRefused, Part, StoredObject


def checksum_source(source: BinaryIO, size_bytes: int) -> str:
    """The CRC32 of a seekable source, which stands at its beginning again. Raises BytesRefused."""
    begin, crc32, counted = source.tell(), Crc32(), 0
    while block := source.read(MIB):
        crc32.update(block)
        counted += len(block)
    if counted != size_bytes:
        message = f"{counted} bytes came, {size_bytes} were announced."
        raise BytesRefused(message, size_bytes=size_bytes, received=counted)
    source.seek(begin)
    return crc32.hex


def object_from_head(key: str, answer: Mapping[str, Any]) -> StoredObject:
    crc32 = crc32_from_base64(answer.get("ChecksumCRC32"))
    etag = answer["ETag"].strip('"')
    return StoredObject(key, answer["ContentLength"], crc32, etag, answer.get("ContentType"), answer["LastModified"])


def object_from_listing(row: Mapping[str, Any]) -> StoredObject:
    return StoredObject(row["Key"], row["Size"], None, row["ETag"].strip('"'), None, row["LastModified"])


def part_from_listing(row: Mapping[str, Any]) -> Part:
    return Part(row["PartNumber"], row["ETag"].strip('"'), row["Size"], crc32_from_base64(row.get("ChecksumCRC32")))


def part_for_completion(part: Part) -> dict[str, Any]:
    checksum = {"ChecksumCRC32": crc32_to_base64(part.crc32)} if part.crc32 else {}
    return {"PartNumber": part.part_number, "ETag": f'"{part.etag}"'} | checksum


def bind_to_signature(
    terms: dict[str, Any], headers: dict[str, str], *, size_bytes: int | None, crc32: str | None
) -> None:
    """What the sender announces becomes part of the signature."""
    if size_bytes is not None:
        terms["ContentLength"] = size_bytes
        headers["Content-Length"] = str(size_bytes)
    if crc32 is not None:
        headers["x-amz-checksum-crc32"] = terms["ChecksumCRC32"] = crc32_to_base64(crc32)
