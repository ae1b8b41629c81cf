"""What every web process counts, kept in files that any one of them reads together (Prometheus, multiprocess mode).

Labels are routes, codes and class names: words of ours, never a caller's.
"""

import fcntl
import logging
import os
from functools import cache
from pathlib import Path

from django.conf import settings

from wire.errors import ServiceError

os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(settings.METRICS_DIR))  # asked for by the next import
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

log = logging.getLogger(__name__)
KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
REGISTRY = CollectorRegistry()

REQUESTS = Counter("ids_requests", "Requests answered.", ["method", "route", "status"], registry=REGISTRY)
REQUEST_SECONDS = Histogram(
    "ids_request_seconds", "Time to answer.", ["method", "route"], registry=REGISTRY, buckets=BUCKETS
)
REFUSALS = Counter("ids_refusals", "Requests and tool calls refused.", ["code", "reason"], registry=REGISTRY)
SECURITY_EVENTS = Counter("ids_security_events", "What may be an attack, by its kind.", ["kind"], registry=REGISTRY)


def count_request(*, method: str, route: str, status: int, seconds: float) -> None:
    """One answer. `route` is a pattern of ours or empty, never the path that was asked for."""
    if is_counting():
        known = method if method in KNOWN_METHODS else "other"
        REQUESTS.labels(known, route, str(status)).inc()
        REQUEST_SECONDS.labels(known, route).observe(seconds)


def count_refusal(error: ServiceError) -> None:
    if is_counting():
        REFUSALS.labels(error.code, error.reason).inc()


def count_security_event(kind: str) -> None:
    """One of wire/security_events.py."""
    if is_counting():
        SECURITY_EVENTS.labels(kind).inc()


def combine_registries() -> CollectorRegistry:
    """What all processes of this machine counted since the first of them started."""
    registry = CollectorRegistry()
    if is_counting():
        MultiProcessCollector(registry)
    return registry


@cache
def is_counting() -> bool:
    """Whether there is a place for the files; asked once, at the first request of a process."""
    place = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
    try:
        place.mkdir(parents=True, exist_ok=True)
        with (place / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _remove_files_of_ended_processes(place)
            (place / f"{os.getpid()}.pid").touch()  # read by the next process that starts
    except OSError as problem:
        log.warning("nothing is counted: %s cannot be written (%s)", place, problem.strerror)
        return False
    return True


def _remove_files_of_ended_processes(place: Path) -> None:
    """Remove the files of processes that ended, once all have: a sum that lost a part of itself would seem to jump."""
    if not any(_is_running(int(file.stem)) for file in place.glob("*.pid")):
        for file in (*place.glob("*.db"), *place.glob("*.pid")):
            file.unlink()


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
