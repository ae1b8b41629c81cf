"""A Windows computer beside an instrument, as the tests use it: its disk, its commands, its services, its agent."""

import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent.tests.lab import Lab
from tests.windows.wine import PYTHON, Wine

PROGRAM = "C:\\Program Files\\Instrument Watcher\\instrument-watcher.exe"
UNINSTALL = "C:\\Program Files\\Instrument Watcher\\uninstall.exe"
HOME = "ProgramData/InstrumentWatcher"
WAIT_SECONDS = 120
LOST_BY_WINE = ": Internal error."  # 1359, of which agent.tests.lab.begin_process tells
UPLOAD_SECONDS = 420  # an answer that wine loses is waited for as long as the agent waits for the store: 300 s
HOLD = """
import sys, time, win32con, win32file
share = win32con.FILE_SHARE_READ if sys.argv[2] == "readable" else 0
handle = win32file.CreateFile(sys.argv[1], win32con.GENERIC_WRITE, share, None, win32con.OPEN_ALWAYS, 0, None)
win32file.SetFilePointer(handle, 0, win32con.FILE_END)
print("held", flush=True)
time.sleep(600)
"""


def run_installer(windows: Wine, installer: Path, *options: str) -> int:
    """The exit code of the silent installer."""
    shutil.copy(installer, windows.drive / "setup.exe")
    return windows.run("C:\\setup.exe", "/S", *options, seconds=300).returncode


class Computer(Lab):
    """A laboratory whose agent is the installed one. `folder` is the instrument's, on a drive of its own."""

    def __init__(self, windows: Wine, *, url: str, token: str, helper: str, instrument: str) -> None:
        self.windows = windows
        super().__init__(windows.prefix / "disk", url=url, token=token, helper=helper, instrument=instrument)
        self.home = windows.drive / HOME
        self.drive_letter = windows.prefix / "dosdevices" / "d:"
        self.attach_drive()

    def attach_drive(self) -> None:
        self.drive_letter.symlink_to(self.folder)

    def detach_drive(self) -> None:
        self.drive_letter.unlink()

    def install(self, installer: Path, *options: str) -> int:
        return run_installer(self.windows, installer, *options)

    def uninstall(self) -> None:
        """The uninstaller copies itself and leaves at once; with _?= it stays, and so does its own file."""
        self.windows.run(UNINSTALL, "/S", "_?=C:\\Program Files\\Instrument Watcher", seconds=300)

    def agent_says(self, *arguments: str, code: int = 0) -> Any:
        """What the installed command answers with --json, asked again where wine, on a busy computer, lost it."""
        for _ in range(2):
            done = self.windows.run(PROGRAM, *arguments, "--json", INSTRUMENT_WATCHER_TOKEN=self.token)
            if done.returncode == code or LOST_BY_WINE not in done.stdout:
                break
        assert done.returncode == code, f"{arguments}: {done.returncode} {done.stdout}"
        return json.loads(done.stdout)

    def set_up(self, *options: str) -> None:
        """As the wizard would, and in haste."""
        self.agent_says(
            "init", "--server", self.url, "--instrument", self.instrument, "--folder", "D:\\",
            "--group-by", "top_folder", "--stability", "0.5", *options,
        )  # fmt: skip
        self.set(rescan_seconds=3, heartbeat_seconds=2)

    def state(self) -> str:
        return str(self.agent_says("service", "status")["state"])

    def service_pids(self) -> list[int]:
        """The processes of the service, as this system numbers them; of a release that runs its supervisor's."""
        found = []
        for process in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = process.read_bytes().split(b"\0")
                owner = (process.parent / "environ").read_bytes()
            except OSError:
                continue
            if any(word.endswith(b"windows_host.py") for word in words) and str(self.windows.prefix).encode() in owner:
                found.append(int(process.parent.name))
        return found

    def hold(self, path: str, *, readable: bool) -> "subprocess.Popen[bytes]":
        """Another program that has a file open for writing, and lets others read it or not."""
        said = self.windows.drive / "held.txt"
        said.unlink(missing_ok=True)
        how = "readable" if readable else "alone"
        place = "D:\\" + path.replace("/", "\\")
        holder = self.windows.start(PYTHON, "-c", HOLD, place, how, output=said)
        self.wait(lambda: "held" in said.read_text(), what=f"{path} is held")
        return holder

    def log(self) -> str:
        place = self.home / "logs" / "agent.log"
        return place.read_text(encoding="utf-8") if place.exists() else "no log"

    def set_up_log(self) -> str:
        """What the agent answered to the silent installer."""
        place = self.windows.drive / "Program Files/Instrument Watcher/set-up.log"
        return place.read_text(errors="replace") if place.exists() else "no log"

    def wait(self, condition: Callable[[], Any], *, what: str, seconds: float = WAIT_SECONDS) -> Any:
        deadline = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < deadline, f"{what} did not come true; the log: {self.log()[-3000:]}"
            time.sleep(0.3)
        return value

    def wait_uploaded(self, *paths: str) -> dict[str, dict[str, Any]]:
        """The stored files by path, once these are among them."""
        self.wait(
            lambda: set(paths) <= {path for _, path in self.stored()},
            what=f"{paths} are uploaded",
            seconds=UPLOAD_SECONDS,
        )
        return {path: file for (_, path), file in self.stored().items()}
