"""Starts and stops the Swift of the contract suite, in an environment of its own."""

import hashlib
import shutil
import subprocess
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
LOCK = HERE / "swift-requirements.lock"
PACKAGES = ["--quiet", "--require-hashes", "--only-binary", ":all:", "--requirement", str(LOCK)]
USER, SECRET = "suite:keeper", "secret-of-the-suite"


@contextmanager
def running_swift(directory: Path) -> Iterator[str]:
    """The address of an empty Swift whose data lies in `directory`; that must be able to hold extended attributes."""
    command = [str(swift_python()), str(HERE / "swift_server.py"), str(directory)]
    with (directory / "log").open("wb") as log:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
    assert server.stdin
    assert server.stdout
    try:
        port = int(server.stdout.readline())
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stdin.close()
        server.stdout.close()
        server.wait(timeout=20)


def swift_python() -> Path:
    """The interpreter of the environment, installed once per change of the lock file. Wheels only; nothing is built."""
    version = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
    environment = HERE.parents[2] / "var" / f"swift-{version}"
    python = environment / "bin" / "python"
    if not (environment / "complete").exists():
        venv.create(environment, clear=True, with_pip=shutil.which("uv") is None)
        subprocess.run(installer(python), check=True)
        (environment / "complete").touch()
    return python


def installer(python: Path) -> list[str]:
    uv = shutil.which("uv")
    return (
        [uv, "pip", "install", "--python", str(python), *PACKAGES]
        if uv
        else [str(python), "-m", "pip", "install", *PACKAGES]
    )
