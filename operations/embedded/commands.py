"""What each of our own processes is run with, after the name of Python: by `./ids serve`, units and containers.

A test compares the three (tests/operations/test_commands.py).
"""

from collections.abc import Sequence


def build_web_command(*listen: str) -> list[str]:
    """`listen`: its options of address and processes (web/__main__.py)."""
    return ["-m", "web", *listen]


def build_worker_command(kind: str, *, name: str, more: Sequence[str] = ()) -> list[str]:
    """One of WORKER_KINDS; `name` is Celery's, with the machine's (%h) in it."""
    return ["-m", "jobs.worker", "-A", "config.celery", kind, "-n", name, *more]


def build_beat_command(*, schedule: str) -> list[str]:
    """`schedule`: the file of the scheduler's notes."""
    return ["-m", "celery", "-A", "config.celery", "beat", "-s", schedule, "--pidfile=", "--loglevel", "INFO"]
