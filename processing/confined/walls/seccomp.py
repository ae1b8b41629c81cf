"""System calls: those that reading a file and writing an answer need, and no other. Made by libseccomp.

There is no socket, no program to run, no second process, nobody else to signal, trace or limit; and none of the calls
that change a file by its path and that Landlock does not see (its mode, its owner, its times).
"""

import ctypes
import errno
import os
from dataclasses import dataclass
from functools import cache
from typing import Any

from wire.kernel import call_libc

LIBRARY = "libseccomp.so.2"
ALLOW, REFUSE = 0x7FFF0000, 0x00050000  # a refusal has the error's number in its lower half
NOT_EQUAL, EQUAL, MASKED_EQUAL = 1, 4, 7
PR_SET_SECCOMP, MODE_FILTER = 22, 2
CLONE_THREAD = 0x00010000
INSTRUCTION_BYTES = 8

ALLOWED_CALLS = """
    access arch_prctl brk capget chdir clock_getres clock_gettime clock_nanosleep close close_range copy_file_range
    dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_wait eventfd eventfd2 exit exit_group
    faccessat faccessat2 fadvise64 fchdir fcntl fdatasync flock fstat fstatfs fsync ftruncate futex getcpu getcwd
    getdents getdents64 getegid geteuid getgid getgroups getitimer getpgid getpgrp getpid getppid getrandom
    getresgid getresuid getrlimit getrusage getsid gettid gettimeofday getuid ioctl kill lseek lstat madvise
    membarrier mincore mkdir mkdirat mlock mmap mprotect mremap msync munlock munmap nanosleep newfstatat open
    openat pause pipe pipe2 poll ppoll pread64 preadv preadv2 prlimit64 pselect6 pwrite64 pwritev pwritev2 read
    readahead readlink readlinkat readv rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction
    rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait sched_getaffinity sched_getparam
    sched_getscheduler sched_yield select sendfile set_robust_list set_tid_address setitimer sigaltstack stat statfs
    statx sync_file_range sysinfo tgkill timer_create timer_delete timer_gettime timer_settime times umask uname
    unlink unlinkat wait4 waitid write writev
"""
TO_OTHERS = {"fcntl": (8, 10, 15), "ioctl": (0x5412, 0x8901, 0x8902)}  # they make the kernel signal or type elsewhere


@dataclass(frozen=True)
class Condition:
    """What an argument of a call is compared with."""

    argument: int
    comparison: int
    value: int
    mask_or_value: int = 0


class _Comparison(ctypes.Structure):
    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


class Filter:
    """Rules of one libseccomp filter: a default, and calls that are answered otherwise."""

    def __init__(self, default: int) -> None:
        self.library = ctypes.CDLL(LIBRARY)
        self.library.seccomp_init.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(self.library.seccomp_init(ctypes.c_uint32(default)))

    def add(self, action: int, name: str, *conditions: Condition) -> None:
        """A call that this architecture does not have is passed over."""
        number = self.library.seccomp_syscall_resolve_name(name.encode())
        if number < 0:
            return
        compared = (_Comparison * len(conditions))(
            *(_Comparison(one.argument, one.comparison, one.value, one.mask_or_value) for one in conditions)
        )
        self._check(
            self.library.seccomp_rule_add_array(
                self.handle, ctypes.c_uint32(action), number, ctypes.c_uint(len(conditions)), compared
            )
        )

    def export(self) -> bytes:
        """The instructions for the kernel."""
        file = os.memfd_create("filter")
        try:
            self._check(self.library.seccomp_export_bpf(self.handle, file))
            return os.pread(file, os.fstat(file).st_size, 0)
        finally:
            os.close(file)

    def _check(self, result: int) -> None:
        if result < 0:
            raise OSError(-result, f"libseccomp: {os.strerror(-result)}")


def restrict_calls() -> None:
    """From here on only these calls are answered; all others are refused with EPERM. Threads are not processes."""
    allowed = build_allow_filter()
    install(build_own_process_filter(os.getpid()))
    install(allowed)  # after which no filter can be built or installed


@cache
def build_allow_filter() -> bytes:
    """The same for every child, so the process that forks them builds it once. Some milliseconds."""
    calls = Filter(REFUSE | errno.EPERM)
    for name in ALLOWED_CALLS.split():
        calls.add(ALLOW, name)
    calls.add(ALLOW, "clone", Condition(0, MASKED_EQUAL, CLONE_THREAD, CLONE_THREAD))
    calls.add(REFUSE | errno.ENOSYS, "clone3")  # its flags cannot be seen; libc then takes the older one
    return calls.export()


def build_own_process_filter(pid: int) -> bytes:
    """Of what is allowed, that which reaches other processes."""
    calls = Filter(ALLOW)
    for name in ("kill", "tgkill"):
        calls.add(REFUSE | errno.EPERM, name, Condition(0, NOT_EQUAL, pid))
    calls.add(REFUSE | errno.EPERM, "prlimit64", Condition(0, NOT_EQUAL, 0))
    for name, commands in TO_OTHERS.items():
        for command in commands:
            calls.add(REFUSE | errno.EPERM, name, Condition(1, EQUAL, command))
    return calls.export()


def install(instructions: bytes) -> None:
    """For this process and for good. Needs no_new_privs."""
    program: Any = _Program(len(instructions) // INSTRUCTION_BYTES, instructions)
    call_libc("prctl", PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0)
