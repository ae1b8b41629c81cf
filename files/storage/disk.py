"""File operations of the local store that survive a power cut, and what a full or broken disk is called."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from files.storage.interface import StoreFull, StoreUnavailable

MIB = 1024 * 1024
RESERVED_BYTES = 64 * MIB  # kept free, so that the database beside the objects can go on; a twentieth of a small disk
DISK_FULL_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
PRIVATE = 0o700
MAX_SYNCED_DIRECTORIES = 10_000
SYNCED_DIRECTORIES: set[Path] = set()  # whose names this process knows to be on disk
ALREADY_EXISTS_ERRNOS = (errno.ENOTEMPTY, errno.EEXIST)


@contextmanager
def translate_disk_errors() -> Iterator[None]:
    """What the disk refuses becomes StoreFull or StoreUnavailable."""
    try:
        yield
    except OSError as problem:
        if problem.errno in DISK_FULL_ERRNOS:
            raise StoreFull from problem
        raise StoreUnavailable(f"The object store cannot be used ({problem.strerror}).") from problem


def has_free_space(place: Path | int) -> bool:
    """Whether the disk of a path, or of an open file, has more than the reserve left."""
    disk = os.statvfs(place)
    return disk.f_bavail * disk.f_frsize >= min(RESERVED_BYTES, disk.f_blocks * disk.f_frsize // 20)


def write_new_file(path: Path, data: bytes) -> None:
    """A file where none is: its bytes are on disk when this returns, its name once its directory is synced."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_file(path: Path, data: bytes, *, sync: bool = True) -> None:
    """A new file, on disk when this returns unless `sync` is off; replaces an older one in one step."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        with fresh.open("xb") as file:
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    if sync:
        sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """The names in a directory are on disk when this returns. One that went away has none to keep."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_directory(path: Path, *, root: Path, mode: int = PRIVATE) -> None:
    """A directory at or below `root` with all above it, each name of them on disk.

    That one is there below the root does not say so: another process may have made it this moment. So each process
    syncs each name once.
    """
    for directory in make_names(path, root=root, mode=mode):
        sync_directory(directory.parent)
        if len(SYNCED_DIRECTORIES) >= MAX_SYNCED_DIRECTORIES:
            SYNCED_DIRECTORIES.clear()
        SYNCED_DIRECTORIES.add(directory)


def make_names(path: Path, *, root: Path, mode: int = PRIVATE) -> list[Path]:
    """Make this directory and all above it; those whose names are still to be synced, the outermost first.

    They are made first and synced afterwards: what the first sync takes to the disk, the others find there.
    """
    is_there = path.is_dir()
    if is_there and (path in SYNCED_DIRECTORIES or root not in path.parents):
        return []
    above = make_names(path.parent, root=root, mode=mode)
    if not is_there:
        with suppress(FileExistsError):
            path.mkdir(mode=PRIVATE)
            if mode != PRIVATE:
                path.chmod(mode)  # whatever the umask
    return [*above, path]


def publish_directory(staged: Path, target: Path, *, root: Path, mode: int = PRIVATE) -> None:
    """Give a finished directory its final name, in one step. Raises FileExistsError where the name is taken.

    POSIX rename() replaces no directory that has something in it, and everything published has.
    """
    sync_directory(staged)
    while True:
        try:
            make_directory(target.parent, root=root, mode=mode)
            staged.rename(target)
            break
        except FileNotFoundError:  # a delete pruned the empty directory in between
            SYNCED_DIRECTORIES.clear()
            if not staged.exists():
                raise
        except OSError as problem:
            if problem.errno in ALREADY_EXISTS_ERRNOS:
                raise FileExistsError(problem.errno, "Taken", str(target)) from None
            raise
    sync_directory(target.parent)


def remove_published(published: Path, *, aside: Path, root: Path) -> None:
    """Take a directory from its name in one step, then its bytes, then the empty directories that led to it."""
    try:
        published.rename(aside)
    except FileNotFoundError:
        return
    sync_directory(published.parent)
    shutil.rmtree(aside, ignore_errors=True)
    with suppress(OSError):
        for parent in published.parents:
            if parent == root:
                break
            parent.rmdir()
