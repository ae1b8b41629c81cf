"""The agent in one thread, whose clock is moved by hand: its duties are done in turn, and within each other as threads
would. It can be killed between any two of its questions to the journal, the folder or the service."""

import random
import sqlite3
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from agent.tests.model.held import Board, Clock, Killed, NoEvents
from agent.tests.model.pretend import Pretend
from agent.tests.model.weather import Passage, Weather
from agent.tests.model.world import World
from instrument_watcher import duties
from instrument_watcher.agent import Agent
from instrument_watcher.config.model import Config, UploadMode
from instrument_watcher.config.writing import save_config, write_config
from instrument_watcher.errors import AgentError
from instrument_watcher.home import Home
from instrument_watcher.journal.database import Database, JournalUnavailable
from instrument_watcher.token_file import write_token

DEEPEST = 3  # duties within each other
UNSYNCED = 6  # transactions, at most, that a loss of power takes
CHANGES = ("INSERT", "UPDATE", "DELETE", "COMMIT")


class Machine:
    """`meanwhile` is what happens between two steps of the agent; whoever raises Killed there kills it."""

    def __init__(self, place: Path, world: World, config: Config) -> None:
        self.world, self.clock, self.pretend, self.weather = world, Clock(), Pretend(), Weather()
        self.home = Home(place / "home")
        self.home.make()
        write_token(self.home.token, "token")
        save_config(self.home.config, write_config(config))
        self.agent: Agent | None = None
        self.meanwhile: Callable[[str], None] = lambda where: None
        self.chance = random.Random(0)
        self.is_disk_full = False
        self.hears_events = True
        self.keeps_journals = False
        self.events_kept = config.events_kept
        self.journals: deque[sqlite3.Connection] = deque(maxlen=UNSYNCED + 1)  # after each of the last transactions
        self.faults: list[str] = []
        self._is_ready = False
        self._busy: list[str] = []
        self._is_quiet = 0
        self._report_at = self._ask_at = 0.0

    # from outside

    def start(self) -> None:
        if self.agent is not None:
            return
        with suppress(JournalUnavailable):
            self.agent = Agent(self.home)
            self._take_over(self.agent)
            self._is_ready, self._report_at, self._ask_at = False, 0.0, 0.0

    def stop(self) -> None:
        if self.agent is not None:
            with suppress(AgentError):
                self.agent.parts.chronicle.tell("watcher_stopped", "Agent stopped")
            self.kill()

    def kill(self) -> None:
        if self.agent is not None:
            self.agent.parts.close()
        self.agent, self._busy, self._is_quiet = None, [], 0

    def run(self, seconds: float) -> None:
        """Do what is due in so many seconds, and whatever it makes due."""
        ends = self.clock.now + seconds
        try:
            while self.clock.now < ends:
                self.start()
                if not self._step():
                    self.clock.now = min(ends, max(self._next_due(), self.clock.now + 0.01))
                self.world.now = self.clock.now
        except Killed:
            self.kill()

    def is_quiet(self) -> bool:
        """Nothing waits for anything but another change of the folder. The way to the service may count as down: where
        nothing is to be said, the next heartbeat finds it, and this machine sends none."""
        if self.agent is None or not self._is_ready:
            return False
        parts, now = self.agent.parts, time.monotonic()
        waits = [
            len(parts.journal.runs.stopped()), parts.activity.settling, *parts.journal.queue.waiting(),
            len(parts.journal.events),
            parts.journal.queue.next_attempt_at(besides=()) is not None, not self._board.is_empty(),
        ]  # fmt: skip
        return not any(waits) and parts.watch._rescan_at > now

    # duties

    def _step(self) -> bool:
        """Do one thing that is due; whether anything was."""
        if self.agent is None:
            return False
        if not self._is_ready:
            try:
                self.agent._prepare_journal()
            except JournalUnavailable:
                return False
            self._is_ready = True
        due = [name for name, is_due in self._dues().items() if is_due()]
        if not due:
            return False
        self._do(self.chance.choice(due))
        return True

    def _dues(self) -> dict[str, Callable[[], bool]]:
        return {
            "watching": self._is_watch_due,
            "reporting": self._is_report_due,
            "requests": self._is_asking_due,
            "uploading": self._is_upload_due,
        }

    def _do(self, name: str) -> None:
        assert self.agent is not None
        duty = self.agent._duties
        works = {
            "watching": self._watch,
            "reporting": self._report,
            "requests": self._ask,
            "uploading": duty._upload_next,
        }
        self._busy.append(name)
        try:
            duty._attempt(name, works[name])
        finally:
            if self._busy:
                self._busy.pop()

    def _watch(self) -> None:
        assert self.agent is not None
        self._hear()
        self._watched_at = self.clock.now
        watch = self.agent.parts.watch
        try:
            watch.step(time.monotonic())
        except Exception:
            watch._rescan_at = self._board.wait = 0.0  # as FolderWatch.run begins
            raise

    def _report(self) -> None:
        assert self.agent is not None
        self.agent.parts.news.clear()
        self._report_at = self.clock.now + duties.REPORT_EVERY
        self.agent._duties._report()

    def _ask(self) -> None:
        assert self.agent is not None
        self._ask_at = self.clock.now + duties.QUEUE_EVERY
        self.agent._duties._serve_requests()

    def _is_asking_due(self) -> bool:
        assert self.agent is not None
        parts = self.agent.parts
        is_due = self.clock.now >= max(self._ask_at, parts.link._retry_at)
        return is_due and parts.config.upload_mode is UploadMode.MANUAL and "requests" not in self._busy

    def _is_watch_due(self) -> bool:
        if "watching" in self._busy:
            return False
        self._hear()
        return not self._board.is_empty() or self.clock.now >= self._watched_at + self._board.wait

    def _is_report_due(self) -> bool:
        assert self.agent is not None
        parts = self.agent.parts
        is_due = parts.news.is_set() or self.clock.now >= self._report_at
        return is_due and "reporting" not in self._busy and self.clock.now >= parts.link._retry_at

    def _is_upload_due(self) -> bool:
        assert self.agent is not None
        parts = self.agent.parts
        if self._busy.count("uploading") > 1 or self.clock.now < parts.link._retry_at or parts.pause.is_on():
            return False
        with suppress(JournalUnavailable):
            besides = tuple(parts.board._under_way)
            return parts.journal.queue.next_upload(now=time.monotonic(), besides=besides) is not None
        return False

    def _next_due(self) -> float:
        if self.agent is None or not self._is_ready:
            return self.clock.now + 5
        parts = self.agent.parts
        dues = [self._watched_at + self._board.wait, max(self._report_at, parts.link._retry_at)]
        if parts.config.upload_mode is UploadMode.MANUAL:
            dues.append(max(self._ask_at, parts.link._retry_at))
        with suppress(JournalUnavailable):
            due = parts.journal.queue.next_attempt_at(besides=())
            if due is not None:
                dues.append(max(due, parts.link._retry_at, self.clock.now + parts.pause.seconds_left()))
        return min(dues)

    def _hear(self) -> None:
        told, self.world.told = self.world.told, []
        if self.hears_events:
            for event in told:
                self._board.on_any_event(event)

    def within(self) -> bool:
        """Another thread does what is due; whether there was anything."""
        if self.agent is None or not self._is_ready or len(self._busy) >= DEEPEST:
            return False
        return self._step()

    # what is the agent's, and is held

    def _take_over(self, agent: Agent) -> None:
        parts = agent.parts
        way = Passage(self.pretend, self.weather, meanwhile=self.pass_by)
        parts.connection._http = httpx.Client(base_url="http://x/api/v1/", transport=way)
        parts.store._http = httpx.Client(transport=way)
        watch: Any = parts.watch
        self._board = watch._board = Board(self.world.root)
        watch._observation = NoEvents()
        self._watched_at = 0.0
        parts.journal.events.kept = self.events_kept
        parts.pause._now = time.monotonic
        parts.pause._ends_at = parts.pause._kept()
        take = parts.board.take

        def take_quietly() -> Any:
            with self._quiet():
                return take()

        parts.board.take = take_quietly  # type: ignore[method-assign]
        self._hold_journal(parts.journal._db)

    def _hold_journal(self, database: Database) -> None:
        """Others have their turn before whatever is asked of the journal, unless a transaction is under way."""
        execute, translated, written = database._execute, database._translated, database._note_written
        held: Any = database
        for name in ("write", "rows", "row", "each", "transaction", "write_many"):
            setattr(held, name, self._passed(getattr(database, name), database))

        def execute_if_room(sql: str, *values: Any) -> sqlite3.Cursor:
            if self.is_disk_full and sql.startswith(CHANGES):
                return translated(_refuse_full)
            return execute(sql, *values)

        def note_written() -> None:
            written()
            if self.keeps_journals:
                self.journals.append(sqlite3.connect(":memory:"))
                database._connection.backup(self.journals[-1])

        held._execute, held._note_written = execute_if_room, note_written

    def _passed(self, ask: Callable[..., Any], database: Database) -> Callable[..., Any]:
        def passed(*values: Any, **named: Any) -> Any:
            if database._depth == 0:
                self.pass_by("the journal")
            return ask(*values, **named)

        return passed

    def pass_by(self, where: str) -> None:
        if not self._is_quiet and self._busy:
            self.meanwhile(where)

    @contextmanager
    def _quiet(self) -> Iterator[None]:
        self._is_quiet += 1
        try:
            yield
        finally:
            self._is_quiet = max(0, self._is_quiet - 1)

    def note_fault(self, message: str, *values: Any) -> None:
        self.faults.append(f"{message % values}: {traceback.format_exc()}")


def _refuse_full() -> sqlite3.Cursor:
    raise sqlite3.OperationalError("database or disk is full")
