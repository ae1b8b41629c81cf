"""The CRC32 of a whole from the CRC32s of its pieces (zlib's crc32_combine, which Python does not offer)."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

POLYNOMIAL = 0xEDB88320  # x^32 + … of CRC-32, bits reflected
ONE = 0x80000000  # the polynomial 1


def combine(first: int, second: int, second_size: int) -> int:
    """The CRC32 of two pieces, one after the other."""
    return _multiply(_shift(second_size), first) ^ second


def crc_of_blocks(blocks: Sequence[int], *, block_size: int, size: int) -> int:
    """The CRC32 of a stretch of `size` bytes whose blocks, all but the last of `block_size`, have these CRC32s."""
    whole = 0
    for number, crc in enumerate(blocks):
        whole = combine(whole, crc, min(block_size, size - number * block_size))
    return whole


def hex_of(crc: int) -> str:
    return f"{crc:08x}"


def part_crcs(blocks: Sequence[int], *, block_size: int, part_size: int, size: int) -> Iterable[int]:
    """The CRC32 of each part. `part_size` must be a multiple of `block_size`."""
    step = part_size // block_size
    for start in range(0, len(blocks), step):
        length = min(part_size, size - start * block_size)
        yield crc_of_blocks(blocks[start : start + step], block_size=block_size, size=length)


@lru_cache(maxsize=64)
def _shift(size: int) -> int:
    """x^(8 * size) modulo the polynomial: what appending `size` zero bytes does."""
    result, square = ONE, 0x40000000 >> 7  # x^8
    while size:
        if size & 1:
            result = _multiply(square, result)
        square = _multiply(square, square)
        size >>= 1
    return result


def _multiply(a: int, b: int) -> int:
    """The product of two polynomials modulo the CRC polynomial, bits reflected."""
    product = 0
    for bit in range(31, -1, -1):
        if a >> bit & 1:
            product ^= b
        b = b >> 1 ^ POLYNOMIAL if b & 1 else b >> 1
    return product
