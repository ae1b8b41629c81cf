"""Archives in the local store: the kernel copies, what is read beside it must be what was recorded."""

import errno
import os
import random

import pytest

from archives import disk_copy as filecopy
from archives.building import build_job
from files.storage import local_writer as local_writing
from files.storage import object_store
from files.storage.checksums import crc32_of
from tests.archives.test_building import ask
from tests.factories import make_run, make_stored_file
from wire.clock import now

pytestmark = pytest.mark.django_db
DATA = random.Random(7).randbytes(10_001)


@pytest.fixture(autouse=True)
def many_pieces(monkeypatch):
    monkeypatch.setattr(filecopy, "MIN_BYTES_PER_COPY", 1000)
    monkeypatch.setattr(filecopy, "PIECE_BYTES", 3000)
    monkeypatch.setattr(local_writing, "COPY_STEP_BYTES", 1000)


def refuse_to_copy(*_):
    raise OSError(errno.EXDEV, "another file system")


@pytest.mark.parametrize("copy", [os.copy_file_range, refuse_to_copy], ids=["by the kernel", "by hand"])
@pytest.mark.parametrize("known", [{}, {"sha256": None}, {"crc32": None}], ids=["both sums", "crc32", "sha256"])
def test_every_byte_arrives_and_is_summed(built, monkeypatch, copy, known):
    monkeypatch.setattr(os, "copy_file_range", copy)
    run = make_run()
    make_stored_file("a.raw", DATA, run=run, **known)
    make_stored_file("b.raw", DATA[:999], run=run, **known)
    make_stored_file("c.raw", DATA[::-1], run=run, **known)
    job = ask(run)

    archive = built(job)

    assert [archive.read(name) for name in ("a.raw", "b.raw", "c.raw")] == [DATA, DATA[:999], DATA[::-1]]
    assert archive.testzip() is None
    assert object_store().head(job.storage_key).crc32 == crc32_of(archive.fp.getvalue())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"size_bytes": 10_000}, "a.raw: 10000 bytes were recorded, 10001 are stored."),
        ({"size_bytes": 10_002}, "a.raw: 10002 bytes were recorded, 10001 are stored."),
        ({"crc32": "00000000"}, "a.raw: the CRC32 recorded is 00000000, the stored bytes have "),
        ({"sha256": "0" * 64}, "a.raw: the SHA-256 sent is 000"),
        ({"storage_key": "test/nowhere"}, "a.raw: its bytes are no longer in the store."),
    ],
    ids=["longer", "shorter", "crc32", "sha256", "gone"],
)
def test_a_source_that_is_not_what_was_recorded_fails_the_job(change, reason):
    run = make_run()
    make_stored_file("a.raw", DATA, run=run, **change)
    job = ask(run)

    build_job(job.pk, clock=now)

    job.refresh_from_db()
    assert job.status == "failed"
    assert job.error_message.startswith(reason)
    assert object_store().head(job.storage_key) is None


def test_a_full_disk_leaves_nothing_half_copied(monkeypatch):
    run = make_run()
    make_stored_file("a.raw", DATA, run=run)
    job = ask(run)
    monkeypatch.setattr(local_writing, "has_free_space", lambda _: False)

    build_job(job.pk, clock=now)

    job.refresh_from_db()
    assert (job.status, job.attempts) == ("building", 0)
    assert object_store().head(job.storage_key) is None
