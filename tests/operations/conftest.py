"""The embedded PostgreSQL, driven as the supervisor drives it."""

import shutil

import pytest

from tests.operations.clusters import postgres_in


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A cluster that was started once: copies of it start faster than new ones."""
    server = postgres_in(tmp_path_factory.mktemp("cluster"))
    server.start()
    server.stop()
    return server.cluster


@pytest.fixture
def clone(cluster, tmp_path):
    shutil.copytree(cluster, tmp_path / "postgres")
    shutil.copytree(cluster.with_name("passwords"), tmp_path / "passwords")
    return tmp_path


@pytest.fixture
def postgres(clone):
    server = postgres_in(clone)
    server.start()
    yield server
    server.stop()
