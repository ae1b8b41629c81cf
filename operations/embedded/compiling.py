"""Bytecode that this process wrote itself: compiling leaves holes all over its memory, of which each child copies some.

After the first start of an installation all of the service's processes held 36 MiB more for it, until the next start.
"""

import os
import sys
from pathlib import Path

MANY_MODULES = 100  # of about 3,500; a change of a few of ours leaves little
AGAIN = "again"  # the argument of who has begun anew: whatever the clock and the file system say, once is enough


def count_compiled(since: float) -> int:
    """Loaded modules whose bytecode was written after that, in seconds since the epoch."""
    cached = (getattr(module, "__cached__", None) for module in list(sys.modules.values()))
    return sum(_was_written(Path(path), since) for path in cached if isinstance(path, str))


def begin_anew_after_compiling(module: str, *, since: float) -> None:
    """Become `python -m module` with our arguments once more, where much was compiled: then nothing is."""
    if AGAIN not in sys.argv and count_compiled(since) >= MANY_MODULES:
        os.execv(sys.executable, [sys.executable, "-m", module, *sys.argv[1:], AGAIN])


def _was_written(bytecode: Path, since: float) -> bool:
    try:
        return bytecode.stat().st_mtime >= since
    except OSError:  # none could be written
        return False
