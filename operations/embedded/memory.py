"""How much memory there is, and whether everything on one machine has to do with little."""

import os
from collections.abc import Iterator
from pathlib import Path

CGROUPS, OWN_CGROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
NEEDED_MIB = 900  # what a machine of 1 GB has left of it; below, processes are killed
SMALL_BELOW_MIB = 1_800  # readers and builders then share a process


def read_memory_mib(*, cgroups: Path = CGROUPS, own: Path = OWN_CGROUP) -> int:
    """Mebibytes of this machine, or of the smallest container or unit that we are in."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([physical, *_read_limits(cgroups, own)]) // 2**20


def is_small() -> bool:
    """SMALL_MODE says so: 1, 0, or nothing, for which the memory decides."""
    return (os.environ.get("SMALL_MODE") or str(int(read_memory_mib() < SMALL_BELOW_MIB))) == "1"


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
