"""Runs the chosen version as a child, and goes back to the one before where a new one does not report in time."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from instrument_watcher.errors import ExitCode
from instrument_watcher.releases.versions import RUNS_AS, Versions

START = Path(__file__).with_name("start.py")  # a script: it imports what it is told to, which is no part of us
SUPERVISED = "INSTRUMENT_WATCHER_SUPERVISED"  # in the environment of the child: it ends when its stdin does
REPORT_WITHIN = 300.0
END_WITHIN = 40.0
POLL_SECONDS = 0.5
NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)


class Supervisor:
    """`run` blocks until `stop`, which any thread or signal handler may call, or until a version ends by itself.

    `output` is where the versions print to, as subprocess takes it; None is where this process does.
    """

    def __init__(self, versions: Versions, arguments: Sequence[str], *, output: int | None = None) -> None:
        self._versions, self._arguments, self._output = versions, arguments, output
        self._stopping = threading.Event()

    def stop(self) -> None:
        self._stopping.set()

    def run(self) -> int:
        """The exit code of the version that ran last."""
        while True:
            name = self._versions.begin()
            child = self._start(name)
            is_late = not self._wait(child, name)
            code = _end(child) if is_late or self._stopping.is_set() else child.wait()
            if self._stopping.is_set():
                return code
            if self._versions.is_on_trial(name):
                self._versions.fail(
                    f"It did not report within {REPORT_WITHIN:g} s."
                    if is_late
                    else f"It ended with code {code} before it reported."
                )
            elif code != ExitCode.RESTART and not is_late and self._versions.chosen() == name:
                return code

    def _start(self, name: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            command_of(self._versions, name, self._arguments),
            stdin=subprocess.PIPE,
            stdout=self._output,
            stderr=self._output,
            env=environment_of(name) | {SUPERVISED: "1"},
            creationflags=NO_WINDOW if _has_no_console() else 0,
        )

    def _wait(self, child: "subprocess.Popen[bytes]", name: str) -> bool:
        """Until it ends or is to end. False where it is on trial and was silent for too long."""
        deadline = time.monotonic() + REPORT_WITHIN
        is_on_trial = self._versions.is_on_trial(name)
        while child.poll() is None and not self._stopping.wait(POLL_SECONDS):
            is_on_trial = is_on_trial and self._versions.is_on_trial(name)
            if is_on_trial and time.monotonic() > deadline:
                return False
        return True


def command_of(versions: Versions, name: str, arguments: Sequence[str]) -> list[str]:
    return [sys.executable, str(START), str(versions.packages(name)), *arguments]


def environment_of(name: str) -> dict[str, str]:
    return {**os.environ, RUNS_AS: name}


def _end(child: "subprocess.Popen[bytes]") -> int:
    assert child.stdin is not None
    with suppress(OSError):
        child.stdin.close()
    try:
        return child.wait(END_WITHIN)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


def _has_no_console() -> bool:
    """As under Windows' service manager, where a child would open one."""
    return sys.stdout is None or not sys.stdout.isatty()
