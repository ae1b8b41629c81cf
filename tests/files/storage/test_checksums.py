import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from files.storage.checksums import combine_crc32s, crc32_from_base64, crc32_of, crc32_to_base64


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a machine that stands still is no fault
@given(st.lists(st.binary(max_size=300), max_size=6))
def test_the_checksum_of_a_whole_follows_from_its_parts(parts):
    assert combine_crc32s((crc32_of(part), len(part)) for part in parts) == crc32_of(b"".join(parts))


def test_parts_may_be_long():
    zeros = crc32_of(bytes(1 << 20))

    assert combine_crc32s([(zeros, 1 << 20)] * 64) == f"{zlib.crc32(bytes(1 << 26)):08x}"


def test_nothing_has_the_checksum_zero():
    assert combine_crc32s([]) == "00000000"


def test_the_base64_spelling_is_the_one_of_s3():
    assert crc32_to_base64("0d4a1185") == "DUoRhQ=="
    assert crc32_from_base64("DUoRhQ==") == "0d4a1185"


@pytest.mark.parametrize("text", [None, "", "DUoRhQ==-3"])
def test_a_composite_checksum_says_nothing_of_the_bytes(text):
    assert crc32_from_base64(text) is None
