"""The live service, and a laboratory for each test that drives the agent against it."""

import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.tests.lab import Lab
from agent.tests.not_on_windows import NOT_ON_WINDOWS
from agent.tests.running import Service, make_tokens, running_service
from instrument_watcher.activity import Activity
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config, GroupBy, Grouping
from instrument_watcher.journal.journal import Journal
from instrument_watcher.watching.judging import Judge

collect_ignore = list(NOT_ON_WINDOWS) if sys.platform == "win32" else ["test_windows.py"]


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One `./ids serve` for all tests of the agent; a test that wants it away cuts the way to it (way.py)."""
    with running_service(tmp_path_factory.mktemp("agent") / "data") as running:
        yield running


@pytest.fixture(scope="session")
def tokens(service: Service) -> tuple[str, str]:
    return make_tokens(service)


@pytest.fixture
def lab(service: Service, tokens: tuple[str, str], tmp_path: Path) -> Iterator[Lab]:
    token, helper = tokens
    instrument = f"reader-{uuid.uuid4().hex[:12]}"
    with Lab(tmp_path, url=service.url, token=token, helper=helper, instrument=instrument) as laboratory:
        yield laboratory


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal(tmp_path / "journal.sqlite3")
    yield opened
    opened.close()


@pytest.fixture
def chronicle(journal: Journal) -> Chronicle:
    return Chronicle(journal, Activity())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "instrument"
    (folder / "R1").mkdir(parents=True)
    return folder


@pytest.fixture
def config(root: Path) -> Config:
    return Config("https://x", "reader", root, run_grouping=Grouping(GroupBy.TOP_FOLDER))


@pytest.fixture
def judge(config: Config, journal: Journal, chronicle: Chronicle) -> Judge:
    return Judge(config, journal, chronicle)
