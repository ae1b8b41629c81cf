"""Which version of the agent runs. Standard library only: what decides here must work whatever a release breaks.

    <home>/versions/0.3.0/      what a release brought
    <home>/versions/state.json  which one runs, which is on trial, which failed

The version that a person installed, the base, is never changed by a release. It starts the others, and it is what is
gone back to when nothing else is left. Where a person installs another base, that one counts and the rest is forgotten.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from instrument_watcher import __version__

BASE = "base"
RUNS_AS = "INSTRUMENT_WATCHER_RUNS_AS"  # in the environment of a version: its name here
MAX_STARTS = 3  # of a trial that is interrupted from outside, as by a computer that is switched off
FORGET_FAILURE_SECONDS = 86_400
TRIES, PAUSE_SECONDS = 100, 0.1  # where another program has the state open, as scanners and backups do on Windows


@dataclass(frozen=True)
class Outcome:
    """How a trial ended, until the agent that runs now has told of it."""

    version: str
    succeeded: bool
    message: str


@dataclass(frozen=True)
class State:
    base_version: str
    base_folder: str
    current: str = BASE
    previous: str | None = None
    trial: str | None = None
    starts: int = 0
    failed: dict[str, float] = field(default_factory=dict)  # when, by version
    outcome: dict[str, Any] | None = None


def runs_as() -> str:
    """The name of the version that this process is."""
    return os.environ.get(RUNS_AS, BASE)


class StateLocked(Exception):
    """Another program keeps the state of the versions to itself and does not let it go."""


@dataclass(frozen=True)
class Unwritten:
    """What counts where the disk is full, for as long as the disk says what it said then: another process may write."""

    instead_of: State | None
    state: State


class Versions:
    """What reads the state raises StateLocked."""

    def __init__(self, folder: Path, *, pause: Callable[[], None] = lambda: time.sleep(PAUSE_SECONDS)) -> None:
        self.folder, self._pause = folder, pause
        self._unwritten: Unwritten | None = None

    @property
    def state(self) -> State:
        known = self._read()
        if self._unwritten is not None and self._unwritten.instead_of == known:
            known = self._unwritten.state
        if known is not None and (runs_as() != BASE or known.base_version == __version__):
            return known
        return State(__version__, str(Path(__file__).parents[2]))

    def is_in_use(self) -> bool:
        """Whether another version than the base is to run, or was on trial."""
        return self.state.current != BASE or self.state.trial is not None

    def is_trusted(self) -> bool:
        """Whether this user may run what lies here: nobody gains another user's rights by writing into it."""
        return sys.platform == "win32" or self.folder.stat().st_uid in (0, os.geteuid())

    def chosen(self) -> str:
        return self.state.trial or self.state.current

    def version_of(self, name: str) -> str:
        return self.state.base_version if name == BASE else name

    def packages(self, name: str) -> Path:
        """What Python imports the version from."""
        return Path(self.state.base_folder) if name == BASE else self.folder / name

    def is_on_trial(self, name: str) -> bool:
        return self.state.trial == name

    def begin(self) -> str:
        """The name of what is to be started now; of a trial the starts are counted."""
        state = self.state
        if state.trial is not None and state.starts >= MAX_STARTS:
            self.fail(f"It was started {MAX_STARTS} times and never reported.")
        elif state.trial is not None:
            self._note(replace(state, starts=state.starts + 1))
        if not self.packages(self.chosen()).is_dir():
            self._leave_missing()
        return self.chosen()

    def try_out(self, name: str) -> None:
        """Start it next; it is kept once it reports. Raises OSError."""
        self._write(replace(self.state, trial=name, starts=0))

    def confirm(self, name: str) -> bool:
        """It reports: keep it. False where it was not on trial. Raises OSError."""
        state = self.state
        if state.trial != name:
            return False
        told = Outcome(self.version_of(name), True, f"Version {self.version_of(name)} runs and reports.")
        failed = {version: at for version, at in state.failed.items() if version != told.version}
        self._write(State(
            state.base_version, state.base_folder, name, state.current, None, 0, failed, asdict(told)
        ))  # fmt: skip
        self._remove_others()
        return True

    def fail(self, why: str) -> None:
        """Go back from what is on trial to what ran before."""
        state = self.state
        if state.trial is not None:
            version = self.version_of(state.trial)
            told = Outcome(version, False, f"Back from version {version} to {self.version_of(state.current)}. {why}")
            self._note(replace(state, trial=None, starts=0, outcome=asdict(told)))
            self.note_failure(version)

    def note_failure(self, version: str) -> None:
        self._note(replace(self.state, failed={**self.state.failed, version: time.time()}))

    def failed_lately(self, version: str) -> bool:
        """Within a day; then it is tried again, for the fault may have been the network's."""
        age = time.time() - self.state.failed.get(version, 0.0)
        return 0 <= age < FORGET_FAILURE_SECONDS

    def take_outcome(self) -> Outcome | None:
        """Once."""
        state = self.state
        if state.outcome is None:
            return None
        self._note(replace(state, outcome=None))
        return Outcome(**state.outcome)

    def _leave_missing(self) -> None:
        if self.state.trial is not None:
            self.fail("Its files are gone.")
        if not self.packages(self.state.current).is_dir():
            self._note(replace(self.state, current=BASE))

    def _remove_others(self) -> None:
        """All but what runs and what can be gone back to."""
        state = self.state
        for path in self.folder.iterdir():
            if path.is_dir() and path.name not in (state.current, state.previous, state.trial):
                shutil.rmtree(path, ignore_errors=True)  # Windows keeps what is in use; the next time does it

    def _read(self) -> State | None:
        """None where there is none, or none that another version understands."""
        for _ in range(TRIES):
            try:
                return State(**json.loads((self.folder / "state.json").read_text("utf-8")))
            except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):
                return None
            except OSError as error:
                if _is_for_good(error):
                    return None
                self._pause()
        raise StateLocked(f"{self.folder / 'state.json'} cannot be read: another program has it open.")

    def _note(self, state: State) -> None:
        """Where the disk takes nothing, it holds for this process."""
        try:
            self._write(state)
        except OSError:
            self._unwritten = Unwritten(self._read(), state)

    def _write(self, state: State) -> None:
        """In one step, so that a power cut leaves the old state or the new one. Raises OSError."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        new = self.folder / "state.json.new"
        with new.open("w", encoding="utf-8") as stream:
            stream.write(json.dumps(asdict(state), indent=1) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        self._put_in_place(new)
        self._unwritten = None

    def _put_in_place(self, new: Path) -> None:
        """Windows refuses it while anybody reads the old one. Raises OSError."""
        for _ in range(TRIES - 1):
            try:
                new.replace(self.folder / "state.json")
                return
            except OSError as error:
                if _is_for_good(error):
                    raise
                self._pause()
        new.replace(self.folder / "state.json")


def _is_for_good(error: OSError) -> bool:
    """Rights, where they are no other word for a file that is open elsewhere."""
    return isinstance(error, PermissionError) and sys.platform != "win32"
