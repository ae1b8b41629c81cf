"""A streamed archive of 2 GiB in the local store, beside `cat` and `sync` of the same files on the same disk.

Once of files whose senders told the CRC32, once with SHA-256 to be checked on the way as well.

`pytest -m benchmark tests/benchmarks/test_archives.py -s`; needs 6 GiB of disk. The archive is made in a process of its
own, whose memory is the second figure.
"""

import os
import random
import secrets
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from psycopg.conninfo import make_conninfo

from accounts.callers import caller_for_token
from archives import jobs
from archives.models import ArchiveJob
from files.storage import object_store
from files.storage.interface import MIB
from runs.models import Run
from tests.archives.jail import sha256
from tests.archives.test_large import record
from tests.benchmarks.memory import take_memory
from tests.factories import make_run, make_token
from wire.clock import now

pytestmark = [pytest.mark.benchmark, pytest.mark.django_db(transaction=True)]
FILES, SIZE, PAIRS = 8, 256 * MIB, 5
SLOWEST, LARGEST = 0.6, 150 * MIB


@pytest.mark.parametrize("sums", ["crc32", "crc32 and sha256"])
def test_an_archive_is_built_at_the_pace_of_the_disk(tmp_path, capsys, sums):
    run, paths = make_run(), [made_file(tmp_path / f"{number}.raw", number) for number in range(FILES)]
    for path in paths:
        with path.open("rb") as source:
            stored = object_store().put(f"test/{secrets.token_hex(8)}", source, size_bytes=SIZE, content_type="x/y")
        file = record(run, path.name, key=stored.key, size=SIZE, crc32=stored.crc32 or "")
        file.sha256 = sha256(path) if "sha256" in sums else None
        file.save()

    pairs = [(copied(paths, tmp_path / "copy"), built(run, tmp_path)) for _ in range(PAIRS)]

    ratio = statistics.median(by_cat / by_us for by_cat, (by_us, _) in pairs)
    memory = max(peak for _, (_, peak) in pairs)
    total = FILES * SIZE / MIB
    with capsys.disabled():
        for by_cat, (by_us, peak) in pairs:
            sys.stdout.write(
                f"\n{sums}: cat {total / by_cat:.0f} MiB/s  archive {total / by_us:.0f} MiB/s  {peak / MIB:.0f} MiB"
            )
        sys.stdout.write(f"\nspeed of cat x {ratio:.2f} (target {SLOWEST}), peak {memory / MIB:.0f} MiB\n")
    assert ratio >= SLOWEST
    assert memory <= LARGEST


def made_file(path: Path, seed: int) -> Path:
    block = random.Random(seed).randbytes(16 * MIB)
    with path.open("wb") as target:
        for _ in range(SIZE // len(block)):
            target.write(block)
    return path


def copied(paths: list[Path], target: Path) -> float:
    take_memory(target.parent)
    began = time.perf_counter()
    subprocess.run(["sh", "-c", 'out="$1"; shift; cat "$@" > "$out" && sync "$out"', "sh", target, *paths], check=True)
    taken = time.perf_counter() - began
    target.unlink()
    return taken


def built(run: Run, folder: Path) -> tuple[float, int]:
    """Seconds, and the builder's peak of memory."""
    ArchiveJob.objects.all().delete()
    by = caller_for_token(make_token())
    job = jobs.request_archive(instrument=run.instrument_id, run_id=run.run_id, file_ids=None, by=by, at=now())
    known = connection.get_connection_params()
    address = make_conninfo(
        **{name: known[name] for name in ("host", "port", "user", "password", "dbname") if name in known}
    )
    command = [sys.executable, "-m", "tests.benchmarks.one_build", str(job.pk), str(folder)]
    folder_of_objects = Path(settings.STORAGES["objects"]["OPTIONS"]["location"])
    environ = os.environ | {"DATABASE_URL": address, "IDS_DATA": str(folder_of_objects.parent)}
    taken, peak = subprocess.run(command, env=environ, check=True, capture_output=True, text=True).stdout.split()
    job.refresh_from_db()
    object_store().delete(job.storage_key)
    return float(taken), int(peak)
