"""A bare Debian that was switched on: systemd as its process 1, with a control group of its own."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

from tests.image.debian import SEARCHED, Debian, first_process, ways_out

BOOT_SECONDS, COMMAND_SECONDS = 60, 900


class Machine:
    """A context. Commands run as root's login shell would have them; the network is this machine's."""

    def __init__(self, debian: Debian, binds: Mapping[Path, str]) -> None:
        self.debian, self.binds = debian, binds
        self.group = find_control_groups() / f"ids-tests-{os.getpid()}"

    def __enter__(self) -> Self:
        self.group.mkdir()
        command, variables = self.debian.command(
            ["/lib/systemd/systemd", "--show-status=false"], {"container": "other"}, binds=self.binds
        )
        joining = ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(self.group)]
        self.outside = subprocess.Popen(
            [*joining, *command], env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        try:
            self._wait_until_booted()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.outside.send_signal(signal.SIGKILL)  # process 1 dies with it, and everything with process 1
        self.outside.wait()
        deadline = time.monotonic() + BOOT_SECONDS
        while self.group.exists() and time.monotonic() < deadline:
            for folder in (*sorted(self.group.rglob("*/"), reverse=True), self.group):
                with suppress(OSError):
                    folder.rmdir()
            time.sleep(0.1)

    def shell(
        self, script: str, *, place: str = "/", seconds: int = COMMAND_SECONDS
    ) -> subprocess.CompletedProcess[str]:
        given = {"PATH": SEARCHED, "HOME": "/root", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"} | ways_out()
        entered = ["nsenter", "--all", f"--target={first_process(self.outside)}"]
        inner = ["env", "-i", "-C", place, *(f"{name}={value}" for name, value in given.items())]
        return subprocess.run(
            [*entered, *inner, "bash", "-e", "-o", "pipefail", "-c", script],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds,
        )  # fmt: skip

    def _wait_until_booted(self) -> None:
        deadline = time.monotonic() + BOOT_SECONDS
        while True:
            assert self.outside.poll() is None, "systemd ended"
            assert time.monotonic() < deadline, "systemd did not come up"
            with suppress(OSError, IndexError):
                if self.shell("systemctl is-system-running || true").stdout.strip() in {"running", "degraded"}:
                    return
            time.sleep(0.2)


def find_control_groups() -> Path:
    """Where the unified hierarchy is mounted."""
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    return next(Path(mount[1]) for mount in mounts if mount[2] == "cgroup2")
