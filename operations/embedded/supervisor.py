"""Starts the parts in order, starts again what dies, and stops everything in reverse order."""

import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

from operations.embedded import processes

CHECK_SECONDS = 2.0
WAKING = (signal.SIGCHLD, signal.SIGIO)  # a child ended; somebody connects to a program that is awaited
FIRST_RESTART_DELAY_SECONDS, MAX_RESTART_DELAY_SECONDS = 0.5, 10.0  # of a part that keeps dying
STABLE_SECONDS = 60.0  # after which a start counts as good


class Child(Protocol):
    """A Popen, or what was forked."""

    @property
    def returncode(self) -> int | Any: ...

    def poll(self) -> int | None: ...


class SupervisedProcess(Protocol):
    log: Path
    farewell: processes.StopSignals

    @property
    def child(self) -> Child | None: ...

    def start(self) -> None:
        """Return when it can be used."""

    def launch(self) -> None:
        """Return at once."""


@runtime_checkable
class AwaitedProcess(SupervisedProcess, Protocol):
    """One that runs only while it is asked for."""

    @property
    def is_wanted(self) -> bool: ...

    @property
    def is_hanging(self) -> bool: ...

    def forget_end(self) -> bool: ...


class StopRequested(BaseException):
    """INT, TERM or HUP, wherever the supervisor is at that moment."""


@dataclass
class RestartState:
    """When a part was last started, and how long it waits once it died."""

    started_at: float
    pause: float = 0.0
    due_at: float | None = None

    def postpone(self, now: float, *, was_killed: bool = False) -> None:
        """What keeps ending by itself waits longer each time; what somebody kills is not to blame."""
        died_early = now - self.started_at < STABLE_SECONDS
        longer = (
            FIRST_RESTART_DELAY_SECONDS
            if was_killed
            else min(self.pause * 2 or FIRST_RESTART_DELAY_SECONDS, MAX_RESTART_DELAY_SECONDS)
        )
        self.pause = longer if died_early else 0.0
        self.due_at = now + self.pause


class Supervisor:
    """A context: leaving it, for whatever reason, leaves no process behind.

    Servers carry the programs; guests are on the programs' other side, among those who call them.
    """

    def __init__(
        self,
        *,
        servers: Sequence[SupervisedProcess],
        programs: Sequence[SupervisedProcess],
        guests: Sequence[SupervisedProcess] = (),
    ) -> None:
        self.servers = servers
        self.programs = programs
        self.guests = guests
        self.restarts: dict[Path, RestartState] = {}

    def __enter__(self) -> Self:
        for number in _choose_stop_signals():
            signal.signal(number, _request_stop)
        for part in (*self.guests, *self.programs):  # of a supervisor that was killed; servers see to theirs themselves
            processes.end_writers(part.log)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        for number in _choose_stop_signals():
            signal.signal(number, signal.SIG_IGN)
        self.stop()
        return kind is StopRequested

    def start(self, parts: Sequence[SupervisedProcess]) -> None:
        for part in parts:
            part.start()
            self.restarts[part.log] = RestartState(started_at=time.monotonic())

    def watch(self, *, check: Callable[[], None] | None = None) -> None:
        """Until a signal ends it, or `check`, asked now and then, raises."""
        signal.pthread_sigmask(signal.SIG_BLOCK, WAKING)
        while True:
            if check is not None:
                check()
            try:
                self._look_after_parts()
            except OSError:
                if check is not None:
                    check()  # it says better what is missing
                raise
            signal.sigtimedwait(WAKING, self._choose_wait(time.monotonic()))

    def _choose_wait(self, now: float) -> float:
        """Until the next look at all parts, or the restart of one that waits for it."""
        due = [restart.due_at - now for restart in self.restarts.values() if restart.due_at is not None]
        return max(0.0, min(CHECK_SECONDS, *due)) if due else CHECK_SECONDS

    def stop(self) -> None:
        """In reverse order; guests leave while they are still answered, the programs finish their work side by side."""
        for guest in reversed(self.guests):
            processes.end_writers(guest.log, farewell=guest.farewell)
        with ThreadPoolExecutor(max_workers=max(1, len(self.programs))) as together:  # the slowest one's time in all
            for program in self.programs:
                together.submit(processes.end_writers, program.log, farewell=program.farewell)
        for server in reversed(self.servers):
            processes.end_writers(server.log, farewell=server.farewell)

    def _look_after_parts(self) -> None:
        for part in (*self.servers, *self.programs, *self.guests):
            if isinstance(part, AwaitedProcess):
                self._start_if_wanted(part)
                self._end_if_hanging(part)
            self._restart_if_ended(part)
            processes.rotate_log(part.log)

    def _start_if_wanted(self, part: AwaitedProcess) -> None:
        if part.forget_end():
            processes.end_writers(part.log)
        if part.is_wanted:
            part.launch()
            self.restarts[part.log].started_at = time.monotonic()

    def _end_if_hanging(self, part: AwaitedProcess) -> None:
        """Whoever waits for it is answered by the one that is started in its place."""
        if part.is_hanging:
            print(f"{part.log.stem} hangs and is ended, see {part.log}", flush=True)
            processes.end_writers(part.log)

    def _restart_if_ended(self, part: SupervisedProcess) -> None:
        if part.child is None or part.child.poll() is None:
            return
        now, restarts = time.monotonic(), self.restarts[part.log]
        if restarts.due_at is None:
            print(f"{part.log.stem} ended with code {part.child.returncode}, see {part.log}", flush=True)
            restarts.postpone(now, was_killed=part.child.returncode == -signal.SIGKILL)
        if restarts.due_at is not None and now >= restarts.due_at:
            processes.end_writers(part.log)  # what it left behind would be in its way
            part.launch()
            restarts.started_at, restarts.due_at = now, None


def _choose_stop_signals() -> list[signal.Signals]:
    """A hang-up counts too, unless we were told to ignore it (nohup)."""
    hang_up = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGINT, signal.SIGTERM, *hang_up]


def _request_stop(number: int, frame: object) -> None:
    raise StopRequested
