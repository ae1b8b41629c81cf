"""One read tells SHA-256, CRC32 and the CRC32 of every block."""

import hashlib
import threading
import zlib
from pathlib import Path

import pytest

from agent.tests.lab import MIB, made
from agent.tests.links import needs_links
from instrument_watcher.activity import Transfer
from instrument_watcher.uploading.hashing import BLOCK, hash_source
from instrument_watcher.uploading.pacing import Pace, Stopping
from instrument_watcher.uploading.source import Changed, Vanished, open_source
from instrument_watcher.watching.scanning import LeadsOut


@pytest.mark.parametrize("size", [0, 1, MIB, 16 * MIB, 16 * MIB + 1, 33 * MIB + 5])
def test_the_sums_are_those_of_the_bytes(tmp_path: Path, size: int):
    data = made(size, size)
    (tmp_path / "a.raw").write_bytes(data)
    transfer = Transfer("a.raw", size)

    with open_source(tmp_path, "a.raw", pace=Pace(threading.Event())) as source:
        digest = hash_source(source, transfer)

    assert digest.sha256 == hashlib.sha256(data).hexdigest()
    assert digest.crc32 == f"{zlib.crc32(data):08x}"
    assert list(digest.block_crcs) == [zlib.crc32(data[at : at + BLOCK]) for at in range(0, size, BLOCK)]
    assert transfer.done == size


def test_a_file_that_became_shorter_is_told(tmp_path: Path):
    (tmp_path / "a.raw").write_bytes(b"x" * 10)

    with open_source(tmp_path, "a.raw", pace=Pace(threading.Event())) as source, pytest.raises(Changed):
        hash_source(source, Transfer("a.raw", 11))


def test_stopping_ends_a_read(tmp_path: Path):
    (tmp_path / "a.raw").write_bytes(b"x" * 10)
    stop = threading.Event()
    stop.set()

    with open_source(tmp_path, "a.raw", pace=Pace(stop)) as source, pytest.raises(Stopping):
        hash_source(source, Transfer("a.raw", 10))


def test_a_folder_in_the_place_of_a_file_means_that_the_file_is_gone(tmp_path: Path):
    (tmp_path / "a.csv").mkdir()

    with pytest.raises(Vanished), open_source(tmp_path, "a.csv", pace=Pace(threading.Event())):
        pass


@needs_links
def test_what_is_gone_or_leads_out_is_not_opened(tmp_path: Path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside").write_bytes(b"x")
    (root / "link").symlink_to(tmp_path / "outside")

    with pytest.raises(Vanished), open_source(root, "gone", pace=Pace(threading.Event())):
        pass
    with pytest.raises(LeadsOut), open_source(root, "link", pace=Pace(threading.Event())):
        pass
