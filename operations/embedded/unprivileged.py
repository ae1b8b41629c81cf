"""PostgreSQL refuses to run as root. Where we are root, it runs in a user namespace or, without one, as nobody."""

import filecmp
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from operations.embedded.errors import EmbeddedError

NAMESPACE_COMMAND = ("unshare", "--user", "--map-user=1000", "--map-group=1000", "--")


@dataclass(frozen=True)
class Identity:
    """How a program that refuses root is run: behind `prefix`, as `user` (None: ourselves)."""

    prefix: tuple[str, ...] = ()
    user: int | None = None


@cache
def choose_identity() -> Identity:
    if os.geteuid() != 0:
        return Identity()
    if has_user_namespaces():
        return Identity(prefix=NAMESPACE_COMMAND)
    return Identity(user=find_nobody())


def find_nobody() -> int:
    return pwd.getpwnam("nobody").pw_uid


def has_user_namespaces() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*NAMESPACE_COMMAND, "true"], capture_output=True, stdin=subprocess.DEVNULL).returncode == 0


def change_owner(directory: Path, user: int) -> None:
    """Give a tree to `user`; the start before may have had another identity."""
    if directory.stat().st_uid == user:
        return
    for path in (directory, *directory.rglob("*")):
        os.chown(path, user, -1, follow_symlinks=False)


def ensure_reachable(binaries: Path, *, user: int, data: Path) -> Path:
    """The binaries where `user` can run them: in place, or copied into the data directory.

    The wheel keeps shared libraries in a sibling of its package, found by relative path: they move along.
    """
    if _can_run(binaries, user):
        return binaries
    package = binaries.parent.parent
    copy = data / "postgres-binaries"
    moved = copy / package.name / binaries.parent.name / binaries.name
    if not moved.exists() or not filecmp.cmp(binaries / "postgres", moved / "postgres"):
        shutil.rmtree(copy, ignore_errors=True)
        part = data / "postgres-binaries.part"
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(package, part / package.name, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, part / libraries.name, symlinks=True)
        part.replace(copy)
    if not _can_run(moved, user):
        raise EmbeddedError(
            f"PostgreSQL cannot run as root, and the user nobody cannot reach {data}: choose another --data directory, "
            "start as an ordinary user, or set DATABASE_URL."
        )
    return moved


def _can_run(binaries: Path, user: int) -> bool:
    command = [str(binaries / "postgres"), "--version"]
    try:
        subprocess.run(command, check=True, capture_output=True, user=user, group=user, extra_groups=[], cwd="/")
    except (PermissionError, subprocess.CalledProcessError):
        return False
    return True
