"""A local store in a web process of its own, to be measured and killed: `uvicorn --factory …lone_server:app`."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django

from files.storage.local import LocalStore
from files.storage.object_server import ObjectServer
from tests.live_server import address_of, empty_app, listening
from wire.asgi import ASGIApp

ROOT = Path(__file__).parents[3]


def app() -> ASGIApp:
    django.setup()
    from web.server.dispatch import Dispatcher  # its refusals are written by Django, which is set up by now

    prefix = os.environ.get("STORE_ACCEL_PREFIX", "")
    store = local_store(Path(os.environ["STORE_ROOT"]), "http://127.0.0.1")
    objects = ObjectServer(store, accel_prefix=prefix)
    return Dispatcher(django=empty_app, lifespan=empty_app, objects=objects)


def local_store(root: Path, base_url: str) -> LocalStore:
    return LocalStore(root=root, bucket="local", secret="of the suite", base_url=base_url)


@contextmanager
def running(root: Path, *, accel_prefix: str = "") -> Iterator[tuple[LocalStore, subprocess.Popen[bytes]]]:
    """The store, and the web process that answers its URLs."""
    with listening() as sock:
        command = [sys.executable, "-m", "uvicorn", "--factory", f"{__name__}:app", "--fd", str(sock.fileno())]
        quiet = ["--no-access-log", "--log-level", "warning"]
        environment = os.environ | {"STORE_ROOT": str(root), "STORE_ACCEL_PREFIX": accel_prefix}
        server = subprocess.Popen([*command, *quiet], cwd=ROOT, env=environment, pass_fds=[sock.fileno()])
        try:
            yield local_store(root, address_of(sock)), server
        finally:
            server.kill()
            server.wait()
