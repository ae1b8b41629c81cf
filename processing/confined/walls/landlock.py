"""Landlock: of all files, those of the scratch folder and, to be read, Python and its libraries. Linux 5.13 has it.

Newer kernels wall off more: moving between folders (5.19), truncation (6.2), TCP (6.7), devices (6.10), and abstract
sockets and signals to processes outside (6.12). What the kernel at hand does not know is left to the other walls.
"""

import ctypes
import os
import struct
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from wire.kernel import call_kernel

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture
ASK_VERSION, PATH_BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIRECTORY = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
FILE_ACCESS = WRITE_FILE | READ_FILE | TRUNCATE  # what can be allowed of something that is no directory
READ = READ_FILE | READ_DIRECTORY
RIGHTS_OF_VERSION = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many of the rights on files are known
TCP = 0b11  # bind, connect
OUTSIDE = 0b11  # abstract sockets, signals
CHECKOUT = Path(__file__).resolve().parents[3]
SYSTEM_PATHS = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share", "/etc/ld.so.cache")
PLAIN_FILES = ("/etc/localtime", "/etc/mime.types", "/dev/urandom", "/dev/random", "/dev/zero")


def restrict_files(home: Path) -> None:
    """From here on this process reaches `home` to write, libraries to read, and nothing else by any path."""
    version = call_kernel(CREATE_RULESET, None, 0, ASK_VERSION)
    every_right = (1 << RIGHTS_OF_VERSION[min(version, 5)]) - 1
    ruleset = create_ruleset(version, every_right)
    try:
        _allow(ruleset, home, every_right & ~EXECUTE)
        _allow(ruleset, Path(os.devnull), FILE_ACCESS & every_right)
        for path in (*list_library_paths(), Path(f"/proc/{os.getpid()}")):
            _allow(ruleset, path, READ)
        call_kernel(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def create_ruleset(version: int, rights: int) -> int:
    """A descriptor of rules that refuse everything this version of Landlock can refuse."""
    words = [rights, *([TCP] if version >= 4 else []), *([OUTSIDE] if version >= 6 else [])]
    attributes = struct.pack(f"={len(words)}Q", *words)
    return call_kernel(CREATE_RULESET, ctypes.c_char_p(attributes), len(attributes), 0)


@cache
def list_library_paths() -> list[Path]:
    """What Python and the readers are read from. Of the checkout its packages only: data may lie beside them."""
    ours = [package.parent for package in CHECKOUT.glob("*/__init__.py")]
    installed = [Path(entry) for entry in sys.path if entry and Path(entry).resolve() != CHECKOUT]
    standard = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    compiled = [Path(sys.pycache_prefix)] if sys.pycache_prefix else []
    given = [*ours, *installed, *standard, *compiled, Path(sys.base_prefix, "lib")]
    return sorted({path.resolve() for path in (*given, *map(Path, SYSTEM_PATHS + PLAIN_FILES)) if path.exists()})


def _allow(ruleset: int, path: Path, access: int) -> None:
    for descriptor in _open_path(path):
        rights = access if path.is_dir() else access & FILE_ACCESS
        rule = struct.pack("=Qi", rights, descriptor)
        call_kernel(ADD_RULE, ruleset, PATH_BENEATH, ctypes.c_char_p(rule), 0)


def _open_path(path: Path) -> Iterator[int]:
    """A descriptor that only names it; none where it went away meanwhile."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)
