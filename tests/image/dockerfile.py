"""The steps of a Dockerfile, read from the file and run in a bare Debian in place of the image that FROM names."""

import json
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wcmatch import glob

from tests.image.debian import Debian

CONTINUED = re.compile(r"\\\n(?:[ \t]*#[^\n]*\n)*")
# The image `python` has its own Python as /usr/local/bin/python; Debian's is the same release under another name.
BASES = {
    "python:3.11-slim-bookworm": "apt-get update && apt-get install --yes --no-install-recommends python3 python3-venv"
    " && ln -s /usr/bin/python3 /usr/local/bin/python && rm -rf /var/lib/apt/lists/*"
}


@dataclass
class Image:
    """What the steps so far made; `command` is CMD."""

    debian: Debian
    user: str = "root"
    place: str = "/"
    environ: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    command: list[str] = field(default_factory=list)
    volumes: list[str] = field(default_factory=list)

    def as_user(self) -> list[str]:
        return ["setpriv", "--reuid", self.user, "--regid", self.user, "--init-groups"] if self.user != "root" else []

    def shell(self, script: str) -> None:
        words = [*self.as_user(), "/bin/sh", "-c", f"cd {shlex.quote(self.place)}\n{script}"]
        self.debian.run(*words, environ=self.environ | self.arguments | {"DEBIAN_FRONTEND": "noninteractive"})

    def path(self, name: str) -> Path:
        """Where `name` of the image lies on this machine."""
        return self.debian.root / str(Path(self.place) / name).lstrip("/")


def read_steps(file: Path) -> Iterator[tuple[str, str]]:
    """Instruction and what follows it, comments left out and continued lines joined."""
    text = CONTINUED.sub(" ", re.sub(r"^\s*#.*\n", "", file.read_text(), flags=re.M))
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, rest = line.partition(" ")
        yield name, rest.strip()


def build_image(file: Path, context: Path, debian: Debian, **arguments: str) -> Image:
    """Every step as it stands; one that is not known here is an error, not passed over."""
    image = Image(debian)
    for name, rest in read_steps(file):
        match name:
            case "FROM":
                image.shell(BASES[rest])
            case "RUN":
                image.shell(rest)
            case "COPY":
                copy_in(image, rest.split(), context, read_ignored(file.with_name(f"{file.name}.dockerignore")))
            case "WORKDIR":
                image.place = rest
                image.path(".").mkdir(parents=True, exist_ok=True)
            case "ARG":
                argument, _, default = rest.partition("=")
                image.arguments[argument] = arguments.get(argument, default)
            case "ENV":
                image.environ |= dict(word.split("=", 1) for word in shlex.split(rest))
            case "USER":
                image.user = rest
            case "CMD":
                image.command = json.loads(rest)
            case "VOLUME":
                image.volumes.append(rest)
            case "EXPOSE" | "STOPSIGNAL":
                pass  # said to the engine
            case _:
                raise NotImplementedError(f"{name} {rest}")
    return image


def read_ignored(file: Path) -> list[str]:
    return [line for line in file.read_text().split() if not line.startswith("#")]


def copy_in(image: Image, words: list[str], context: Path, ignored: list[str]) -> None:
    *sources, target = words
    for source in sources:
        copy_tree(context / source, image.path(target), context, ignored)


def copy_tree(source: Path, target: Path, context: Path, ignored: list[str]) -> None:
    if is_ignored(source.relative_to(context), ignored):
        return
    if not source.is_dir() or source.is_symlink():
        into = target / source.name if target.is_dir() else target
        shutil.copy2(source, into, follow_symlinks=False)
        return
    target.mkdir(parents=True, exist_ok=True)
    shutil.copymode(source, target)
    for child in source.iterdir():
        copy_tree(child, target / child.name, context, ignored)


def is_ignored(path: Path, patterns: Mapping[str, str] | list[str]) -> bool:
    return bool(glob.globmatch(str(path), list(patterns), flags=glob.GLOBSTAR | glob.DOTGLOB))
