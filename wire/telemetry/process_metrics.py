"""What a process says of itself, now and then: its memory, its tasks, its connections to the database.

A thread of each process writes it down, so that whoever is asked for the machine's metrics knows it of all.
"""

import resource
import threading
from pathlib import Path
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection

from wire.telemetry.metrics import REGISTRY
from wire.telemetry.metrics_files import is_counting
from wire.telemetry.prometheus import Counter, Gauge

SAMPLE_SECONDS = 10.0
PAGE_BYTES = resource.getpagesize()


def live_gauge(name: str, text: str, *labels: str) -> Gauge:
    """The sum over the processes that run."""
    return Gauge(name, text, labels, registry=REGISTRY, multiprocess_mode="livesum")


PROCESSES = live_gauge("ids_processes", "Processes that run.", "role")
MEMORY = live_gauge("ids_process_resident_memory_bytes", "Their memory.", "role")
POOL_CONNECTIONS = live_gauge("ids_database_pool_connections", "Connections to the database.", "role", "state")
POOL_LIMIT = live_gauge("ids_database_pool_max_connections", "Connections that may be open.", "role")
POOL_WAITING = live_gauge("ids_database_pool_waiting_requests", "Who waits for a connection now.", "role")
TASKS_RUNNING = live_gauge("ids_tasks_running", "Tasks at work now.", "role")
TASK_THREADS = live_gauge("ids_task_threads", "Tasks that can be at work at once.", "role")
POOL_REQUESTS = Counter("ids_database_pool_requests", "Connections asked for.", ["role"], registry=REGISTRY)
POOL_QUEUED = Counter("ids_database_pool_queued_requests", "Those that had to wait.", ["role"], registry=REGISTRY)
POOL_WAIT = Counter("ids_database_pool_wait_seconds", "How long they waited.", ["role"], registry=REGISTRY)
POOL_ERRORS = Counter("ids_database_pool_errors", "Those that got none in time.", ["role"], registry=REGISTRY)


class ProcessSampler:
    """Samples one process, as `role`: `web`, `worker`, `builder` or `reader`."""

    def __init__(self, role: str) -> None:
        self.role = role
        self.running = 0
        self._lock = threading.Lock()
        self._told: dict[str, float] = {}

    def start(self, *, threads: int = 0) -> None:
        """`threads`: how many tasks it can do at once; a web process does none."""
        if not is_counting():
            return
        if threads:
            TASK_THREADS.labels(self.role).set(threads)
        threading.Thread(target=self._sample_for_ever, name="metrics", daemon=True).start()

    def note_task(self, change: int) -> None:
        """One more at work, or one less."""
        with self._lock:
            self.running += change
            if is_counting():
                TASKS_RUNNING.labels(self.role).set(self.running)

    def sample(self) -> None:
        PROCESSES.labels(self.role).set(1)
        MEMORY.labels(self.role).set(read_resident_bytes())
        pool = getattr(connection, "_connection_pools", {}).get(DEFAULT_DB_ALIAS)  # asking for `.pool` would make one
        if pool is not None and not pool.closed:
            self._note_pool(pool.get_stats())

    def _note_pool(self, stats: dict[str, Any]) -> None:
        """As psycopg_pool counts: the numbers of now, and sums since the pool was opened (milliseconds)."""
        idle = stats.get("pool_available", 0)
        POOL_CONNECTIONS.labels(self.role, "idle").set(idle)
        POOL_CONNECTIONS.labels(self.role, "in_use").set(max(0, stats.get("pool_size", 0) - idle))
        POOL_LIMIT.labels(self.role).set(stats.get("pool_max", 0))
        POOL_WAITING.labels(self.role).set(stats.get("requests_waiting", 0))
        self._add(POOL_REQUESTS, "requests_num", stats)
        self._add(POOL_QUEUED, "requests_queued", stats)
        self._add(POOL_WAIT, "requests_wait_ms", stats, unit=0.001)
        self._add(POOL_ERRORS, "requests_errors", stats)

    def _add(self, counter: Counter, name: str, stats: dict[str, Any], *, unit: float = 1.0) -> None:
        """What was added since the last sample; the pool leaves out what is still nothing."""
        now = float(stats.get(name, 0))
        counter.labels(self.role).inc(max(0.0, now - self._told.get(name, 0.0)) * unit)
        self._told[name] = now

    def _sample_for_ever(self) -> None:
        pause = threading.Event()
        while True:
            self.sample()
            pause.wait(SAMPLE_SECONDS)


def read_resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES
