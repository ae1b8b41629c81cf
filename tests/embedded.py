"""The pytest plug-in (`-p tests.embedded`) that gives a test session its own PostgreSQL and Valkey.

It runs before the settings are read, once: pytest-xdist's workers find the addresses in the environment they inherit.
Each part stays off when its variable is set, as with `./ids serve`.
"""

import os
import secrets
import tempfile
from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

import config.celery  # noqa: F401 (binds the tasks to their broker)
from operations.embedded.passwords import password_of
from operations.embedded.postgres import OWNER, SERVICE, Postgres
from operations.embedded.valkey import Valkey

_running = ExitStack()
SERVICE_PASSWORD = "IDS_TESTS_SERVICE_PASSWORD"  # of the service's role, for tests of what it may not do


def service_login() -> dict[str, str | None]:
    """The service's role in place of the owner's, as which tests work; without a password where none was made here."""
    return {"user": SERVICE, "password": os.environ.get(SERVICE_PASSWORD)}


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Generator[None]:
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        _start_servers()
    else:
        _keep_apart(worker)
    return (yield)


def _start_servers() -> None:
    data = Path(_running.enter_context(tempfile.TemporaryDirectory(prefix="ids-tests-")))
    os.environ["IDS_DATA"] = str(data)
    os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(40))
    os.environ.setdefault("PRIVATE_HOSTS", "127.0.0.1,localhost")  # where tests play the services outside
    sockets = data / "run"
    sockets.mkdir(mode=0o700)
    if "DATABASE_URL" not in os.environ:
        postgres = Postgres(data=data, sockets=sockets, log=data / "postgres.log", durable=False)
        _begin(postgres.start, postgres.stop)
        os.environ["DATABASE_URL"] = postgres.url(OWNER)
        os.environ[SERVICE_PASSWORD] = password_of(data, SERVICE)
    if "REDIS_URL" not in os.environ:
        valkey = Valkey(data=data, sockets=sockets, log=data / "valkey.log", durable=False)
        _begin(valkey.start, valkey.stop)
        os.environ["REDIS_URL"] = valkey.url


def _keep_apart(worker: str) -> None:
    """Workers share the servers, not what they keep there. (pytest-django gives each a database of its own.)"""
    data = Path(os.environ["IDS_DATA"])
    own = data / worker
    own.mkdir(exist_ok=True)
    os.environ["IDS_DATA"] = str(own)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(own / "metrics")  # the first process has set its own
    if str(data) in os.environ["REDIS_URL"]:
        os.environ["REDIS_URL"] = os.environ["REDIS_URL"].replace("db=0", f"db={int(worker.removeprefix('gw')) + 1}")


def _begin(start: Callable[[], None], stop: Callable[[], None]) -> None:
    _running.callback(stop)
    start()


def pytest_unconfigure() -> None:
    _running.close()
