"""The agent as a systemd unit: of the system where root installs it, else of the user."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from instrument_watcher.home import Home
from instrument_watcher.platforms.service_manager import (
    DESCRIPTION,
    NO_RESTART,
    NotInstalled,
    ServiceManagerFailed,
    ServiceState,
)

assert sys.platform != "win32", "managers.py chooses"

import pwd  # noqa: E402 there is none on Windows, and the type checker reads on for both platforms

SYSTEM_UNITS = Path("/etc/systemd/system")
RUNNING = Path("/run/systemd/system")  # sd_booted(3)
UNIT = """\
[Unit]
Description={description}
Wants=network-online.target
After=network-online.target

[Service]
ExecStart={command}
{user}Restart=always
RestartSec=10
# Where only a person can help, starting again cannot.
RestartPreventExitStatus={no_restart}
TimeoutStopSec=45
# The instrument's own software goes first.
Nice=5
IOSchedulingClass=best-effort
IOSchedulingPriority=6
NoNewPrivileges=true

[Install]
WantedBy={wanted_by}
"""


class Systemd:
    def __init__(self, name: str) -> None:
        self._unit = f"{name}.service"
        self._is_system = os.geteuid() == 0

    @property
    def path(self) -> Path:
        if self._is_system:
            return SYSTEM_UNITS / self._unit
        config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        return config / "systemd" / "user" / self._unit

    def install(self, home: Home) -> list[str]:
        self._refuse_absence()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(self.unit_text(home), encoding="utf-8")
        except OSError as error:
            raise ServiceManagerFailed(f"{self.path} cannot be written: {error.strerror}.") from None
        self._systemctl("daemon-reload")
        self._systemctl("enable", self._unit)
        self._systemctl("restart", self._unit)
        return [f"Unit {self.path}", f"Log: journalctl {self._scope()}-u {self._unit} -f", *self._linger_hint()]

    def uninstall(self) -> None:
        self._refuse_not_installed()
        self._systemctl("disable", "--now", self._unit)
        self.path.unlink()
        self._systemctl("daemon-reload")

    def start(self) -> None:
        self._refuse_not_installed()
        self._systemctl("start", self._unit)

    def stop(self) -> None:
        self._refuse_not_installed()
        self._systemctl("stop", self._unit)

    def state(self) -> ServiceState:
        if not self.path.exists():
            return ServiceState(is_installed=False, is_running=False, word="not installed")
        word = self._systemctl("is-active", self._unit, may_fail=True) or "unknown"
        return ServiceState(is_installed=True, is_running=word == "active", word=word)

    def unit_text(self, home: Home) -> str:
        """The service of the system runs as the owner of the home, never as anybody with more rights."""
        command = [sys.executable, "-m", "instrument_watcher", "run", "--home", str(home.folder)]
        user = f"User={pwd.getpwuid(home.folder.stat().st_uid).pw_name}\n" if self._is_system else ""
        return UNIT.format(
            description=DESCRIPTION,
            command=" ".join(quoted(word) for word in command),
            user=user,
            no_restart=" ".join(str(int(code)) for code in NO_RESTART),
            wanted_by="multi-user.target" if self._is_system else "default.target",
        )

    def _linger_hint(self) -> list[str]:
        if self._is_system:
            return []
        user = pwd.getpwuid(os.geteuid()).pw_name
        return [f"It runs while {user} is logged in. To run it always: sudo loginctl enable-linger {user}"]

    def _scope(self) -> str:
        return "" if self._is_system else "--user "

    def _refuse_absence(self) -> None:
        if shutil.which("systemctl") is None or not RUNNING.exists():
            raise ServiceManagerFailed(
                "No systemd runs on this machine.",
                remedy="Let your own service manager start: instrument-watcher run",
            )

    def _refuse_not_installed(self) -> None:
        if not self.path.exists():
            raise NotInstalled

    def _systemctl(self, *arguments: str, may_fail: bool = False) -> str:
        scope = [] if self._is_system else ["--user"]
        try:
            done = subprocess.run(
                ["systemctl", *scope, *arguments], capture_output=True, text=True, timeout=90, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ServiceManagerFailed(f"systemctl {arguments[0]}: {error}") from None
        if done.returncode and not may_fail:
            raise ServiceManagerFailed(f"systemctl {arguments[0]}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout.strip()


def names_of_this_installation() -> list[str]:
    program = f"ExecStart={quoted(sys.executable)} {quoted('-m')} {quoted('instrument_watcher')} "
    units = sorted(Systemd("any").path.parent.glob("*.service"))
    return [unit.stem for unit in units if program in unit.read_text(encoding="utf-8", errors="replace")]


def quoted(word: str) -> str:
    """One word of a command line in a unit file (systemd.service(5), "Command lines"; systemd.syntax(7), "Quoting")."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'
