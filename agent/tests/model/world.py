"""What instruments and people do to a folder."""

import os
import random
import shutil
from pathlib import Path

from agent.tests.model.watched import BEGAN, FOLDERS, SECOND, Watched, is_data

NAMES = ("a.csv", "b.csv", "c.csv", "A.csv")
SIZES = (0, 10, 10, 10, 30, 150)  # the last one goes in parts


class World(Watched):
    """Each method after `happen` is one thing that happens; where it cannot just now, nothing does."""

    has_numbered_names = False  # such as the service gives to versions

    def happen(self, what: str, chance: random.Random) -> None:
        with self.noted():
            getattr(self, f"_{what}")(chance)

    def _create(self, chance: random.Random) -> None:
        self._put(self._place(chance), self._bytes(chance))

    def _many(self, chance: random.Random) -> None:
        for _ in range(5):
            self._create(chance)

    def _append(self, chance: random.Random) -> None:
        if path := self._any(chance):
            if not (more := self._bytes(chance)):
                self.copied.add(path.read_bytes())  # it was only touched
            with path.open("ab") as stream:
                stream.write(more)
            self._stamp(path)

    def _rewrite(self, chance: random.Random) -> None:
        """In place: of the same size or not, the time as it was, of now, of long ago or to come."""
        if path := self._any(chance):
            kept = path.stat().st_mtime_ns
            size = path.stat().st_size if chance.random() < 0.7 else chance.choice(SIZES)
            with path.open("r+b") as stream:
                stream.write(self._made(size))
                stream.truncate(size)
            self._stamp(path, self._time(chance, kept))

    def _replace(self, chance: random.Random) -> None:
        """Beside it, and renamed over it."""
        if path := self._any(chance):
            kept, beside = path.stat(), path.with_name(f".{path.name}.tmp")
            beside.write_bytes(self._made(kept.st_size) if chance.random() < 0.7 else self._bytes(chance))
            is_told = self.tells_touches or self.is_heard
            self._stamp(beside, kept.st_mtime_ns if is_told and chance.random() < 0.4 else self._time(chance, None))
            beside.replace(path)

    def _write_slowly(self, chance: random.Random) -> None:
        """Under a temporary name, which an earlier time may have left; half of it, or renamed."""
        path = self._place(chance)
        beside = self.spelled(path.with_name(f"{path.name}.tmp"))
        if beside.exists() and self._may_stand(path):
            self._move(beside, path)
        elif path.parent.is_dir():
            beside.write_bytes(self._bytes(chance))
            self._stamp(beside)

    def _rename(self, chance: random.Random) -> None:
        path, target = self._any(chance), self._place(chance)
        if path and self._may_stand(target):
            self._move(path, target)

    def _change_case(self, chance: random.Random) -> None:
        """Of a file's name, or of a folder's."""
        path = self._any(chance) if chance.random() < 0.7 else self.spelled(self.root / chance.choice(FOLDERS))
        if path and path.exists():
            name = path.name.lower() if path.name != path.name.lower() else path.name.capitalize()
            target = path.with_name(name)
            if not os.path.lexists(target):
                path.rename(target)

    def _swap(self, chance: random.Random) -> None:
        one, other = self._any(chance), self._any(chance)
        if one and other and one != other:
            _swap(one, other)

    def _swap_folders(self, chance: random.Random) -> None:
        one, other = self.spelled(self.root / "R1"), self.spelled(self.root / "R2")
        if one.is_dir() and other.is_dir():
            _swap(one, other)

    def _chain(self, chance: random.Random) -> None:
        """A rotated log: b goes to c, a to b, and a is new."""
        folder = self.spelled(self.root / chance.choice(FOLDERS))
        for source, target in (("b.csv", "A.csv"), ("a.csv", "b.csv")):
            if (folder / source).is_file() and self._may_stand(folder / target):
                self._move(folder / source, folder / target)
        if chance.random() < 0.7:
            self._put(folder / "a.csv", self._bytes(chance))

    def _rename_folder(self, chance: random.Random) -> None:
        path, target = (self.spelled(self.root / chance.choice((*FOLDERS, "R3"))) for _ in range(2))
        if path.is_dir() and not target.exists() and target.parent.is_dir() and path not in target.parents:
            path.rename(target)

    def _move_out(self, chance: random.Random) -> None:
        if path := self._any(chance):
            self.count += 1
            path.rename(self.outside / f"{self.count} {path.name}")

    def _move_in(self, chance: random.Random) -> None:
        away, target = sorted(self.outside.iterdir()), self._place(chance)
        if away and self._may_stand(target):
            self._move(chance.choice(away), target)

    def _folder_out_and_in(self, chance: random.Random) -> None:
        folder, away = self.spelled(self.root / "R2"), self.outside.with_name("unmounted")
        if away.exists():
            if not folder.exists():
                away.rename(folder)
        elif folder.is_dir():
            folder.rename(away)

    def _delete(self, chance: random.Random) -> None:
        if path := self._any(chance):
            path.unlink()

    def _make_again(self, chance: random.Random) -> None:
        """Bytes that stood somewhere before, at any place."""
        data = chance.choice(sorted(self.stood))
        self.copied.add(data)
        self._put(self._place(chance), data)

    def _copy(self, chance: random.Random) -> None:
        """With the time of the first or without."""
        path, target = self._any(chance), self.spelled(self._place(chance))
        if path and target.parent.is_dir() and not target.is_dir() and path != target and not target.is_symlink():
            if target.exists() and target.samefile(path):
                return
            self.copied.add(path.read_bytes())
            shutil.copyfile(path, target)
            self._stamp(target, chance.choice((path.stat().st_mtime_ns, None)))

    def _hard_link(self, chance: random.Random) -> None:
        path, target = self._any(chance), self.spelled(self._place(chance))
        if path and target.parent.is_dir() and not os.path.lexists(target):
            self.copied.add(path.read_bytes())
            target.hardlink_to(path)

    def _link(self, chance: random.Random) -> None:
        path, target = self._any(chance), self.spelled(self._place(chance))
        if path and target.parent.is_dir() and not os.path.lexists(target):
            self.copied.add(path.read_bytes())
            target.symlink_to(chance.choice((path, path.parent, self.outside)))

    def _unlink(self, chance: random.Random) -> None:
        links = sorted(path for path in self.root.rglob("*") if path.is_symlink())
        if links:
            chance.choice(links).unlink()

    def _folder_for_file(self, chance: random.Random) -> None:
        if path := self._any(chance):
            path.unlink()
            path.mkdir()
            self._put(path / "inner.csv", self._bytes(chance))

    def _file_for_folder(self, chance: random.Random) -> None:
        folders = sorted(path for path in self.root.rglob("*.csv") if path.is_dir() and not path.is_symlink())
        if folders:
            folder = chance.choice(folders)
            shutil.rmtree(folder)
            self._put(folder, self._bytes(chance))

    def _touch(self, chance: random.Random) -> None:
        if path := self._any(chance):
            self.copied.add(path.read_bytes())  # another time makes it another file to a name that is not known
            if chance.random() < 0.5:
                path.chmod(chance.choice((0o600, 0o644, 0o640)))
            else:
                self._stamp(path, self._time(chance, None))

    def _forbid(self, chance: random.Random) -> None:
        """Another program has it for itself, or somebody took the permission."""
        if path := self._any(chance):
            self.forbidden.add(path.stat().st_ino)

    def _allow(self, chance: random.Random) -> None:
        self.forbidden.clear()

    # how

    def _place(self, chance: random.Random) -> Path:
        names = (*NAMES, "a~2.csv") if self.has_numbered_names else NAMES
        return self.spelled(self.root / chance.choice(FOLDERS)) / chance.choice(names)

    def _any(self, chance: random.Random) -> Path | None:
        files = [path for path in self.files() if is_data(path) and "always" not in path]
        return self.root / chance.choice(files) if files else None

    def _bytes(self, chance: random.Random) -> bytes:
        return self._made(chance.choice(SIZES))

    def _made(self, size: int) -> bytes:
        """No two alike, but for the empty ones."""
        self.count += 1
        return random.Random(self.count).randbytes(size)

    def _time(self, chance: random.Random, kept: int | None) -> int | None:
        """That which it had, now, long ago or to come. Where nothing tells of touches, nobody could tell the first."""
        self.count += 1
        far = chance.choice((315_532_800, 4_000_000_000)) * SECOND + self.count
        return chance.choice((kept if self.tells_touches else None, None, far))

    def _may_stand(self, target: Path) -> bool:
        return target.parent.is_dir() and not self.spelled(target).is_dir()

    def _move(self, path: Path, target: Path) -> None:
        """Over what stands there, which loses its spelling, too."""
        there = self.spelled(target)
        if there != path and os.path.lexists(there):
            there.unlink()
        path.rename(target)

    def _put(self, path: Path, data: bytes) -> None:
        path = self.spelled(path)
        if path.parent.is_dir() and not path.is_dir() and not path.is_symlink():
            path.write_bytes(data)
            self._stamp(path)

    def _stamp(self, path: Path, time_ns: int | None = None) -> None:
        if time_ns is None:
            self.count += 1
            time_ns = int((BEGAN + self.now) * 1000) * 1_000_000 + self.count
        os.utime(path, ns=(time_ns, time_ns))


def _swap(one: Path, other: Path) -> None:
    beside = one.with_name(".swapped")
    one.rename(beside)
    other.rename(one)
    beside.rename(other)
