"""Paths as the operating system wants them.

Windows refuses paths of over 260 characters unless they are written with the \\\\?\\ prefix ("Maximum Path Length
Limitation", Microsoft Learn); with it, / is no separator. Junctions are folders that lead elsewhere, and no symlinks.
"""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

REPARSE_POINT = stat.FILE_ATTRIBUTE_REPARSE_POINT

if sys.platform == "win32":
    import pywintypes
    import win32file

    FILE_NAME = 8  # where FindFilesW has cFileName of WIN32_FIND_DATA

    def place(root: Path, relative: str) -> str:
        """Where a file of the watched directory is; `relative` has / between folders."""
        return extended(str(root.joinpath(*relative.split("/")) if relative else root))

    def entries(folder: str | Path) -> "AbstractContextManager[Iterator[os.DirEntry[str]]]":
        """What a folder holds. The root of an empty drive holds nothing: FindFirstFile answers there as if it were not,
        and Python's scandir repeats that. Raises OSError."""
        try:
            return os.scandir(folder)
        except FileNotFoundError:
            if not Path(folder).is_dir():
                raise
            return nullcontext(iter(()))

    def is_junction(entry: "os.DirEntry[str]") -> bool:
        return bool(entry.stat(follow_symlinks=False).st_file_attributes & REPARSE_POINT)

    def listed_name(root: Path, relative: str) -> str:
        """A path that an event named, as the folders list it: it may use short names (SCAN~1.CSV) or another case."""
        listed = ""
        for name in relative.split("/"):
            try:
                found = win32file.FindFilesW(place(root, f"{listed}/{name}".lstrip("/")))
            except pywintypes.error:
                return relative
            if not found:
                return relative
            listed = f"{listed}/{found[0][FILE_NAME]}".lstrip("/")
        return listed

else:

    def place(root: Path, relative: str) -> str:
        """Where a file of the watched directory is; `relative` has / between folders."""
        return f"{root}/{relative}" if relative else str(root)

    def entries(folder: str | Path) -> "AbstractContextManager[Iterator[os.DirEntry[str]]]":
        """What a folder holds. Raises OSError."""
        return os.scandir(folder)

    def is_junction(entry: "os.DirEntry[str]") -> bool:
        return False

    def listed_name(root: Path, relative: str) -> str:
        """A path that an event named, as the folders list it."""
        return relative


def extended(path: str) -> str:
    """An absolute Windows path in its long form."""
    if path.startswith("\\\\?\\"):
        return path
    if path.startswith("\\\\"):
        return "\\\\?\\UNC\\" + path[2:]
    return "\\\\?\\" + path
