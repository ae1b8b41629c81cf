"""All walls in the order in which they are raised, and which of them the machine at hand can raise."""

import json
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from processing.confined.walls import landlock, namespaces, privileges, seccomp


@dataclass(frozen=True)
class Wall:
    name: str
    keeps_from: str
    remedy: str  # where it is missing
    build: Callable[[Path], None]


WALLS = (
    Wall(
        "namespaces",
        "the network, tracing and reading other processes, thousands of threads",
        "allow user namespaces: sysctl user.max_user_namespaces above 0, kernel.unprivileged_userns_clone=1 (Debian), "
        "kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu); in a container, allow unshare",
        lambda home: namespaces.enter_own_namespaces(),
    ),
    Wall(
        "privileges",
        "root's powers, and programs that lend them",
        "use a kernel from Linux 3.5 on",
        lambda home: privileges.give_up_privileges(),
    ),
    Wall(
        "landlock",
        "files that are not theirs",
        "use a kernel from Linux 5.13 on with Landlock among its security modules (lsm=landlock,…)",
        landlock.restrict_files,
    ),
    Wall(
        "seccomp",
        "sockets, programs, further processes, signals to others",
        "install libseccomp (on Debian: apt-get install libseccomp2), with a kernel that has seccomp filters",
        lambda home: seccomp.restrict_calls(),
    ),
)


def raise_walls(home: Path, *, missing: Collection[str] = ()) -> None:
    """Raise all but those known to be missing. OSError: one that was there is not."""
    for wall in WALLS:
        if wall.name not in missing:
            wall.build(home)


def prepare_walls(missing: Collection[str]) -> None:
    """What is the same in every child is found out once, by the process that forks them."""
    landlock.list_library_paths()
    if "seccomp" not in missing:
        seccomp.build_allow_filter()


def probe_walls(home: Path) -> dict[str, str]:
    """The walls that cannot be raised here, each with the reason; tried in a child that ends at once."""
    answers, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writing, json.dumps(try_walls(home)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(answers, "rb") as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    missing: Mapping[str, str] = json.loads(said)
    return dict(missing)


def try_walls(home: Path) -> dict[str, str]:
    missing = {}
    for wall in WALLS:
        try:
            wall.build(home)
        except (OSError, AttributeError) as error:  # a library or a function of libc may be missing
            missing[wall.name] = str(error)
    return missing
