"""Calls of the kernel that Python has no function for. All raise OSError with the kernel's own reason."""

import ctypes
import os
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_DUMPABLE = 4


def forbid_inspection() -> None:
    """For a process that holds secrets: nobody but root reads its memory, environment and open files, or traces it.

    What it starts by exec begins open again, and has to ask for itself.
    """
    call_libc("prctl", PR_SET_DUMPABLE, 0, 0, 0, 0)


def call_libc(name: str, *arguments: Any) -> int:
    return _raise_errno(getattr(LIBC, name)(*arguments), name)


def call_kernel(number: int, *arguments: Any) -> int:
    """A system call that libc has no function for. Integers among the arguments are passed as long."""
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    return _raise_errno(LIBC.syscall(ctypes.c_long(number), *words), f"system call {number}")


def _raise_errno(result: int, name: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result
