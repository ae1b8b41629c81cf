"""What a child may do, and what it finds: set by the child itself, right after the fork and before it reads its job."""

import os
import resource
import signal
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path

from processing.confined.walls.raising import raise_walls
from wire.kernel import call_libc

MAX_WRITTEN_BYTES = 256 * 1024 * 1024
MAX_OPEN_FILES = 64
CPU_GRACE_SECONDS = 5  # between the signal that can be reported and the one that cannot
MAX_TASKS_OF_USER = 4096  # all that the user of the service runs; in a namespace of its own a child has fewer
PR_SET_PDEATHSIG = 1
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def build_child_environment(home: Path) -> dict[str, str]:
    """All that a child, and the process it is forked from, may know. No address, no key."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "TMPDIR": str(home),
        "OPENBLAS_NUM_THREADS": "1",
    }


def confine_process(*, home: Path, cpu_seconds: int, memory_bytes: int, missing_walls: Collection[str]) -> None:
    """Bind the calling process: its own session, its parent's death, the kernel's limits, a folder of its own, walls.

    OSError: a wall that is not known to be missing could not be raised.
    """
    parent = os.getppid()
    os.setsid()
    die_with_parent(parent)
    for kept in STOP_SIGNALS:
        signal.signal(kept, signal.SIG_DFL)
    lower_limit(resource.RLIMIT_CORE, 0)
    lower_limit(resource.RLIMIT_AS, memory_bytes)
    lower_limit(resource.RLIMIT_FSIZE, MAX_WRITTEN_BYTES)
    lower_limit(resource.RLIMIT_NOFILE, MAX_OPEN_FILES)
    lower_limit(resource.RLIMIT_NPROC, MAX_TASKS_OF_USER)
    lower_limit(resource.RLIMIT_CPU, cpu_seconds, grace=CPU_GRACE_SECONDS)
    os.umask(0o077)
    os.chdir(home)
    os.environ.clear()
    os.environ.update(build_child_environment(home))
    tempfile.tempdir = None  # it was resolved before the fork
    redirect_output(home / "log")
    raise_walls(home, missing=missing_walls)


def lower_limit(which: int, most: int, *, grace: int = 0) -> None:
    """Lower a limit, soft and hard; never above what was inherited."""
    _, hard = resource.getrlimit(which)
    allowed = most + grace if hard == resource.RLIM_INFINITY else min(most + grace, hard)
    resource.setrlimit(which, (min(most, allowed), allowed))


def die_with_parent(parent: int) -> None:
    call_libc("prctl", PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it died between the fork and here
        os._exit(1)


def redirect_output(log: Path) -> None:
    """No input; whatever the libraries print goes to a file. Every other descriptor is closed."""
    sys.stdout.flush()
    sys.stderr.flush()
    nothing = os.open(os.devnull, os.O_RDONLY)
    log_file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor, target in ((nothing, 0), (log_file, 1), (log_file, 2)):
        os.dup2(descriptor, target)
    os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0] + 1024)
