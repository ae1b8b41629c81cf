"""Range and If-Range (RFC 9110, sections 13.1.5 and 14): one range of bytes, or the whole."""

import re
from dataclasses import dataclass

from wire.errors import ServiceError

RANGE_HEADER = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})", re.ASCII)


@dataclass(frozen=True)
class ByteRange:
    """Bytes from `start` to before `end`."""

    start: int
    end: int
    partial: bool


class RangeRefused(ServiceError):
    """416. The range begins after the end of the object."""

    status, code = 416, "RANGE_NOT_SATISFIABLE"

    def __init__(self, size_bytes: int) -> None:
        super().__init__("The range lies beyond the object.", size_bytes=size_bytes)
        self.headers = {"Content-Range": f"bytes */{size_bytes}"}


def parse_range(
    asked: str | None, *, condition: str | None, size_bytes: int, etag: str, last_modified: str
) -> ByteRange:
    """What to send. A malformed or multiple range, or one whose If-Range does not hold, asks for the whole."""
    whole = ByteRange(0, size_bytes, partial=False)
    match = RANGE_HEADER.fullmatch(asked or "")
    if match is None or match.group() == "bytes=-" or condition not in (None, f'"{etag}"', last_modified):
        return whole
    first, last = match.groups()
    if not first:
        start, end = max(0, size_bytes - int(last)), size_bytes
    else:
        start, end = int(first), min(size_bytes, int(last) + 1 if last else size_bytes)
        if last and int(last) < start:
            return whole
    if start >= size_bytes:
        raise RangeRefused(size_bytes)
    return ByteRange(start, end, partial=True)
