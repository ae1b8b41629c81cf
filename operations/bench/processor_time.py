"""Processor time instead of the clock's, for figures that others at work on the machine leave as they are."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

from operations.bench.measuring import Work

TICKS = os.sysconf("SC_CLK_TCK")
LIST_SERVER_PIDS = "SELECT pid FROM pg_stat_activity"


@dataclass(frozen=True)
class ProcessorTime:
    """Milliseconds for one piece of work, of this process and of the database's on this machine."""

    own: float
    database: float

    @property
    def total(self) -> float:
        return self.own + self.database


def measure_processor_time(work: Work, *, rounds: int = 1) -> ProcessorTime:
    """Where the database runs elsewhere its part is 0. Ticks are 10 ms: give short work many rounds."""
    own, database = time.process_time(), read_database_seconds()
    for _ in range(rounds):
        work()
    theirs = read_database_seconds() - database
    return ProcessorTime(1000 * (time.process_time() - own) / rounds, 1000 * theirs / rounds)


def read_database_seconds() -> float:
    """What PostgreSQL has computed so far: its processes, and through their parent those that have ended."""
    with connection.cursor() as cursor:
        cursor.execute(LIST_SERVER_PIDS)
        pids = [pid for (pid,) in cursor.fetchall()]
    parents = {int(fields[1]) for pid in pids if (fields := _read_status(pid))}
    return sum(map(read_processor_seconds, pids)) + sum(map(_read_family_seconds, parents))


def read_processor_seconds(pid: int) -> float:
    """What a process of this machine has computed so far; 0 where there is none."""
    fields = _read_status(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS if fields else 0.0


def _read_family_seconds(pid: int) -> float:
    """Of a process and its children that have ended."""
    return sum(map(int, _read_status(pid)[11:15])) / TICKS


def _read_status(pid: int) -> list[str]:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return []
