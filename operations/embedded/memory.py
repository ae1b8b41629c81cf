"""How much memory there is, and whether everything on one machine has to do with little."""

import os
from collections.abc import Iterator
from pathlib import Path

CGROUPS, OWN_CGROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
NEEDED_MIB = 900  # what a machine of 1 GB has left of it; below, processes are killed
LEAST_BUFFERS_MIB, FIRST_BUFFERS_MIB, MAX_BUFFERS_MIB = 64, 128, 4096
SMALL_BELOW_MIB = 1_800  # readers and builders then share a process


def read_memory_mib(*, cgroups: Path = CGROUPS, own: Path = OWN_CGROUP) -> int:
    """Mebibytes of this machine, or of the smallest container or unit that we are in."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([physical, *_read_limits(cgroups, own)]) // 2**20


def is_small() -> bool:
    """SMALL_MODE says so: 1, 0, or nothing, for which the memory decides."""
    return (os.environ.get("SMALL_MODE") or str(int(read_memory_mib() < SMALL_BELOW_MIB))) == "1"


def choose_buffers_mib(files: Path) -> int:
    """PostgreSQL's buffers, for a database of these files: a sixth of the memory, or less where there is little data.

    A gigabyte of buffers takes 17 MB before it holds anything. Twice the data leaves room until the next start.
    """
    most = min(max(read_memory_mib() // 6, LEAST_BUFFERS_MIB), MAX_BUFFERS_MIB)
    return min(most, max(FIRST_BUFFERS_MIB, 2 * _read_size_mib(files)))


def _read_size_mib(folder: Path) -> int:
    """Of all files below it, which come and go meanwhile."""
    return sum(map(_read_size, filter(Path.is_file, folder.rglob("*")))) // 2**20


def _read_size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _read_limits(cgroups: Path, own: Path) -> Iterator[int]:
    """Of our own control group (version 2) and all above it. Within a container its own is the root."""
    lines = own.read_text().splitlines() if own.exists() else []
    inside = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), "")
    place = cgroups / inside
    for group in (place, *place.parents):
        if not group.is_relative_to(cgroups):
            return
        limit = group / "memory.max"
        told = limit.read_text().strip() if limit.exists() else "max"
        if told.isdigit():
            yield int(told)
