"""CRC32 (ISO 3309, as in ZIP and gzip): its spellings, and the CRC32 of a whole from those of its parts.

The combination rule is zlib's `crc32_combine` (crc32.c, version 1.2.12 and later): appending n zero bytes to a message
multiplies its CRC by x^(8n) modulo the polynomial, and CRCs of equally long messages add up by exclusive or.
Polynomials are in reflected order: the highest bit is the coefficient of x^0.
"""

import base64
import zlib
from collections.abc import Iterable
from functools import lru_cache

MIB = 1024 * 1024
POLYNOMIAL = 0xEDB88320
X_TO_THE_ZERO = 1 << 31
X_TO_THE_ONE = 1 << 30

Buffer = bytes | bytearray | memoryview


class Crc32:
    """A running CRC32."""

    def __init__(self) -> None:
        self.value = 0

    def update(self, data: Buffer, *, known: int | None = None) -> None:
        """`known` is the CRC32 of `data` alone: a long block that is summed already is not read again."""
        if known is None or len(data) < MIB // 16:
            self.value = zlib.crc32(data, self.value)
        else:
            self.append(known, size_bytes=len(data))

    def append(self, crc32: int, *, size_bytes: int) -> None:
        """Bytes that are not here, by their CRC32."""
        self.value = _multiply(_x_to_the(8 * size_bytes), self.value) ^ crc32

    @property
    def hex(self) -> str:
        return f"{self.value:08x}"


def crc32_of(data: bytes) -> str:
    """Eight lower-case hex digits."""
    return f"{zlib.crc32(data):08x}"


def crc32_to_base64(crc32: str) -> str:
    """The spelling of the header x-amz-checksum-crc32: the four bytes, big-endian, in base64."""
    return base64.b64encode(bytes.fromhex(crc32)).decode()


def crc32_from_base64(text: str | None) -> str | None:
    """The hex digits; None where there is nothing, or the checksum of a composite (`…-3`) rather than of the bytes."""
    if not text or "-" in text:
        return None
    return base64.b64decode(text).hex()


def combine_crc32s(parts: Iterable[tuple[str, int]]) -> str:
    """The CRC32 of a whole from (CRC32, length in bytes) of its consecutive parts."""
    whole = 0
    for crc32, length in parts:
        whole = _multiply(_x_to_the(8 * length), whole) ^ int(crc32, 16)
    return f"{whole:08x}"


def _multiply(a: int, b: int) -> int:
    """a · b modulo the polynomial, over GF(2)."""
    product = 0
    while a:
        if a & X_TO_THE_ZERO:
            product ^= b
        a = a << 1 & 0xFFFFFFFF
        b = b >> 1 ^ POLYNOMIAL if b & 1 else b >> 1
    return product


@lru_cache(maxsize=64)  # the parts of an upload are equally long
def _x_to_the(exponent: int) -> int:
    """x^exponent modulo the polynomial, by repeated squaring."""
    power, square = X_TO_THE_ZERO, X_TO_THE_ONE
    while exponent:
        if exponent & 1:
            power = _multiply(square, power)
        square = _multiply(square, square)
        exponent >>= 1
    return power
