"""The object store is down, slow, or tears answers in the middle: what needs no store goes on, the rest is 503."""

import hashlib
import io
import os
import time
import zipfile
from collections.abc import Iterator

import boto3
import pytest
import requests
from botocore.exceptions import ClientError
from moto.server import ThreadedMotoServer

from tests.faults.checker import differences, embedded_database
from tests.faults.journal import ready_archive, store_run, wait_until
from tests.faults.load import NO_ANSWER, Load
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
    with Load(service.url, token, scripts=8, name=way) as load:
        time.sleep(2)
        proxy.mode = way
        away = time.monotonic()
        assert call("GET", f"{path}/download-archive").status_code == 202
        time.sleep(AWAY_SECONDS)
        health = requests.get(f"{service.url}/readyz", timeout=30)
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
    assert any(entry.status in (503, NO_ANSWER) for entry in entries if entry.began > away) or way == "torn"
    assert {entry.status for entry in entries if entry.began > settled} <= {200, 201}
    assert {name: digest(archive.read(name)) for name in data} == {name: digest(part) for name, part in data.items()}
    assert differences(embedded_database(service.data), reader(bucket), load.journal) == []


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_the_store_that_was_away_is_used_again_at_once(service, call, proxy):
    proxy.mode = "down"
    assert call("POST", "/instruments/faults-1/runs", {"run_id": "again"}).status_code == 201
    proxy.mode = "open"

    wait_until(lambda: requests.get(f"{service.url}/readyz", timeout=30).json()["status"] == "ok", seconds=10, why="ok")

    store_run(call, "again", {"a.raw": b"bytes"})
