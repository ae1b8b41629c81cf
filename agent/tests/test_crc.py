"""CRC32s of pieces put together."""

import random
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from instrument_watcher.uploading.crc import combine, crc_of_blocks, part_crcs


@settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=300), st.binary(max_size=300))
def test_two_pieces_together_have_the_crc_of_the_whole(first: bytes, second: bytes):
    assert combine(zlib.crc32(first), zlib.crc32(second), len(second)) == zlib.crc32(first + second)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 63, 64, 65, 100, 128])
def test_blocks_give_the_whole_and_every_part(size: int):
    data = random.Random(size).randbytes(size)
    blocks = [zlib.crc32(data[start : start + 16]) for start in range(0, size, 16)]

    whole = crc_of_blocks(blocks, block_size=16, size=size)
    parts = list(part_crcs(blocks, block_size=16, part_size=64, size=size))

    assert whole == zlib.crc32(data)
    assert parts == [zlib.crc32(data[start : start + 64]) for start in range(0, size, 64)]
