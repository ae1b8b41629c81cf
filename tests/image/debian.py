"""A bare Debian to run things in: debootstrap's smallest root, in namespaces of its own but for the network.

Needs root's rights and Debian's `debootstrap`; `find_obstacle` says what is missing. Made once, below var/cache.
"""

import faulthandler
import os
import re
import shlex
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.service import CHECKOUT

RELEASE = "bookworm"
KEPT = CHECKOUT / "var" / "cache" / "image"
ENTER = Path(__file__).with_name("enter.sh")
PROGRAMS = ("debootstrap", "unshare", "pivot_root")
SEARCHED = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NAMESPACES = ("--mount", "--uts", "--ipc", "--cgroup", "--pid", "--fork", "--kill-child")
# How this machine reaches package indexes, which a machine of one's own would have configured.
WAYS_OUT = re.compile(r"PIP_\w+|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|npm_config_\w+|https?_proxy|no_proxy", re.I)
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


def find_obstacle() -> str | None:
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    return None if os.geteuid() == 0 else "only root may make a root"


def take_your_time() -> None:
    """No limit of pytest's on the test that runs, which takes longer than others; each command has its own."""
    faulthandler.cancel_dump_traceback_later()


def ways_out() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if WAYS_OUT.fullmatch(name)}


class Debian:
    """A root of one's own to change and to run commands in; what `run` starts ends with it, to the last process."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def command(
        self,
        words: Sequence[str],
        environ: Mapping[str, str],
        *,
        mode: str = "rw",
        binds: Mapping[Path, str] | None = None,
    ) -> tuple[list[str], dict[str, str]]:
        """What to start, with which variables; `binds` are directories of this machine and where they lie inside."""
        given = {"PATH": SEARCHED, "HOME": "/root", "LANG": "C.UTF-8"} | ways_out() | dict(environ)
        inner = ["/usr/bin/env", *(f"{name}={value}" for name, value in given.items()), *words]
        lines = "\n".join(f"{outside} {inside}" for outside, inside in (binds or {}).items())
        return ["unshare", *NAMESPACES, "sh", str(ENTER), str(self.root), mode, *inner], os.environ | {"BINDS": lines}

    def run(self, *words: str, environ: Mapping[str, str] | None = None, seconds: int = 1800) -> str:
        """What it says, on both channels."""
        command, variables = self.command(words, environ or {})
        done = subprocess.run(
            command, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=seconds,
        )  # fmt: skip
        assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout[-6000:]}"
        return done.stdout


def first_process(outside: subprocess.Popen[Any]) -> int:
    """Of the namespaces that it holds, by its number outside: all others there end with it."""
    children = Path(f"/proc/{outside.pid}/task/{outside.pid}/children").read_text().split()
    return int(children[0])


@contextmanager
def bare_debian() -> Iterator[Debian]:
    """A copy of the smallest root (220 MB), thrown away at the end."""
    base = KEPT / RELEASE
    if not base.exists():
        make_root(base)
    root = KEPT / f"{RELEASE}-{os.getpid()}"
    try:
        subprocess.run(["cp", "--archive", "--reflink=auto", base, root], check=True)
        yield Debian(root)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def make_root(base: Path) -> None:
    """Packages of Debian alone, and the ways out of this machine: names, certificates, settings that sudo keeps."""
    part = base.with_name(f"{base.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.parent.mkdir(parents=True, exist_ok=True)
    command = ["debootstrap", "--variant=minbase", "--include=ca-certificates", RELEASE, str(part)]
    subprocess.run(command, check=True, capture_output=True, timeout=1200)
    shutil.copy("/etc/resolv.conf", part / "etc" / "resolv.conf")
    shutil.copy(CERTIFICATES, part / CERTIFICATES.removeprefix("/"))
    name = socket.gethostname()  # as an installer writes it: sudo asks for it
    (part / "etc" / "hosts").write_text(f"127.0.0.1 localhost\n127.0.1.1 {name}\n")
    sudoers = part / "etc" / "sudoers.d"
    sudoers.mkdir(exist_ok=True)
    (sudoers / "ways-out").write_text(f'Defaults env_keep += "{" ".join(ways_out())}"\n')
    (sudoers / "ways-out").chmod(0o440)
    part.rename(base)
