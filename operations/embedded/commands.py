"""What each of our own processes is run with, after the name of Python: by `./ids serve`, units and containers.

A test compares the three (tests/operations/test_commands.py).
"""

from collections.abc import Sequence

GRACE_SECONDS = 15  # a request under way gets to finish
KEEP_ALIVE_SECONDS = 75  # an idle connection is kept: longer than proxies do, which else send into one that closes


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
    return ["-m", "jobs.worker", "-A", "config.celery", kind, "-n", name, *more]


def build_beat_command(*, schedule: str) -> list[str]:
    """`schedule`: the file of the scheduler's notes."""
    return ["-m", "celery", "-A", "config.celery", "beat", "-s", schedule, "--pidfile=", "--loglevel", "INFO"]
