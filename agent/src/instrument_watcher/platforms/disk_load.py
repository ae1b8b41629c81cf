"""How busy the disk is on which the instrument writes.

Linux: the time during which requests were under way, of the device that holds the folder (/sys/dev/block, diskstats).
Windows has no such counter per folder in psutil; there the read and write times of all disks are added, capped at one.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

if sys.platform == "win32":

    def busy_seconds(folder: Path) -> float | None:
        """Seconds of work of the disk below the folder since the system started; None where it has none."""
        total = psutil.disk_io_counters()
        return None if total is None else (total.read_time + total.write_time) / 1000

else:

    def busy_seconds(folder: Path) -> float | None:
        """Seconds of work of the disk below the folder since the system started; None where it has none."""
        try:
            number = folder.stat().st_dev
            device = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve(strict=True).name
        except OSError:
            return None
        found = psutil.disk_io_counters(perdisk=True).get(device)
        return None if found is None else found.busy_time / 1000


class DiskLoad:
    """Measures the disk of one folder. A network drive has none, and is never busy."""

    def __init__(self, folder: Path, *, limit_percent: int) -> None:
        self._folder, self._limit = folder, limit_percent / 100

    def is_busy(self, *, during: Callable[[], None]) -> bool:
        """Whether the disk was busy for more than the limit while `during` ran."""
        before, began = busy_seconds(self._folder), time.monotonic()
        during()
        after, span = busy_seconds(self._folder), time.monotonic() - began
        if before is None or after is None:
            return False
        return min(1.0, (after - before) / span) > self._limit
