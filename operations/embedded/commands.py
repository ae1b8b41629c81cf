"""What each of our own processes is run with, after the name of Python: by `./ids serve`, units and containers.

A test compares the three (tests/operations/test_commands.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass

GRACE_SECONDS = 15  # a request under way gets to finish
KEEP_ALIVE_SECONDS = 75  # an idle connection is kept: longer than proxies do, which else send into one that closes


@dataclass(frozen=True)
class WorkerKind:
    queues: str
    threads: int


WORKER_KINDS = {
    "worker": WorkerKind("celery,deliveries", threads=2),  # deliveries and sweeps, which must not wait
    "builder": WorkerKind("archives", threads=2),
    "reader": WorkerKind("processing", threads=3),
}
# Where memory is little the builder reads files as well, one at a time beside an archive: docs/operations.md, Memory.
SMALL_BUILDER = WorkerKind(queues=",".join(WORKER_KINDS[kind].queues for kind in ("builder", "reader")), threads=2)


def build_web_command(*, listen: Sequence[str], trust: Sequence[str]) -> list[str]:
    """`listen`: uvicorn's options of address and processes; `trust`: whose word on a caller's address counts."""
    return [
        *("-m", "web", "config.asgi:application", *listen),
        *("--http", "web.http:BoundedHttp"),
        *("--timeout-graceful-shutdown", str(GRACE_SECONDS), "--timeout-keep-alive", str(KEEP_ALIVE_SECONDS)),
        *("--no-access-log", "--no-server-header"),
        *trust,
    ]


def build_worker_command(kind: str, *, name: str, more: Sequence[str] = ()) -> list[str]:
    """One of WORKER_KINDS; `name` is Celery's, with the machine's (%h) in it."""
    return build_worker_command_of(WORKER_KINDS[kind], name=name, more=more)


def build_worker_command_of(work: WorkerKind, *, name: str, more: Sequence[str] = ()) -> list[str]:
    return [
        *("-m", "celery", "-A", "config.celery", "worker", "-n", name, "-Q", work.queues),
        *("-P", "threads", "-c", str(work.threads), *more),
        *("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"),
    ]


def build_beat_command(*, schedule: str) -> list[str]:
    """`schedule`: the file of the scheduler's notes."""
    return ["-m", "celery", "-A", "config.celery", "beat", "-s", schedule, "--pidfile=", "--loglevel", "INFO"]
