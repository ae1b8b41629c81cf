"""The service with its object store answering on loopback, as a client meets it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from config.dispatch import Dispatcher
from files.storage import object_store
from files.storage.local import LocalStore
from files.storage.port import MIB, ObjectStore
from files.storage.s3 import S3Store
from files.storage.serving import ObjectServer
from tests.stores import empty
from tests.web import address_of, empty_app, listening, serving


@pytest.fixture
def local_service(tmp_path: Path, settings: Any) -> Iterator[LocalStore]:
    """The local store, behind the service's own front door."""
    with listening() as sock:
        settings.PUBLIC_URL = address_of(sock)
        settings.OBJECT_STORE = {"kind": "local", "bucket": "local", "root": tmp_path / "objects"}
        object_store.cache_clear()
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
    yield S3Store(bucket="lab", endpoint_url=url, access_key_id="files", secret_access_key="secret")
    server.stop()


@pytest.fixture
def s3_service(s3_store: S3Store, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Store]:
    """The service on S3."""
    settings.OBJECT_STORE = {"kind": "s3"}
    monkeypatch.setattr("files.storage.S3Store", lambda: s3_store)  # making its clients takes a second
    object_store.cache_clear()
    yield s3_store
    object_store.cache_clear()
    empty(s3_store)


@pytest.fixture(params=["local", "s3"])
def store(request: pytest.FixtureRequest) -> ObjectStore:
    """Whichever store the service runs on."""
    return request.getfixturevalue(f"{request.param}_service")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploads go in parts of 5 MiB from 6 MiB on, so that a test need not move hundreds of them."""
    monkeypatch.setattr("files.multipart.LARGE", 6 * MIB)
    monkeypatch.setattr("files.multipart.PART_SIZE", 5 * MIB)
