"""The stores that the contract suite is run against, each answering HTTP on loopback."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

from files.storage.interface import ObjectStore
from files.storage.local import LocalStore
from files.storage.object_server import ObjectServer
from files.storage.s3 import S3Store
from tests import radosgw as radosgw_rig
from tests.files.storage.referee import SECRET, USER, running_swift
from tests.live_server import address_of, empty_app, listening, serving
from tests.stores import empty, s3_store_at
from web.server.dispatch import Dispatcher

SLOW_SWIFT = pytest.param("swift", marks=pytest.mark.slow)
RADOSGW = pytest.param("radosgw", marks=pytest.mark.stores)


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStore]:
    with local_store_at(tmp_path_factory.mktemp("local")) as store:
        yield store


@pytest.fixture
def local_store(local: LocalStore) -> Iterator[LocalStore]:
    yield local
    empty(local)


@pytest.fixture(scope="session")
def moto_url() -> Iterator[str]:
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(scope="session")
def moto(moto_url: str) -> S3Store:
    return s3_store(moto_url, "suite", "secret")


@pytest.fixture(scope="session")
def swift(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Store]:
    with running_swift(tmp_path_factory.mktemp("swift")) as url:
        yield s3_store(url, USER, SECRET)


@pytest.fixture(scope="session")
def radosgw(radosgw_url: str) -> S3Store:
    return s3_store(radosgw_url, radosgw_rig.USER, radosgw_rig.SECRET)


@pytest.fixture
def moto_store(moto: S3Store) -> Iterator[S3Store]:
    yield moto
    empty(moto)


@pytest.fixture
def swift_store(swift: S3Store) -> Iterator[S3Store]:
    yield swift
    empty(swift)


@pytest.fixture
def radosgw_store(radosgw: S3Store) -> Iterator[S3Store]:
    yield radosgw
    empty(radosgw)


@pytest.fixture(params=["local", "moto", SLOW_SWIFT, RADOSGW])
def store(request: pytest.FixtureRequest) -> ObjectStore:
    """Every adapter, on every store that speaks its language."""
    return request.getfixturevalue(f"{request.param}_store")


@pytest.fixture(params=["local", SLOW_SWIFT])
def strict_store(request: pytest.FixtureRequest) -> ObjectStore:
    """Those that check signatures, expiry and checksums; moto accepts anything."""
    return request.getfixturevalue(f"{request.param}_store")


@contextmanager
def local_store_at(
    root: Path, *, idle_seconds: float = 60, accel_prefix: str = "", group_reads: bool = False
) -> Iterator[LocalStore]:
    """A local store behind the service's own front door."""
    with listening() as sock:
        named = {"bucket": "local", "secret": "of the suite", "base_url": address_of(sock)}
        store = LocalStore(root=root, **named, group_reads=group_reads)
        objects = ObjectServer(store, idle_seconds=idle_seconds, accel_prefix=accel_prefix)
        with serving(Dispatcher(django=empty_app, lifespan=empty_app, objects=objects), sock):
            yield store


def s3_store(url: str, key_id: str, secret: str) -> S3Store:
    """An S3 adapter on a new bucket."""
    keys = {"aws_access_key_id": key_id, "aws_secret_access_key": secret}
    boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys).create_bucket(Bucket="suite")
    return s3_store_at(url, bucket="suite", key_id=key_id, secret=secret)
