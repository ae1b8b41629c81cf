"""A folder as the agent sees it, and what ever stood where in it."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from watchdog.events import DirCreatedEvent, FileModifiedEvent, FileSystemEvent

from instrument_watcher.journal.rows import Sighting
from instrument_watcher.watching.scanning import mtime_of

SECOND = 1_000_000_000
BEGAN = 1_767_225_600  # 2026-01-01
FOLDERS = ("R1", "R2", "R1/deep")


@dataclass(frozen=True)
class Seen:
    """One file, as one look shows it."""

    inode: int
    name: tuple[int, str]  # the inode of its folder, and its own name there
    mtime_ns: int
    mode: int
    data: bytes
    is_link: bool


class Watched:
    """`told` are the events of the system since they were last taken; `stood` the paths by the bytes that stood there.

    Inodes and the times of changes are the world's own: those of a file system come back, or stand still, by chance.
    """

    def __init__(self, place: Path, *, tells_touches: bool) -> None:
        self.root, self.outside = place / "instrument", place / "outside"
        self.tells_touches = tells_touches
        self.ignores_case = False
        self.is_heard = False  # whether every event of this world arrives
        self.now = 0.0
        self.told: list[FileSystemEvent] = []
        self.stood: dict[bytes, set[str]] = defaultdict(set)
        self.forbidden: set[int] = set()
        self.copied: set[bytes] = set()
        self.count = 0
        self._inodes: dict[int, int] = {}
        self._free: list[int] = []
        self._ctimes: dict[int, int] = {}
        for folder in (self.outside, *(self.root / name for name in (*FOLDERS, "R9"))):
            folder.mkdir(parents=True)
        (self.root / "R9/always.csv").write_bytes(b"so that it is never empty")
        self._note({}, self._folders())

    # what the agent sees

    def sighting_of(self, found: os.stat_result) -> Sighting:
        return Sighting(found.st_size, mtime_of(found), self._inodes.get(found.st_ino, 0), self.ctime_of(found))

    def ctime_of(self, found: os.stat_result) -> int:
        return self._ctimes.get(found.st_ino, 0) if self.tells_touches else 0

    def is_forbidden(self, place: str) -> bool:
        return bool(self.forbidden) and Path(place).exists() and Path(place).stat().st_ino in self.forbidden

    def spelled(self, place: Path) -> Path:
        """As the folders list it, where names are found however they are spelled."""
        if not self.ignores_case or not place.is_relative_to(self.root):
            return place
        found = self.root
        for name in place.relative_to(self.root).parts:
            there = {path.name for path in found.iterdir()} if found.is_dir() else set()
            found /= name if name in there else next((one for one in there if one.casefold() == name.casefold()), name)
        return found

    # what is there

    def standing(self) -> dict[str, bytes]:
        """The bytes of every file that the agent is to send, by path."""
        return {path: seen.data for path, seen in self._survey(self.root).items() if is_data(path)}

    def files(self) -> list[str]:
        return sorted(path for path in self._survey(self.root) if not (self.root / path).is_symlink())

    # what came of it

    @contextmanager
    def noted(self) -> Iterator[None]:
        before, folders = self._everything(), self._folders()
        yield
        self._note(before, folders)

    def _note(self, before: dict[str, Seen], folders: dict[str, int]) -> None:
        after = self._everything()
        self._give_inodes(before, after)
        standing = self.standing()
        for path, data in standing.items():
            self.stood[data].add(path)
        self.copied |= {data for data, count in Counter(standing.values()).items() if count > 1}
        entered = [path for path, inode in self._folders().items() if folders.get(path) != inode]
        for folder in entered:
            self.told.append(DirCreatedEvent(str(self.root / folder)))
        for path in after.keys() - before.keys() | {path for path in after if before.get(path) != after[path]}:
            self.told.append(FileModifiedEvent(path))
        self.told.sort(key=lambda event: event.src_path)

    def _give_inodes(self, before: dict[str, Seen], after: dict[str, Seen]) -> None:
        was, now = _by_inode(before), _by_inode(after)
        for gone in was.keys() - now.keys():
            self._free.append(self._inodes.pop(gone))
            self._ctimes.pop(gone)
            self.forbidden.discard(gone)
        for inode in sorted(now):
            if now[inode] != was.get(inode):
                self.count += 1
                self._ctimes[inode] = int((BEGAN + self.now) * SECOND) + self.count
            if inode not in self._inodes:  # that of a file that was deleted before comes back, as on most file systems
                is_reused = self._free and self.tells_touches
                self._inodes[inode] = self._free.pop() if is_reused else 1000 + self.count

    def _everything(self) -> dict[str, Seen]:
        places = (self.root, self.outside, self.outside.with_name("unmounted"))
        return {str(place / path): seen for place in places for path, seen in self._survey(place).items()}

    def _survey(self, place: Path) -> dict[str, Seen]:
        found = {}
        for folder, _, names in os.walk(place):
            for name in names:
                path = Path(folder, name)
                if path.is_file() and (not path.is_symlink() or path.resolve().is_relative_to(self.root.resolve())):
                    seen = path.stat()
                    where = (Path(folder).stat().st_ino, name)
                    found[str(path.relative_to(place))] = Seen(
                        seen.st_ino, where, seen.st_mtime_ns, seen.st_mode, path.read_bytes(), path.is_symlink()
                    )
        return found

    def _folders(self) -> dict[str, int]:
        walked = (Path(folder) for folder, _, _ in os.walk(self.root))
        return {str(folder.relative_to(self.root)): folder.stat().st_ino for folder in walked if folder != self.root}


def is_data(path: str) -> bool:
    return not any(name.endswith(".tmp") or name.startswith(".") for name in path.split("/"))


def _by_inode(files: dict[str, Seen]) -> dict[int, frozenset[Seen]]:
    found: dict[int, set[Seen]] = defaultdict(set)
    for seen in files.values():
        if not seen.is_link:
            found[seen.inode].add(seen)
    return {inode: frozenset(seen) for inode, seen in found.items()}
