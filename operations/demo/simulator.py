"""The simulated instrument of `./ids serve --demo`, and the real agent beside it: `player.py FOLDER SERVER PYTHON`.

FOLDER/instrument is where it writes; FOLDER/agent is the agent's home; PYTHON has the agent's packages. It needs
nothing but the standard library and knows the service by its public API, like any instrument's computer.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import urllib.request
from datetime import UTC, datetime
from pathlib import Path

from operations.demo.measurements import build_measurement_files, format_run_name

INSTRUMENT, NAME = "multimode-reader-simulated", "Multimode reader (simulated)"
SECRETS_FILE = "laboratory.json"
AGENT_SOURCE = Path(__file__).resolve().parents[2] / "agent" / "src"
STABILITY_SECONDS = 1.0  # seconds without a change after which a file is complete
WRITE_SECONDS = 0.6  # seconds that the instrument takes for one file
FIRST_RUN_DELAY_SECONDS, MAX_RUN_DELAY_SECONDS = (
    12.0,
    300.0,
)  # seconds between runs; it tires, so that a demo left alone stays small
HEARTBEAT_SECONDS = 60.0
FINAL_EXIT_CODES = (0, 2, 3, 5, 6)  # exit codes of the agent; the same as in its systemd unit
RESTART_DELAY_SECONDS = 5.0  # seconds before an agent that ended otherwise is started again


def main() -> None:
    folder, server, python = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    secrets, stop = json.loads((folder / SECRETS_FILE).read_text()), threading.Event()
    (folder / "instrument").mkdir(exist_ok=True)
    agent = AgentProcess(folder, server, python, token=secrets["agent"], stop=stop)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    for work in (
        agent.keep_running,
        lambda: simulate_runs(folder / "instrument", stop),
        lambda: send_heartbeats(secrets["computers"], server, stop),
    ):
        threading.Thread(target=work, daemon=True).start()
    stop.wait()
    agent.stop()


def simulate_runs(folder: Path, stop: threading.Event) -> None:
    """One run after the other, each in a folder of its own, as many as there is time."""
    pause = FIRST_RUN_DELAY_SECONDS
    for number in range(1 + sum(1 for _ in folder.iterdir()), sys.maxsize):
        at = datetime.now(UTC)
        run = folder / format_run_name(number, at=at)
        run.mkdir(exist_ok=True)
        for name, data in build_measurement_files(number, at=at):
            if write_slowly(run / name, data, stop):
                return
        if stop.wait(pause):
            return
        pause = min(pause * 1.15, MAX_RUN_DELAY_SECONDS)


def write_slowly(file: Path, data: bytes, stop: threading.Event) -> bool:
    """As instruments do, under another name until it is whole. True once everything is to stop."""
    part = file.with_name(f"{file.name}.part")
    with part.open("wb") as stream:
        for piece in (data[: len(data) // 2], data[len(data) // 2 :]):
            stream.write(piece)
            stream.flush()
            if stop.wait(WRITE_SECONDS / 2):
                return True
    part.replace(file)
    return False


class AgentProcess:
    """instrument-watcher as an operator runs it: set up by `init`, then `run`."""

    def __init__(self, folder: Path, server: str, python: str, *, token: str, stop: threading.Event) -> None:
        self._folder, self._server, self._python, self._stop = folder, server, python, stop
        mine = {"INSTRUMENT_WATCHER_HOME": str(folder / "agent"), "PYTHONPATH": str(AGENT_SOURCE)}
        self._environ = {**os.environ, **mine}
        self._init_environ = {**self._environ, "INSTRUMENT_WATCHER_TOKEN": token}
        self._child: subprocess.Popen[bytes] | None = None
        self._child_lock = threading.Lock()

    def keep_running(self) -> None:
        """Until everything stops, or it ended for a reason that starting it again does not mend."""
        options = ["--server", self._server, "--instrument", INSTRUMENT, "--folder", str(self._folder / "instrument")]
        options += ["--group-by", "top_folder", "--stability", str(STABILITY_SECONDS), "--mode", "auto"]
        while not self._stop.is_set():
            code = self._run_command("init", "--yes", *options, environ=self._init_environ)
            code = code or self._run_command("run", environ=self._environ)
            if code in FINAL_EXIT_CODES and not self._stop.is_set():
                sys.stdout.write(f"The agent ended with code {code}; it begins anew with the next start of the demo.\n")
                sys.stdout.flush()
                return
            self._stop.wait(RESTART_DELAY_SECONDS)

    def stop(self) -> None:
        """Let it report that it stops."""
        with self._child_lock:
            child = self._child
        if child is not None:
            child.terminate()
            child.wait()

    def _run_command(self, *arguments: str, environ: dict[str, str]) -> int:
        with self._child_lock:
            if self._stop.is_set():
                return 0
            self._child = subprocess.Popen([self._python, "-m", "instrument_watcher", *arguments], env=environ)
        return self._child.wait()


def send_heartbeats(computers: dict[str, str], server: str, stop: threading.Event) -> None:
    """Signs of life from the computers beside the other instruments, which exist as rows only."""
    while not stop.is_set():
        for watcher, token in computers.items():
            send_heartbeat(f"{server}/api/v1/watchers/{watcher}/heartbeat", token)
        stop.wait(HEARTBEAT_SECONDS)


def send_heartbeat(address: str, token: str) -> None:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(address, data=b'{"status": "watching"}', headers=headers)  # noqa: S310 our own
    with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=10):  # noqa: S310
        pass


if __name__ == "__main__":
    main()
