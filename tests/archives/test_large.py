"""Archives of many files, of huge ones, of names from hell; and the zero-copy build."""

import hashlib
import io
import random
import secrets
import zlib
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from accounts.callers import caller_for_token
from archives import jobs
from archives.building import build_job
from archives.models import ArchiveJob
from files.models import File
from files.naming import natural_key
from files.storage import object_store
from files.storage.interface import MIB
from files.storage.s3 import S3Store
from tests.archives.jail import extracted, refused_by, sha256
from tests.factories import make_run, make_stored_file, make_token
from tests.files.storage.referee import SECRET, USER, running_swift
from tests.stores import s3_store_at, use_s3
from wire.clock import now

GIB = 1024 * MIB


def built(run) -> ArchiveJob:
    by = caller_for_token(make_token())
    job = jobs.request_archive(instrument=run.instrument_id, run_id=run.run_id, file_ids=None, by=by, at=now())
    build_job(job.pk, clock=now)
    job.refresh_from_db()
    assert job.status == "ready", job.error_message
    return job


def saved(job: ArchiveJob, folder: Path) -> Path:
    folder.mkdir()
    path = folder / "run.zip"
    with object_store().open_range(job.storage_key) as source, path.open("wb") as target:
        while chunk := source.read(MIB):
            target.write(chunk)
    return path


def record(run, path: str, *, key: str, size: int, crc32: str) -> File:
    """A record of stored bytes, which several records may share."""
    return File(
        run=run,
        filename=path.rpartition("/")[2],
        relative_path=path,
        natural_key=natural_key(path),
        status="uploaded",
        size_bytes=size,
        crc32=crc32,
        storage_bucket="local",
        storage_key=key,
        uploaded_at=now(),
    )


def test_names_from_hell_stay_in_the_jail(db, tmp_path):
    run = make_run()
    names = ["CON", "x/y./z ", "\u202etxt.exe", "Straße.csv", "STRASSE.csv", "n" * 250 + ".csv", "-rf"]
    for number, name in enumerate(names):
        make_stored_file(name.rpartition("/")[2], str(number).encode(), run=run, relative_path=name)

    archive = saved(built(run), tmp_path / "out")

    assert refused_by(archive) == []
    assert len(extracted(archive, tmp_path / "out" / "jail")) == len(names) + 1


@pytest.mark.big
def test_seventy_thousand_small_files(db, tmp_path):
    run = make_run()
    shared = make_stored_file("shared.csv", b"1,2,3\n")
    rows = [
        record(run, f"plate {n // 100}/well {n}.csv", key=shared.storage_key, size=6, crc32=shared.crc32)
        for n in range(70_000)
    ]
    File.objects.bulk_create(rows, batch_size=5_000)

    archive = saved(built(run), tmp_path / "out")

    assert refused_by(archive) == []
    assert len(extracted(archive, tmp_path / "out" / "jail")) == 70_001


@pytest.mark.big
def test_a_file_over_four_gibibytes(db, tmp_path):
    run = make_run()
    sparse = tmp_path / "sparse.raw"
    with sparse.open("wb") as target:
        target.write(b"begin")
        target.seek(4 * GIB + 5)
        target.write(b"end")
    with sparse.open("rb") as source:
        stored = object_store().put(
            f"test/{secrets.token_hex(8)}", source, size_bytes=sparse.stat().st_size, content_type="x/y"
        )
    record(run, "sparse.raw", key=stored.key, size=stored.size_bytes, crc32=stored.crc32 or "").save()
    expected = sha256(sparse)
    sparse.unlink()

    archive = saved(built(run), tmp_path / "out")
    object_store().delete(stored.key)

    assert refused_by(archive) == []
    assert extracted(archive, tmp_path / "out" / "jail")["sparse.raw"] == expected


@pytest.fixture
def swift_service(tmp_path, settings, monkeypatch) -> Iterator[S3Store]:
    """The service on Swift's S3, the strictest store at hand."""
    with running_swift(tmp_path) as url:
        boto3.client(
            "s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id=USER, aws_secret_access_key=SECRET
        ).create_bucket(Bucket="lab")
        store = s3_store_at(url, bucket="lab", key_id=USER, secret=SECRET)
        use_s3(settings, monkeypatch, store)
        yield store
    object_store.cache_clear()


@pytest.mark.slow
def test_the_store_puts_large_archives_together(db, swift_service, tmp_path, monkeypatch):
    """Two hundred MiB and small files between: under a tenth of the bytes pass through us."""
    run, chance, data = make_run(), random.Random(5), {}
    for number in range(3):
        data[f"{number}.raw"] = chance.randbytes(70 * MIB + number)
        data[f"{number}.txt"] = chance.randbytes(number * 100)
    for name, body in data.items():
        key = f"test/{secrets.token_hex(8)}"
        swift_service.put(key, io.BytesIO(body), size_bytes=len(body), content_type="x/y")
        record(run, name, key=key, size=len(body), crc32=f"{zlib.crc32(body):08x}").save()
    passed = count_passed_bytes(swift_service, monkeypatch)

    archive = saved(built(run), tmp_path / "out")

    assert refused_by(archive) == []
    found = extracted(archive, tmp_path / "out" / "jail")
    assert {name: found[name] for name in data} == {
        name: hashlib.sha256(body).hexdigest() for name, body in data.items()
    }
    assert sum(passed) < sum(map(len, data.values())) / 10


def count_passed_bytes(store, monkeypatch) -> list[int]:
    """The sizes of everything this process sends as a part."""
    passed: list[int] = []
    send = store.put_part

    def put_part(key, *, upload_id, part_number, data):
        passed.append(len(data))
        return send(key, upload_id=upload_id, part_number=part_number, data=data)

    monkeypatch.setattr(store, "put_part", put_part)
    return passed


def test_files_that_are_not_worth_copying_are_sent(db, tmp_path, monkeypatch):
    monkeypatch.setattr("archives.builder.can_copy", lambda members, *, store: True)
    run = make_run()
    make_stored_file("small.csv", b"abc", run=run)

    archive = saved(built(run), tmp_path / "out")

    assert refused_by(archive) == []
    assert extracted(archive, tmp_path / "out" / "jail")["small.csv"] == hashlib.sha256(b"abc").hexdigest()
