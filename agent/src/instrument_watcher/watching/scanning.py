"""Looking through the watched directory. Folders that are links are never entered; links to files may not lead out."""

import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from instrument_watcher.journal.rows import Sighting, join_path
from instrument_watcher.platforms import paths
from instrument_watcher.watching.patterns import Patterns

MOST = INODE_MASK = 0x7FFF_FFFF_FFFF_FFFF  # SQLite's integers are signed


@dataclass
class Folder:
    """What one folder holds: size, time and `ctime_ns` by name. Links, and what cannot be told, are only named: they
    need a closer look."""

    path: str
    files: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)


class LeadsOut(Exception):
    """A link that leads out of the watched directory. It is refused: what lies there is nobody's data."""


def walk(
    root: Path, *, patterns: Patterns, below: str = "", failed: Callable[[str, OSError], None]
) -> Iterator[Folder]:
    """Every folder of the watched directory, or of one folder in it. `failed` hears of those that cannot be read."""
    waiting = [below]
    while waiting:
        folder = waiting.pop()
        try:
            content, inner = _look_into(root, folder)
        except OSError as error:
            failed(folder, error)
            continue
        yield content
        waiting.extend(path for path in inner if not patterns.is_ignored(path))


def sight(root: Path, path: str) -> Sighting | None:
    """A regular file as it is now; None where there is none. Raises LeadsOut, OSError."""
    place = paths.place(root, path)
    try:
        found = os.stat(place, follow_symlinks=False)
        if not stat.S_ISREG(found.st_mode):  # a junction looks like a folder
            refuse_way_out(root, place)
            found = os.stat(place)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return sighting_of(found) if stat.S_ISREG(found.st_mode) else None


def leads_to_folder(root: Path, path: str) -> bool:
    """Also False where a link may not be followed, or ends nowhere."""
    try:
        return stat.S_ISDIR(os.stat(paths.place(root, path)).st_mode)
    except OSError:
        return False


def sighting_of(found: os.stat_result) -> Sighting:
    return Sighting(found.st_size, mtime_of(found), found.st_ino & INODE_MASK, ctime_of(found))


def mtime_of(found: os.stat_result) -> int:
    """In nanoseconds, as far as SQLite's integers go: 1677 to 2262. Windows' clock that was never set says 1601."""
    return max(-MOST, min(found.st_mtime_ns, MOST))


def ctime_of(found: os.stat_result) -> int:
    """When anything of it was last changed. 0 on Windows, which tells the time of creation in its place."""
    return 0 if sys.platform == "win32" else max(-MOST, min(found.st_ctime_ns, MOST))


def refuse_way_out(root: Path, place: str) -> None:
    """Raises LeadsOut where the resolved path is not below the root, resolved in the same form."""
    if not _resolved(place).is_relative_to(_resolved(paths.place(root, ""))):
        raise LeadsOut


def _resolved(place: str) -> Path:
    """Not Path.resolve, to which links that lead back to themselves are a fault of the program: RuntimeError."""
    return Path(os.path.realpath(place))


def sight_beside(root: Path, path: str, other: str) -> Sighting | None:
    """The file at a path; None where that is the one at the other path, because case alone tells the two apart and the
    file system does not. Raises LeadsOut, OSError."""
    current = sight(root, path)
    if current is None or path == other or path.casefold() != other.casefold():
        return current
    return current if is_listed(root, path) else None


def is_listed(root: Path, path: str) -> bool:
    """Whether the folders spell every part of the path like this. Raises OSError."""
    folder = ""
    for name in path.split("/"):
        if name not in os.listdir(paths.place(root, folder)):
            return False
        folder = join_path(folder, name)
    return True


def _look_into(root: Path, folder: str) -> tuple[Folder, list[str]]:
    content, inner = Folder(folder), []
    with paths.entries(paths.place(root, folder)) as entries:
        for entry in entries:
            if entry.is_symlink():
                content.links.append(entry.name)
            elif entry.is_dir(follow_symlinks=False):
                if paths.is_junction(entry):
                    content.links.append(entry.name)
                else:
                    inner.append(join_path(folder, entry.name))
            elif entry.is_file(follow_symlinks=False):
                try:
                    found = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                except PermissionError:
                    raise  # that of the folder, and so of all in it
                except OSError:
                    content.links.append(entry.name)  # where a disk fails, one file does not hide the others
                    continue
                content.files[entry.name] = (found.st_size, mtime_of(found), ctime_of(found))
    return content, inner
