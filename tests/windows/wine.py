"""A Windows of the tests' own, below the checkout's var/cache: wine, CPython for Windows and the agent's packages.

It is made once for what the locks name, and kept; every test works in a copy, whose files are hard links but for
the registry.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from agent.packaging import downloads, targets, trees
from tests.windows import missing_dll

CHECKOUT = Path(__file__).resolve().parents[2]
KEPT = CHECKOUT / "var" / "cache" / "windows"
PYTHON = "C:\\python\\python.exe"
PYTHON_VERSION = "3.11"
TEST_LOCK = CHECKOUT / "requirements-test.lock"
TEST_PACKAGES = (
    "certifi", "charset-normalizer", "hypothesis", "idna", "iniconfig", "packaging", "pluggy", "pygments", "pytest",
    "requests", "sortedcontainers", "urllib3",
)  # fmt: skip
BOOT_SECONDS, STOP_SECONDS = 240, 60
ABANDONED_SECONDS = 7_200
WORK = "work-"
PERSON = "import sys; print('here', flush=True); sys.stdin.read()"


class Absent(Exception):
    """Wine, or what runs on it, cannot be had here."""


class Wine:
    """A context: a prefix with its own registry, services and drive C:, which ends with all its processes."""

    def __init__(self, prefix: Path) -> None:
        self.prefix = prefix
        self.drive = prefix / "drive_c"
        self.environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DISPLAY"))},
            "WINEPREFIX": str(prefix),
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "mscoree,mshtml=",  # neither .NET nor a browser
            "HOME": str(prefix / "home"),
            "PYTHONUNBUFFERED": "1",
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def log_on(self) -> None:
        """Wine ends its services with the last program of a person: let there be one, which leaves with the tests
        however they end. It comes first, since what it starts holds on to its output."""
        said = self.prefix / "person.log"
        said.unlink(missing_ok=True)
        person = self.start(PYTHON, "-c", PERSON, output=said, stdin=subprocess.PIPE)
        deadline = time.monotonic() + BOOT_SECONDS
        while "here" not in said.read_text(errors="replace"):
            if person.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"CPython does not run on wine: {said.read_text(errors='replace')}")
            time.sleep(0.1)
        self.person = person

    def start(
        self, *command: str, output: Path, stdin: int = subprocess.DEVNULL, **variables: str
    ) -> "subprocess.Popen[bytes]":
        """A process of Windows; its pid is one of this system. Through a pipe, since wine's CPython takes no files."""
        with output.open("ab") as file:
            scribe = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=file)
        assert scribe.stdin is not None
        with scribe.stdin as pipe:
            return subprocess.Popen(
                ["wine", *command], env=self.environ | variables, stdin=stdin, stdout=pipe, stderr=pipe, cwd=self.drive
            )

    def run(
        self, *command: str, seconds: float = 300, folder: Path | None = None, **variables: str
    ) -> "subprocess.CompletedProcess[str]":
        """A command of Windows, to its end; what it says is UTF-8 or replaced."""
        return subprocess.run(
            ["wine", *command], env=self.environ | variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=seconds, cwd=folder or self.drive, check=False,
            encoding="utf-8", errors="replace",
        )  # fmt: skip

    def stop(self) -> None:
        """End every process of this prefix, and only of it."""
        for option in ("-k", "-w"):
            subprocess.run(["wineserver", option], env=self.environ, timeout=STOP_SECONDS, check=False)


def wait_for(process: "subprocess.Popen[bytes]", *, seconds: float) -> int | None:
    """Its exit code; None where it had to be ended."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return None


def windows_path(place: Path) -> str:
    """A place of this system as drive Z: shows it."""
    return "Z:" + str(place).replace("/", "\\")


@contextlib.contextmanager
def copy_of(kept: Path) -> Iterator[Wine]:
    """A copy of a prefix that is at rest, with somebody logged on."""
    with tempfile.TemporaryDirectory(dir=KEPT, prefix=WORK, ignore_cleanup_errors=True) as work:
        prefix = Path(work) / "prefix"
        subprocess.run(["cp", "--archive", "--link", kept, prefix], check=True)
        for registry in kept.glob("*.reg"):  # wine writes into one that has several names, and so into all of them
            (prefix / registry.name).unlink()
            shutil.copy2(registry, prefix)
        with Wine(prefix) as copy:
            copy.log_on()
            yield copy


@contextlib.contextmanager
def proven_copy() -> Iterator[Wine]:
    """A copy of the kept prefix, in which CPython was seen to run. Raises Absent, whatever stands in the way."""
    with contextlib.ExitStack() as stack:
        try:
            copy = stack.enter_context(copy_of(kept_prefix()))
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            raise Absent(f"wine does not start here: {error}") from error
        yield copy


def kept_prefix() -> Path:
    """The prefix that fits the locks, made where there is none, in place of those that no longer fit. Raises Absent."""
    refuse_absence()
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        kept = KEPT / f"kept-{_digest()}"
        if not kept.exists():
            for outdated in KEPT.glob("kept-*"):
                shutil.rmtree(outdated)
            shutil.rmtree(KEPT / "new", ignore_errors=True)
            _make(KEPT / "new")
            (KEPT / "new").rename(kept)
        _forget_abandoned()
        return kept


def _forget_abandoned() -> None:
    """Copies of tests that were killed."""
    for work in KEPT.glob(f"{WORK}*"):
        if time.time() - work.stat().st_mtime > ABANDONED_SECONDS:
            shutil.rmtree(work, ignore_errors=True)


def refuse_absence() -> None:
    """Raises Absent where there is no wine."""
    if missing := [program for program in ("wine", "wineserver") if shutil.which(program) is None]:
        raise Absent(f"{' and '.join(missing)} not installed (on Debian: apt-get install wine wine64)")


def _digest() -> str:
    """Changes with everything the kept Windows is made of."""
    makers = [Path(file) for file in (__file__, missing_dll.__file__, trees.__file__)]
    made_of = [trees.LOCK, TEST_LOCK, downloads.EMBEDDED_LOCK, *makers]
    version = subprocess.run(["wine", "--version"], capture_output=True, check=False).stdout
    return hashlib.sha256(version + b"".join(path.read_bytes() for path in made_of)).hexdigest()[:16]


def _make(prefix: Path) -> None:
    target = targets.windows(PYTHON_VERSION)
    try:
        embedded = downloads.download_embedded_python(cache=KEPT)
        locked = targets.lines_of(trees.LOCK, target)
        wheels = downloads.download_wheels(locked, target, cache=KEPT)
        tools = targets.lines_of(TEST_LOCK, target, only=TEST_PACKAGES)
        wheels += downloads.download_wheels(tools, target, cache=KEPT)
    except downloads.IndexAway as error:
        raise Absent(str(error)) from None
    prefix.mkdir(parents=True)
    with Wine(prefix) as fresh:
        Path(fresh.environ["HOME"]).mkdir()
        booted = fresh.run("wineboot", "--init", seconds=BOOT_SECONDS, folder=prefix)
        missing_dll.add_missing_dll(fresh.drive / "windows" / "system32")
        packages = trees.lay_out_embedded_python(embedded, fresh.drive / "python")
        (fresh.drive / "python" / "python311._pth").unlink()  # with it PYTHONPATH would not count
        trees.unpack_wheels(wheels, packages)
        answer = fresh.run(PYTHON, "-c", "import win32service, pytest; print('ready')")
    if "ready" not in answer.stdout:
        raise Absent(f"CPython does not run on wine: {booted.stdout[-500:]} {answer.stdout}")
