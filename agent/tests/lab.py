"""A laboratory for one test: an instrument of the running service, a folder, and the agent as a real process."""

import hashlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import requests

from instrument_watcher.config.model import Config, GroupBy, Grouping
from instrument_watcher.config.writing import save_config, write_config
from instrument_watcher.home import Home
from instrument_watcher.instance import instance_id
from instrument_watcher.registering import register
from instrument_watcher.service.api import Service
from instrument_watcher.service.connection import Connection
from instrument_watcher.token_file import write_token

SOURCE = Path(__file__).parents[1] / "src"
PYTHON = os.environ.get("AGENT_PYTHON") or sys.executable  # another version, with the agent's packages
HASTY = Path(__file__).with_name("hasty.py")
BYTECODE = Path(__file__).parents[2] / "var" / "pycache"
END_FILE = "IDS_TESTS_END_FILE"  # hasty.py ends when it appears
DATA = Path("C:/data" if sys.platform == "win32" else "/data")  # a full path, which no test makes
PATIENCE = 3 if sys.platform == "win32" else 1
INTERNAL_ERROR = 1359  # of Windows
KIB, MIB = 1024, 1024 * 1024


def made(seed: int, size: int) -> bytes:
    """Bytes that no other seed gives."""
    return random.Random(seed).randbytes(size)


def wait_until(condition: Callable[[], Any], *, seconds: float = 60, what: str = "") -> Any:
    """The first true value of the condition; on Windows, which is wine here, after three times as long."""
    deadline = time.monotonic() + seconds * PATIENCE
    while not (value := condition()):
        assert time.monotonic() < deadline, f"{what or condition} did not come true in {seconds} s"
        time.sleep(0.2)
    return value


def begin_process(command: Sequence[str | Path], **options: Any) -> "subprocess.Popen[str]":
    """Once more where wine, on a busy computer, lost the process that it was about to start."""
    try:
        return subprocess.Popen(command, text=True, **options)
    except OSError as error:
        if getattr(error, "winerror", None) != INTERNAL_ERROR:
            raise
        return subprocess.Popen(command, text=True, **options)


