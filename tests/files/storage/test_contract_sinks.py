"""The promises of files/storage/interface.py, kept by every adapter: what is written piece by piece."""

from datetime import UTC, datetime, timedelta

import pytest

from files.storage.checksums import crc32_of
from files.storage.interface import MIB, ObjectExists
from tests.files.storage.sending import HELLO, put, read


def written(store, *blocks, key="made"):
    sink = store.open_sink(key, content_type="application/zip", at_most=100 * MIB)
    try:
        for block in blocks:
            sink.write(block)
        return sink.finish()
    finally:
        sink.discard()


@pytest.mark.parametrize("blocks", [[b"hello ", b"world"], [bytes(9 * MIB), b"end"], [b"x" * 8 * MIB]])
def test_what_goes_into_a_sink_comes_out(store, blocks):
    published = written(store, *blocks)

    assert (published.size_bytes, published.content_type) == (sum(map(len, blocks)), "application/zip")
    assert published.crc32 in (None, crc32_of(b"".join(blocks)))
    assert read(store, "made") == b"".join(blocks)


def test_a_sink_lets_its_buffer_be_used_again(store):
    buffer = bytearray(b"first.")
    sink = store.open_sink("made", content_type="text/plain", at_most=MIB)
    sink.write(buffer)
    buffer[:] = b"second"
    sink.write(memoryview(buffer))
    sink.finish()
    sink.discard()

    assert read(store, "made") == b"first.second"


def test_a_sink_trusts_the_checksum_it_is_told(store):
    block = bytes(range(256)) * 8192
    sink = store.open_sink("made", content_type="text/plain", at_most=10 * MIB)
    for data in (b"before", block, block):
        sink.write(data, crc32=int(crc32_of(data), 16))
    published = sink.finish()
    sink.discard()

    assert published.crc32 in (None, crc32_of(b"before" + block + block))


def test_a_discarded_sink_leaves_nothing(store):
    sink = store.open_sink("made", content_type="text/plain", at_most=MIB)
    sink.write(HELLO)
    sink.discard()

    assert store.head("made") is None
    assert store.remove_abandoned(before=datetime.now(UTC) + timedelta(days=1)) == 0


def test_a_sink_replaces_nothing(store):
    put(store, "made")

    with pytest.raises(ObjectExists):
        written(store, b"other")
    assert read(store, "made") == HELLO
    assert store.remove_abandoned(before=datetime.now(UTC) + timedelta(days=1)) == 0
