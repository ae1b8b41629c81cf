"""Where the processes of a machine count: files below METRICS_DIR, which any one of them reads together.

What ended processes counted is folded into one file: a sum that lost a part of itself would seem to jump. Processes
count in mapped memory, where a full disk is no error but the signal SIGBUS: so each has its room before it counts.
"""

import fcntl
import logging
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from wire.telemetry.prometheus import CollectorRegistry, MmapedDict, MultiProcessCollector, generate_latest

log = logging.getLogger(__name__)
FOLDED_PID = 0  # no process has it
RESERVED_BYTES = {"counter": 2**20, "histogram": 2**20, "gauge_livesum": 2**16}  # more than all routes and tasks fill


@cache
def is_counting() -> bool:
    """Whether there is a place for the files; asked once, at the first request of a process."""
    place = metrics_folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
        with _lock(place):
            _remove_files_of_ended_service(place)
            for kind in RESERVED_BYTES:
                _reserve_room(place / f"{kind}_{os.getpid()}.db")
            (place / f"{os.getpid()}.pid").touch()  # read by the next process that starts
    except OSError as problem:
        log.warning("nothing is counted: %s cannot be written (%s)", place, problem.strerror)
        return False
    return True


def format_counts() -> bytes:
    """What all processes of this machine counted since the first of them started, as Prometheus reads it."""
    if not is_counting():
        return b""
    place = metrics_folder()
    try:
        with _lock(place):
            _remove_torn_files(place)
            _fold_ended_processes(place)
            registry = CollectorRegistry()
            MultiProcessCollector(registry, path=str(place))
            return generate_latest(registry)
    except OSError as problem:
        log.warning("what was counted cannot be read from %s (%s)", place, problem.strerror)
        return b""


def metrics_folder() -> Path:
    return Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])


@contextmanager
def _lock(place: Path) -> Iterator[None]:
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _remove_files_of_ended_service(place: Path) -> None:
    """A service that starts anew counts from nothing."""
    if not any(_is_running(int(file.stem)) for file in place.glob("*.pid")):
        for file in (*place.glob("*.db"), *place.glob("*.pid")):
            file.unlink()


def _reserve_room(file: Path) -> None:
    """A file of nothing yet, if there is none; OSError where the disk has no room for it."""
    kind, _, _ = file.stem.rpartition("_")
    with file.open("ab") as reserved:
        os.posix_fallocate(reserved.fileno(), 0, RESERVED_BYTES[kind])


def _remove_torn_files(place: Path) -> None:
    """Those of which a process was killed before it wrote how much is in them: nothing was counted there."""
    for file in place.glob("*.db"):
        try:
            list(MmapedDict.read_all_values_from_file(file))
        except (struct.error, RuntimeError, ValueError):
            file.unlink()


def _fold_ended_processes(place: Path) -> None:
    """Their counts stay, in one file; what they said of themselves ends with them."""
    for file in place.glob("*.db"):
        kind, _, pid = file.stem.rpartition("_")
        if int(pid) == FOLDED_PID or _is_running(int(pid)):
            continue
        if not kind.startswith("gauge"):
            _add_counts(file, to=place / f"{kind}_{FOLDED_PID}.db")
        file.unlink()
    for file in place.glob("*.pid"):
        if not _is_running(int(file.stem)):
            file.unlink()


def _add_counts(file: Path, *, to: Path) -> None:
    _reserve_room(to)
    folded = MmapedDict(str(to))
    try:
        for key, value, _, _ in MmapedDict.read_all_values_from_file(str(file)):
            folded.write_value(key, folded.read_value(key)[0] + value, 0.0)
    finally:
        folded.close()


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


os.register_at_fork(after_in_child=is_counting.cache_clear)  # a fork counts in files of its own
