"""The program: runs itself, or hands over to the version that the service's admins chose.

Little is imported before that is decided: what runs in a version's place must work whatever the version breaks, and the
supervisor of a service stays for months.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from instrument_watcher.home import Home, find_home
from instrument_watcher.releases.supervisor import Supervisor, command_of, environment_of
from instrument_watcher.releases.versions import BASE, RUNS_AS, StateLocked, Versions

OF_THE_BASE = ("service",)  # services start the base, which is there whatever becomes of a release


def main() -> None:
    try:
        run_chosen(sys.argv[1:])
    except StateLocked as locked:
        raise SystemExit(str(locked)) from None


def run_chosen(arguments: Sequence[str]) -> None:
    """Raises StateLocked."""
    versions = Versions(_home_of(arguments).versions)
    command = next((word for word in arguments if not word.startswith("-")), "")
    if RUNS_AS in os.environ or command in OF_THE_BASE or not _is_to_hand_over(versions):
        from instrument_watcher.cli.main import main as run

        run()
    elif command == "run":
        raise SystemExit(supervise(versions, arguments))
    else:
        _hand_over(versions, arguments)


def supervise(versions: Versions, arguments: Sequence[str]) -> int:
    """In the foreground, until Ctrl-C or another request to end."""
    supervisor = Supervisor(versions, arguments)

    def end(number: int, frame: FrameType | None) -> None:
        supervisor.stop()

    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)
    return supervisor.run()


def _is_to_hand_over(versions: Versions) -> bool:
    try:
        return versions.is_in_use() and versions.is_trusted()
    except OSError:
        return False


def _hand_over(versions: Versions, arguments: Sequence[str]) -> NoReturn:
    name = versions.state.current
    command = command_of(versions, name if versions.packages(name).is_dir() else BASE, arguments)
    if sys.platform == "win32":
        raise SystemExit(subprocess.call(command, env=environment_of(name)))
    os.execve(command[0], command, environment_of(name))


def _home_of(arguments: Sequence[str]) -> Home:
    """As the command line says, before anything can read it as a whole."""
    for at, word in enumerate(arguments):
        if word == "--home" and at + 1 < len(arguments):
            return find_home(Path(arguments[at + 1]))
        if word.startswith("--home="):
            return find_home(Path(word.partition("=")[2]))
    return find_home(None)
