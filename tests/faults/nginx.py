"""The shipped reverse proxy, as deploy/nginx.conf has it, before web servers on other ports. Needs Debian's `nginx`."""

import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import create_connection

from operations.embedded.unprivileged import change_owner, choose_identity
from tests.service import CHECKOUT

START_SECONDS = 60
MAIN = """
daemon off;
error_log {folder}/error.log warn;
pid {folder}/pid;
events {{ worker_connections 1024; }}
http {{
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/unused;
    uwsgi_temp_path {folder}/unused;
    scgi_temp_path {folder}/unused;
{shipped}
}}
"""


def find_nginx() -> str | None:
    """Debian keeps it where only root looks."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def adapt_shipped(
    ports: Sequence[int], *, port: int, folder: Path, objects: Path | None = None, beside: str = ""
) -> str:
    """deploy/nginx.conf with these ports and objects, on loopback, without TLS and its redirect; all else as it is.

    `beside`: more locations.
    """
    text = (CHECKOUT / "deploy" / "nginx.conf").read_text()
    for shipped, ours in zip((8001, 8002), ports, strict=True):
        text = text.replace(f"127.0.0.1:{shipped}", f"127.0.0.1:{ours}")
    text = re.sub(r"server \{\n    listen 80;.*?\n\}\n", "", text, flags=re.S)
    text = re.sub(r"\n    ssl_.*", "", text).replace("listen 443 ssl http2;", f"listen 127.0.0.1:{port};")
    text = text.replace("    location / {\n", f"{beside}\n    location / {{\n")
    if objects is not None:
        text = text.replace("/var/lib/ids/objects/", f"{objects}/")
    return text.replace("/var/log/nginx", str(folder)).replace("lab-data.example", "127.0.0.1")


@contextmanager
def running_nginx(
    ports: Sequence[int], *, port: int, folder: Path, objects: Path | None = None, beside: str = ""
) -> Iterator[None]:
    folder.mkdir()
    config = folder / "nginx.conf"
    shipped = adapt_shipped(ports, port=port, folder=folder, objects=objects, beside=beside)
    config.write_text(MAIN.format(folder=folder, shipped=shipped))
    identity = choose_identity()
    if identity.user is not None:
        change_owner(folder, identity.user)
    command = [*identity.prefix, find_nginx() or "nginx", "-p", str(folder), "-c", str(config), "-e", "stderr"]
    with (folder / "said").open("wb") as output:
        child = subprocess.Popen(command, stdout=output, stderr=output, user=identity.user, group=identity.user)
    try:
        _wait_for(port, folder / "said")
        yield
    finally:
        child.terminate()
        child.wait(30)


def _wait_for(port: int, said: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        with suppress(OSError):
            create_connection(("127.0.0.1", port), timeout=5).close()
            return
        assert time.monotonic() < deadline, said.read_text()
        time.sleep(0.05)
