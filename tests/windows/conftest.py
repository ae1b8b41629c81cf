"""Windows on wine, the service beside it, and the agent's installer: made once a session, where they can be had."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from agent.packaging import downloads, installer, trees
from agent.tests.running import make_tokens
from tests.service import Service
from tests.sign_in import sign_in
from tests.windows import lane, wine
from tests.windows.computer import Computer, run_installer

BEHIND = 2
KEPT_INSTALLERS = 4
INSTALLED_PYTHON = "C:\\Program Files\\Instrument Watcher\\python\\python.exe"
IMPORT_ALL = """
import contextlib, importlib, pkgutil, instrument_watcher
for module in pkgutil.walk_packages(instrument_watcher.__path__, "instrument_watcher."):
    with contextlib.suppress(Exception):
        module.name.endswith("__main__") or importlib.import_module(module.name)
"""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The lane comes first and in one piece: so one worker has all of it, and the others steal what comes behind."""
    items.sort(key=place_in_order)


def pytest_runtest_setup() -> None:
    """In the time that `./ids test --all` gives the lane."""
    if time.time() > float(os.environ.get(lane.BEGIN_UNTIL, "inf")):
        pytest.skip("the lane's time is over on this computer: ./ids test -m windows takes all that it needs")


def place_in_order(item: pytest.Item) -> int:
    if item.get_closest_marker("windows") is None:
        return BEHIND
    return {"test_rig.py": -1, "test_agent_suite.py": 1}.get(item.path.name, 0)


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    with tempfile.TemporaryDirectory() as folder, Service(Path(folder) / "data") as running:
        yield running


@pytest.fixture(scope="session")
def tokens(service: Service) -> tuple[str, str]:
    """The agents', and one that may do more."""
    return make_tokens(service)


@pytest.fixture(scope="session")
def admin(service: Service) -> requests.Session:
    """An admin's browser."""
    return sign_in(service, "ada@lab.example", "--admin")


@pytest.fixture(scope="session")
def windows() -> Iterator[wine.Wine]:
    with contextlib.ExitStack() as stack:
        try:
            copy = stack.enter_context(wine.proven_copy())
        except wine.Absent as absent:
            pytest.skip(str(absent))
        yield copy


@pytest.fixture(scope="session")
def kept_prefix(windows: wine.Wine) -> Path:
    """It is known to work: `windows` is one of its copies."""
    return wine.kept_prefix()


@pytest.fixture
def computer(kept_prefix: Path, service: Service, tokens: tuple[str, str]) -> Iterator[Computer]:
    """A Windows computer of its own beside an instrument; the agent is not installed yet."""
    with wine.copy_of(kept_prefix) as copy:
        yield new_computer(copy, service, tokens)


@pytest.fixture(scope="session")
def installed_prefix(kept_prefix: Path) -> Path:
    """Version 0.1.0 is installed there, and its modules are compiled; nothing runs. Kept as the installer is."""
    setup = kept_installer("0.1.0")
    place = wine.KEPT / f"installed-{setup.parent.name}-{kept_prefix.name}"
    with (wine.KEPT / "installed.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not place.exists():
            for outdated in wine.KEPT.glob("installed-*"):
                shutil.rmtree(outdated)
            with wine.copy_of(kept_prefix) as copy:
                assert run_installer(copy, setup) == 0
                copy.run(INSTALLED_PYTHON, "-c", IMPORT_ALL)
                copy.stop()
                copy.prefix.rename(place)
    return place


@pytest.fixture
def day(installed_prefix: Path, service: Service, tokens: tuple[str, str]) -> Iterator[Computer]:
    """A Windows computer of its own beside an instrument, with the agent."""
    with wine.copy_of(installed_prefix) as copy:
        yield new_computer(copy, service, tokens)


def new_computer(windows: wine.Wine, service: Service, tokens: tuple[str, str]) -> Computer:
    token, helper = tokens
    return Computer(windows, url=service.url, token=token, helper=helper, instrument=f"pc-{uuid.uuid4().hex[:12]}")


@pytest.fixture(scope="session")
def installers() -> tuple[Path, Path]:
    """Version 0.1.0 and the next one; kept between sessions for as long as nothing in them changes."""
    return kept_installer("0.1.0"), kept_installer("0.1.1")


def kept_installer(version: str) -> Path:
    folders = (trees.AGENT / "src", trees.AGENT / "packaging")
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in SOURCES]
    sources = [*files, trees.LOCK]
    digest = hashlib.sha256(version.encode() + b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    folder = wine.KEPT / "installers" / digest
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"InstrumentWatcher-{version}.exe"
    with (folder.parent / "lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not place.exists():
            with tempfile.TemporaryDirectory(dir=wine.KEPT, prefix=wine.WORK) as part:
                build(Path(part), version).replace(place)
            forget_outdated(folder.parent)
    return place


SOURCES = (".py", ".lock", ".nsi", ".cmd")


def build(folder: Path, version: str) -> Path:
    try:
        return installer.build_installer(folder, cache=wine.KEPT, version=version)
    except (downloads.IndexAway, installer.ToolMissing) as absent:
        pytest.skip(str(absent))


def forget_outdated(folder: Path) -> None:
    for kept in sorted(folder.glob("*/*.exe"), key=lambda place: place.stat().st_mtime)[:-KEPT_INSTALLERS]:
        kept.unlink()
        kept.parent.rmdir()
