"""Opening an instrument's file without standing in the instrument's way.

Linux: an open file hinders nobody. Windows: CreateFileW with FILE_SHARE_READ | WRITE | DELETE, so that the instrument's
software may go on writing, renaming and deleting (Microsoft Learn, "Creating and Opening Files"). It fails with
ERROR_SHARING_VIOLATION while another program has the file for itself. A writer that lets others read is told by size
and time alone: to ask for more would refuse the instrument its own file for an instant.
"""

import os
import sys

if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    GENERIC_READ = 0x8000_0000
    SHARE_READ, SHARE_WRITE, SHARE_DELETE = 1, 2, 4
    OPEN_EXISTING = 3
    SEQUENTIAL_SCAN = 0x0800_0000
    INVALID_HANDLE = wintypes.HANDLE(-1).value

    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    _create_file = _kernel32.CreateFileW
    _create_file.argtypes = [
        wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, wintypes.LPVOID, wintypes.DWORD, wintypes.DWORD,
        wintypes.HANDLE,
    ]  # fmt: skip
    _create_file.restype = wintypes.HANDLE

    def open_for_reading(path: str) -> int:
        """A file descriptor. Raises OSError."""
        share = SHARE_READ | SHARE_WRITE | SHARE_DELETE
        handle = _create_file(path, GENERIC_READ, share, None, OPEN_EXISTING, SEQUENTIAL_SCAN, None)
        if handle == INVALID_HANDLE:
            raise ctypes.WinError(ctypes.get_last_error())
        return msvcrt.open_osfhandle(handle, os.O_RDONLY | os.O_BINARY)

else:

    def open_for_reading(path: str) -> int:
        """A file descriptor, at once also where a pipe was put in the file's place. Raises OSError."""
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)


def refuse_unreadable(path: str) -> None:
    """Raises OSError where the file cannot be read, as while another program has it for itself."""
    os.close(open_for_reading(path))
