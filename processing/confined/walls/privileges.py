"""Privileges given up for good: none to be gained by running a program, and no capability, not even root's."""

import ctypes

from wire.kernel import call_libc

PR_SET_NO_NEW_PRIVS = 38
CAPABILITY_VERSION_3 = 0x20080522


def give_up_privileges() -> None:
    call_libc("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    call_libc("capset", header, (ctypes.c_uint32 * 6)())
