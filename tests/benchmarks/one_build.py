"""`python -m tests.benchmarks.one_build JOB FOLDER` builds an archive; prints seconds and the peak of memory."""

import re
import sys
import time
from pathlib import Path
from uuid import UUID

import django

django.setup()

from archives.building import build_job  # noqa: E402  (models need the setup)
from tests.benchmarks.memory import take_memory  # noqa: E402
from wire.clock import now  # noqa: E402


def peak() -> int:
    """Of this program alone: what getrusage tells begins with the memory of whoever started it."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) * 1024


take_memory(Path(sys.argv[2]))
began = time.perf_counter()
build_job(UUID(sys.argv[1]), clock=now)
taken = time.perf_counter() - began
print(taken, peak())
