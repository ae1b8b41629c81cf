"""Actors that take turns: each statement and each step on the disk is a place where another may go on, or one dies."""

import fcntl
import os
import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from random import Random
from typing import Any
from unittest.mock import patch

import psycopg
from django.db import connection

Act = Callable[[Random], object]
STEPS_ON_DISK = ("fsync", "rename", "replace", "unlink", "mkdir", "rmdir", "link")
PATIENCE = 0.004  # seconds after which it is asked whether an actor waits for a lock
STUCK_SECONDS = 60.0
_here = threading.local()


class Killed(BaseException):
    """No `except Exception` catches it; transactions are not kept, as after a real kill."""


class Stuck(Exception):
    """An actor neither goes on nor waits for a lock of the database."""


@dataclass(frozen=True)
class Role:
    """One actor of a scene. It dies at this of its points, where it comes so far."""

    name: str
    act: Act
    seed: int
    dies_at: int | None = None


class Actor(threading.Thread):
    """`fault` is what it raised, but for its own death."""

    def __init__(self, role: Role, arrived: "queue.Queue[Actor]") -> None:
        super().__init__(name=role.name, daemon=True)
        self.role, self.fault = role, ""
        self.where, self.points = "the beginning", 0
        self.is_dead = self.is_over = False
        self.pid: int | None = None
        self.cue = threading.Semaphore(0)
        self._arrived = arrived

    def run(self) -> None:
        _here.actor = self
        try:
            self.stop(self.where)
            self.role.act(Random(self.role.seed))
        except Killed:
            pass
        except Exception:
            self.fault = "" if self.is_dead else traceback.format_exc()  # of the dead: what cleaning up ran into
        finally:
            self.is_dead = False
            _here.actor = None
            with suppress(Exception):
                connection.close()
            self.is_over = True
            self._arrived.put(self)

    def stop(self, where: str) -> None:
        """Others may go on. Raises Killed, from then on each time."""
        if not self.is_dead:
            self.where = where
            self.points += 1
            self._arrived.put(self)
            self.cue.acquire()
            self.is_dead = self.points == self.role.dies_at
            if self.is_dead and connection.connection is not None:
                connection.connection.pgconn.finish()  # the server rolls back
        if self.is_dead:
            raise Killed


class Scene:
    """Some actors at once. What is told of it: who went on, wherever that changes, and who died before what."""

    def __init__(self, roles: Sequence[Role], chance: Random, *, watch: Any, say: Callable[[str], None]) -> None:
        self._arrived: queue.Queue[Actor] = queue.Queue()
        self.actors = [Actor(role, self._arrived) for role in roles]
        self._ready: set[Actor] = set()
        self._waiting: set[Actor] = set()  # for locks
        self._chance, self._watch, self._say = chance, watch, say
        self._stays = chance.choice((0.0, 0.5, 0.8, 0.95, 0.99))  # how likely the same actor goes on
        self._last: Actor | None = None

    def play(self) -> list[str]:
        """To the end; what broke."""
        for actor in self.actors:
            actor.start()
            self._hear_of(actor)
        while self._ready or self._waiting:
            if self._ready:
                self._go_on(self._choose())
            for actor in sorted(self._waiting, key=self.actors.index):
                self._look_after(actor)
        return [f"{actor.name}: {actor.fault}" for actor in self.actors if actor.fault]

    def _choose(self) -> Actor:
        if self._last not in self._ready or self._chance.random() >= self._stays:
            before, self._last = self._last, self._chance.choice(sorted(self._ready, key=self.actors.index))
            if before is not self._last:
                self._say(f"   {self._last.name} goes on with {self._last.where}")
        assert self._last is not None
        return self._last

    def _go_on(self, actor: Actor) -> None:
        self._ready.discard(actor)
        if actor.points == actor.role.dies_at:
            self._say(f"   {actor.name} dies before {actor.where}")
        actor.cue.release()
        self._hear_of(actor)

    def _hear_of(self, actor: Actor) -> None:
        """Until it stops, ends, or waits for another."""
        ends = time.monotonic() + STUCK_SECONDS
        while time.monotonic() < ends:
            with suppress(queue.Empty):
                heard = self._arrived.get(timeout=PATIENCE)
                self._note(heard)
                if heard is actor:
                    return
                continue
            if self._is_blocked(actor):
                self._say(f"   {actor.name} waits after {actor.where}")
                self._waiting.add(actor)
                return
        raise Stuck(f"{actor.name} after {actor.where}")

    def _look_after(self, actor: Actor) -> None:
        """Whoever was freed by what happened goes on until its next point."""
        while actor in self._waiting:
            with suppress(queue.Empty):
                self._note(self._arrived.get(timeout=0 if self._ready else PATIENCE))
                continue
            if self._is_blocked(actor):
                return
            self._waiting.discard(actor)
            self._hear_of(actor)

    def _note(self, actor: Actor) -> None:
        self._waiting.discard(actor)
        if not actor.is_over:
            self._ready.add(actor)

    def _is_blocked(self, actor: Actor) -> bool:
        blockers = "SELECT cardinality(pg_blocking_pids(%s)) > 0"
        return actor.pid is not None and bool(self._watch.execute(blockers, [actor.pid]).fetchone()[0])


def pause_at(where: str) -> None:
    """A point, in an actor; nothing elsewhere."""
    actor = getattr(_here, "actor", None)
    if actor is not None:
        actor.stop(where)


def hear_answer() -> None:
    """Raises Killed where whoever asked is dead."""
    actor = getattr(_here, "actor", None)
    if actor is not None and actor.is_dead:
        raise Killed


@contextmanager
def aside() -> Iterator[None]:
    """What happens within it is nothing of the service's, and happens at once."""
    _here.actor, actor = None, getattr(_here, "actor", None)
    try:
        yield
    finally:
        _here.actor = actor


@contextmanager
def points() -> Iterator[None]:
    """Within it what actors do stops at each statement, before each commit and each step on the disk."""
    steps = {name: _told(getattr(os, name), _say_step(name)) for name in STEPS_ON_DISK}
    with (
        patch.object(psycopg.Cursor, "execute", _told(psycopg.Cursor.execute, _say_statement)),
        patch.object(psycopg.Connection, "commit", _told(psycopg.Connection.commit, _say_commit)),
        patch.object(fcntl, "flock", _take_turns(fcntl.flock)),
        patch.multiple(os, **steps),
    ):
        yield


def _told(call: Any, say: Callable[..., str]) -> Any:
    def stop_and_call(*arguments: Any, **named: Any) -> Any:
        actor = getattr(_here, "actor", None)
        if actor is not None:
            actor.stop(say(actor, *arguments))
        return call(*arguments, **named)

    return stop_and_call


def _say_statement(actor: Actor, cursor: Any, statement: Any, *values: Any) -> str:
    if not actor.is_dead:
        actor.pid = cursor.connection.info.backend_pid
    return " ".join(str(statement).split())[:110]


def _say_commit(actor: Actor, open_connection: Any) -> str:
    if not actor.is_dead:
        actor.pid = open_connection.info.backend_pid
    return "COMMIT"


def _say_step(name: str) -> Callable[..., str]:
    return lambda actor, path, *more, **named: f"{name} {path}"[-110:]


def _take_turns(flock: Any) -> Any:
    def lock(file: Any, operation: int) -> None:
        if getattr(_here, "actor", None) is None:
            flock(file, operation)
            return
        while True:
            try:
                flock(file, operation | fcntl.LOCK_NB)
            except BlockingIOError:
                pause_at("a lock on a file")
            else:
                return

    return lock
