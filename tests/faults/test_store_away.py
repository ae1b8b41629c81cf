"""The object store is down, slow, or tears answers in the middle: what needs no store goes on, the rest is 503."""

import hashlib
import io
import os
import time
import zipfile
import zlib
from collections.abc import Iterator

import boto3
import pytest
import requests
from botocore.exceptions import ClientError
from moto.server import ThreadedMotoServer

from tests.faults.checker import differences, embedded_database
from tests.faults.journal import ready_archive, store_run, wait_until
from tests.faults.load import Load
from tests.faults.proxy import Proxy
from tests.service import Service

pytestmark = pytest.mark.faults

AWAY_SECONDS = 10
SETTLE_SECONDS = 3
KEYS = {"aws_access_key_id": "lab", "aws_secret_access_key": "secret", "region_name": "us-east-1"}


@pytest.fixture(scope="module")
def moto() -> Iterator[ThreadedMotoServer]:
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def bucket(moto):
    host, port = moto.get_host_and_port()
    client = boto3.client("s3", endpoint_url=f"http://{host}:{port}", **KEYS)
    client.create_bucket(Bucket="lab")
    return client


@pytest.fixture(scope="module")
def proxy(moto) -> Iterator[Proxy]:
    with Proxy(*moto.get_host_and_port()) as wire:
        yield wire


@pytest.fixture(scope="module")
def service(bucket, proxy, tmp_path_factory) -> Iterator[Service]:
    variables = {
        "S3_BUCKET": "lab",
        "S3_ENDPOINT_URL": proxy.url,
        "S3_REGION": "us-east-1",
        "S3_ACCESS_KEY_ID": "lab",
        "S3_SECRET_ACCESS_KEY": "secret",
        "JOB_LEASE_SECONDS": "3",
        "REQUESTS_PER_SECOND": "0",  # load is not what is limited
    }
    with Service(tmp_path_factory.mktemp("faults") / "data", **variables) as running:
        yield running


def reader(bucket):
    def read(key: str) -> bytes | None:
        try:
            return bucket.get_object(Bucket="lab", Key=key)["Body"].read()
        except ClientError:
            return None

    return read


@pytest.mark.parametrize("way", ["down", "slow", "torn"])
def test_only_what_needs_the_store_is_refused_and_archives_come_later(service, call, token, bucket, proxy, tell, way):
    data = {f"{n}.raw": os.urandom(3 * 2**20) for n in range(3)}
    path = store_run(call, f"packed-{way}", data)
    late = file_that_arrived(call, path)
    with Load(service.url, token, scripts=8, name=way) as load:
        time.sleep(2)
        proxy.mode = way
        assert call("GET", f"{path}/download-archive").status_code == 202
        time.sleep(AWAY_SECONDS)
        health = requests.get(f"{service.url}/readyz", timeout=30)
        said = call("PATCH", late, {"status": "uploaded"})
        proxy.mode = "open"
        back = time.monotonic()
        time.sleep(SETTLE_SECONDS)
        settled = time.monotonic()
        time.sleep(2)
    ready = ready_archive(call, path, seconds=60)
    waited = time.monotonic() - back

    archive = zipfile.ZipFile(io.BytesIO(requests.get(ready["download_url"], timeout=60).content))
    entries = load.journal.entries
    rows = [entry for entry in entries if entry.what in ("run", "comment")]
    tell(
        f"{way} for {AWAY_SECONDS} s; metadata routes slowest {max(row.seconds for row in rows):.1f} s; "
        f"archive ready {waited:.1f} s after; {load.journal.story()}"
    )
    assert health.status_code == 200
    assert way == "torn" or health.json()["status"] == "degraded"
    assert {row.status for row in rows} == {200, 201} or {row.status for row in rows} == {201}
    assert max(row.seconds for row in rows) < AWAY_SECONDS / 2
    assert {entry.status for entry in entries if entry.what in ("ticket", "uploaded")} <= {200, 503}
    assert load.journal.without_advice() == []
    assert said.status_code == (200 if way == "torn" else 503)  # what is torn are answers of over a megabyte
    assert call("PATCH", late, {"status": "uploaded"}).status_code == 200
    assert {entry.status for entry in entries if entry.began > settled} <= {200, 201}
    assert {name: digest(archive.read(name)) for name in data} == {name: digest(part) for name, part in data.items()}
    assert differences(embedded_database(service.data), reader(bucket), load.journal) == []


def file_that_arrived(call, run: str) -> str:
    """The path of a file whose bytes are in the store, and of which nobody has said so yet."""
    data = b"late"
    sums = {"sha256": digest(data), "crc32": f"{zlib.crc32(data):08x}"}
    about = {"filename": "late.raw", "size_bytes": len(data)} | sums
    ticket = call("POST", f"{run}/request-upload-url", about).json()
    assert requests.put(ticket["upload_url"], data=data, headers=ticket["headers"], timeout=60).ok
    return f"/files/{ticket['file_id']}"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_the_store_that_was_away_is_used_again_at_once(service, call, proxy):
    proxy.mode = "down"
    assert call("POST", "/instruments/faults-1/runs", {"run_id": "again"}).status_code == 201
    proxy.mode = "open"

    wait_until(lambda: requests.get(f"{service.url}/readyz", timeout=30).json()["status"] == "ok", seconds=30, why="ok")

    store_run(call, "again", {"a.raw": b"bytes"})
