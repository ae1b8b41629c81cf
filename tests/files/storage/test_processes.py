"""The local store in a web process of its own: what it weighs, and what a kill leaves behind."""

import os

import psutil
import pytest
import requests

from files.storage.checksums import Crc32, combine_crc32s, crc32_of
from tests.files.storage.lone_server import running
from tests.files.storage.sending import opened, send

MIB = 1024 * 1024
BLOCKS = 2048
ALLOWED_GROWTH = 48 * MIB


@pytest.mark.slow
def test_a_killed_web_process_leaves_nothing_to_see(tmp_path):
    with running(tmp_path) as (store, server):
        signed = store.presign_put("a", size_bytes=64 * MIB, content_type="text/csv")
        with opened(signed) as connection:
            connection.sendall(bytes(20 * MIB))
            server.kill()
            server.wait()

    assert store.head("a") is None
    assert list(store.list()) == []


@pytest.mark.slow
def test_what_was_acknowledged_outlives_a_kill(tmp_path):
    with running(tmp_path) as (store, server):
        status = send(store.presign_put("a", size_bytes=MIB, content_type="text/csv"), bytes(MIB)).status_code
        server.kill()
        server.wait()

    assert status == 200
    assert [stored.crc32 for stored in store.list()] == [crc32_of(bytes(MIB))]


@pytest.mark.big
def test_two_gibibytes_pass_through_constant_memory(tmp_path):
    source = tmp_path / "source"
    source.touch()
    os.truncate(source, BLOCKS * MIB)
    crc32 = combine_crc32s([(crc32_of(bytes(MIB)), MIB)] * BLOCKS)
    with running(tmp_path / "objects") as (store, server):
        send(store.presign_put("warm", size_bytes=MIB, content_type="text/csv"), bytes(MIB))
        before = weight(server)

        sent = upload(store.presign_put("a", size_bytes=BLOCKS * MIB, content_type="text/csv", crc32=crc32), source)
        received = download(store.presign_get("a", filename="a", content_type="text/csv"))

        growth = weight(server) - before
        store.delete("a")

    assert sent == 200
    assert received == (BLOCKS * MIB, crc32)
    assert growth < ALLOWED_GROWTH


def weight(server):
    return psutil.Process(server.pid).memory_info().rss


def upload(signed, source):
    with source.open("rb") as file:
        return requests.put(signed.url, data=file, headers=signed.headers, timeout=600).status_code


def download(url):
    size_bytes, crc32 = 0, Crc32()
    with requests.get(url, stream=True, timeout=600) as answer:
        for block in answer.iter_content(MIB):
            size_bytes += len(block)
            crc32.update(block)
    return size_bytes, crc32.hex
