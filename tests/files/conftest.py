"""The service with its object store answering on loopback, as a client meets it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from files.storage import object_store
from files.storage.interface import MIB, ObjectStore
from files.storage.local import LocalStore
from files.storage.object_server import ObjectServer
from files.storage.s3 import S3Store
from tests import radosgw
from tests.live_server import address_of, empty_app, listening, serving
from tests.stores import empty, s3_store_at, use_files, use_s3
from web.server.dispatch import Dispatcher


@pytest.fixture
def local_service(tmp_path: Path, settings: Any) -> Iterator[LocalStore]:
    """The local store, behind the service's own front door."""
    with listening() as sock:
        settings.PUBLIC_URL = address_of(sock)
        use_files(settings, tmp_path / "objects")
        store = object_store()
        assert isinstance(store, LocalStore)
        with serving(Dispatcher(django=empty_app, lifespan=empty_app, objects=ObjectServer(store)), sock):
            yield store
    object_store.cache_clear()


@pytest.fixture(scope="session")
def s3_store() -> Iterator[S3Store]:
    """The S3 adapter on a bucket of its own."""
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    keys = {"aws_access_key_id": "files", "aws_secret_access_key": "secret"}
    boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys).create_bucket(Bucket="lab")
    yield s3_store_at(url, bucket="lab")
    server.stop()


@pytest.fixture
def s3_service(s3_store: S3Store, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Store]:
    """The service on S3."""
    yield from serve_from(s3_store, settings, monkeypatch)


@pytest.fixture(scope="session")
def radosgw_store(radosgw_url: str) -> S3Store:
    keys = {"aws_access_key_id": radosgw.USER, "aws_secret_access_key": radosgw.SECRET}
    boto3.client("s3", endpoint_url=radosgw_url, region_name="us-east-1", **keys).create_bucket(Bucket="lab")
    return s3_store_at(radosgw_url, bucket="lab", key_id=radosgw.USER, secret=radosgw.SECRET)


@pytest.fixture
def radosgw_service(radosgw_store: S3Store, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Store]:
    """The service on a real radosgw."""
    yield from serve_from(radosgw_store, settings, monkeypatch)


@pytest.fixture(params=["local", "s3", pytest.param("radosgw", marks=pytest.mark.stores)])
def store(request: pytest.FixtureRequest) -> ObjectStore:
    """Whichever store the service runs on."""
    return request.getfixturevalue(f"{request.param}_service")


@pytest.fixture(params=["s3", pytest.param("radosgw", marks=pytest.mark.stores)])
def unchecking_service(request: pytest.FixtureRequest) -> S3Store:
    """The service on stores that compare no checksums."""
    return request.getfixturevalue(f"{request.param}_service")


def serve_from(store: S3Store, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Store]:
    """The service on this store."""
    use_s3(settings, monkeypatch, store)
    yield store
    object_store.cache_clear()
    empty(store)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploads go in parts of 5 MiB from 6 MiB on, so that a test need not move hundreds of them."""
    monkeypatch.setattr("files.uploads.multipart.MULTIPART_FROM_BYTES", 6 * MIB)
    monkeypatch.setattr("files.uploads.multipart.DEFAULT_PART_SIZE", 5 * MIB)