class Lab:
    """`instrument` is its id; `token` the agent's, `helper` another one that may do more."""

    def __init__(self, place: Path, *, url: str, token: str, helper: str, instrument: str) -> None:
        self.url, self.token, self.instrument = url, token, instrument
        self.home, self.folder = place / "home", place / "instrument"
        self._log = place / "output.log"
        self.folder.mkdir(parents=True)
        self.python = PYTHON
        self.program = [str(HASTY)]
        self.agent: subprocess.Popen[str] | None = None
        self._session = requests.Session()
        self._session.headers.update({"Authorization": f"Bearer {helper}", "Accept": "application/json"})
        self.call("POST", "instruments", {"id": instrument})

    def __enter__(self) -> "Lab":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # the service

    def call(self, method: str, path: str, body: Any = None, *, expect: int | None = None) -> Any:
        while True:
            answer = self._session.request(method, f"{self.url}/api/v1/{path}", json=body, timeout=60)
            if answer.status_code != 429:
                break
            time.sleep(float(answer.headers["Retry-After"]))  # thousands of files are asked for
        assert answer.ok if expect is None else answer.status_code == expect, f"{method} {path}: {answer.text}"
        return answer.json()

    def pages(self, path: str) -> list[dict[str, Any]]:
        first = self.call("GET", f"{path}{'&' if '?' in path else '?'}per_page=100")
        rows = list(first["data"])
        for page in range(2, first["pagination"]["total_pages"] + 1):
            rows += self.call("GET", f"{path}{'&' if '?' in path else '?'}per_page=100&page={page}")["data"]
        return rows

    def runs(self) -> dict[str, dict[str, Any]]:
        return {run["run_id"]: run for run in self.pages(f"instruments/{self.instrument}/runs")}

    def files(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Every raw file record of the instrument, by run and relative path."""
        return {
            (run_id, file["relative_path"]): file
            for run_id in self.runs()
            for file in self.pages(f"instruments/{self.instrument}/runs/{run_id}/files?category=raw")
        }

    def stored(self) -> dict[tuple[str, str], dict[str, Any]]:
        return {key: file for key, file in self.files().items() if file["uploaded_at"] is not None}

    def kept(self) -> dict[tuple[str, str], tuple[Any, ...]]:
        """What of the stored files never changes again, whatever processing makes of them."""
        return {key: (file["id"], file["sha256"], file["uploaded_at"]) for key, file in self.stored().items()}

    def download(self, file_id: int) -> bytes:
        link = self.call("GET", f"files/{file_id}/download")
        return requests.get(link["download_url"], timeout=60).content

    def events(self, event_type: str | None = None) -> list[dict[str, Any]]:
        chosen = f"?event_type={event_type}" if event_type else ""
        return self.pages(f"watchers/{self.watcher_id}/events{chosen}")

    # the instrument

    def write(self, path: str, data: bytes) -> Path:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        return place

    # the agent

    def command(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [PYTHON, HASTY, *arguments],
            env=self._environment(**variables),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
            check=False,
        )

    def json(self, *arguments: str, code: int = 0, **variables: str) -> Any:
        """What a command answers with --json."""
        done = self.command(*arguments, "--json", **variables)
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout)

    def init(self, **settings: Any) -> None:
        """Registered and configured as `instrument-watcher init` would leave it, in haste; keys as in `set`."""
        Home(self.home).make()
        write_token(self.home / "token", self.token)
        config = Config(
            self.url,
            self.instrument,
            self.folder,
            run_grouping=Grouping(GroupBy.TOP_FOLDER),
            stability_seconds=0.3,
            rescan_seconds=2,
            heartbeat_seconds=1,
        )
        service = Service(Connection(self.url, read_token=lambda: self.token))
        save_config(
            self.config, write_config(register(service, config, instance=instance_id(Home(self.home).instance)))
        )
        self.set(**settings)

    def set(self, **settings: Any) -> None:
        lines = self.config.read_text(encoding="utf-8").splitlines()
        for key, value in settings.items():
            [at] = [number for number, line in enumerate(lines) if line.strip().startswith(f"{key}:")]
            indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
            lines[at] = f"{indent}{key}: {json.dumps(value)}"
        text = "\n".join(lines) + "\n"
        if sys.platform == "win32":  # nobody replaces a file there that the agent reads
            self.config.write_text(text, encoding="utf-8", newline="\n")
        else:
            save_config(self.config, text)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        self.end_file.unlink(missing_ok=True)
        self.heard_file.unlink(missing_ok=True)
        ends = {END_FILE: str(self.end_file)} if sys.platform == "win32" else {}
        with self._log.open("a") as output:
            self.agent = begin_process(
                [self.python, *self.program, "run", *arguments],
                env=self._environment(**ends), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip
        return self.agent

    def stop(self) -> int:
        """The exit code after a request to end; nothing where no agent runs."""
        if self.agent is None:
            return 0
        if self.agent.poll() is None:
            self.ask_to_end()
        code, self.agent = self.agent.wait(40 * PATIENCE), None
        return code

    def ask_to_end(self) -> None:
        """As a service manager would, or a person with Ctrl-Break."""
        assert self.agent is not None
        if sys.platform == "win32":
            self.end_file.touch()
        else:
            self.agent.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        assert self.agent is not None
        self.agent.kill()
        self.agent.wait(40 * PATIENCE)
        self.agent = None

    @property
    def end_file(self) -> Path:
        return self.home / "tests-end"

    @property
    def heard_file(self) -> Path:
        """There once the agent, in haste, knows that it was asked to end."""
        return self.home / "tests-end-heard"

    @property
    def config(self) -> Path:
        return self.home / "config.yaml"

    @property
    def output(self) -> str:
        return self._log.read_text(errors="replace")

    @property
    def watcher_id(self) -> str:
        [line] = [
            line for line in self.config.read_text(encoding="utf-8").splitlines() if line.startswith("watcher_id:")
        ]
        return str(json.loads(line.partition(":")[2]))

    def journal(self) -> dict[str, dict[str, Any]]:
        """The journal's lines about files, by path."""
        return {f"{row['folder']}/{row['name']}".lstrip("/"): dict(row) for row in self._select("SELECT * FROM files")}

    def snapshot(self) -> dict[str, Any]:
        """What the running agent says of itself; nothing before it first did."""
        rows = self._select("SELECT value FROM facts WHERE name = 'snapshot'")
        return dict(json.loads(rows[0]["value"])) if rows else {}

    def parts(self) -> int:
        """How many parts of open multipart uploads the journal counts as sent."""
        return len(self._select("SELECT * FROM parts"))

    def states(self) -> dict[str, str]:
        return {path: row["state"] for path, row in self.journal().items()}

    def wait_stored(self, count: int, *, seconds: float = 60) -> dict[tuple[str, str], dict[str, Any]]:
        """The stored files, once there are so many and the journal knows it."""

        def is_done() -> bool:
            states = list(self.states().values())
            return states.count("uploaded") >= count

        wait_until(is_done, seconds=seconds, what=f"{count} files uploaded; so far {self.output[-2000:]}")
        return self.stored()

    def _select(self, sql: str) -> list[sqlite3.Row]:
        """Nothing while there is no sound journal yet."""
        try:
            connection = sqlite3.connect(f"file:{self.home / 'journal.sqlite3'}?mode=ro", uri=True, timeout=30)
        except sqlite3.OperationalError:
            return []
        try:
            connection.row_factory = sqlite3.Row
            return connection.execute(sql).fetchall()
        except sqlite3.DatabaseError:  # also where it is damaged, and about to be replaced
            return []
        finally:
            connection.close()

    def _environment(self, **variables: str) -> dict[str, str]:
        mine = {
            "INSTRUMENT_WATCHER_HOME": str(self.home),
            "INSTRUMENT_WATCHER_TOKEN": self.token,
            "PYTHONPATH": str(SOURCE) if self.python == PYTHON else "",
            "COLUMNS": "120",
            "PYTHONPYCACHEPREFIX": os.environ.get("PYTHONPYCACHEPREFIX") or str(BYTECODE),
            "PYTHONDONTWRITEBYTECODE": "",
        }
        return {**os.environ, **mine, **variables}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
