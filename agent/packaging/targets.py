"""The systems that packages of the agent are made for, and which lines of a lock hold on each."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

MANYLINUX = ("manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux_2_28_x86_64")


@dataclass(frozen=True)
class Target:
    """One system and one Python; `platforms` are the tags of wheels that run there."""

    python: str
    platforms: tuple[str, ...]
    markers: tuple[tuple[str, str], ...]

    def environment(self) -> dict[str, str]:
        """What a lock's markers are judged by (the PyPA's "Dependency specifiers")."""
        return dict(self.markers) | {
            "python_version": self.python,
            "python_full_version": f"{self.python}.9",
            "implementation_name": "cpython",
            "platform_python_implementation": "CPython",
            "extra": "",
        }


def windows(python: str) -> Target:
    markers = (("sys_platform", "win32"), ("platform_system", "Windows"), ("os_name", "nt"))
    return Target(python, ("win_amd64",), (*markers, ("platform_machine", "AMD64")))


def linux(python: str) -> Target:
    markers = (("sys_platform", "linux"), ("platform_system", "Linux"), ("os_name", "posix"))
    return Target(python, MANYLINUX, (*markers, ("platform_machine", "x86_64")))


def lines_of(lock: Path, target: Target, *, only: Collection[str] = ()) -> list[str]:
    """The lines of a lock, with their hashes, that hold on the target; of all packages, or of some."""
    chosen = []
    for line in lock.read_text().replace("\\\n", " ").splitlines():
        text, _, hashes = line.partition(" --hash=")
        if not hashes:
            continue
        needed = Requirement(text)
        is_due = needed.marker is None or needed.marker.evaluate(target.environment())
        if is_due and (not only or needed.name in only):
            chosen.append(f"{needed.name}{needed.specifier} --hash={' '.join(hashes.split())}")
    return chosen
