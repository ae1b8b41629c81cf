"""The live service, and a laboratory for each test that drives the agent against it."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.tests.lab import HELPER_SCOPES, SCOPES, Lab
from instrument_watcher.activity import Activity
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.journal.journal import Journal
from tests.service import Service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One `./ids serve` for all tests of the agent; a test that wants it away cuts the way to it (way.py)."""
    with Service(tmp_path_factory.mktemp("agent") / "data") as running:
        yield running


@pytest.fixture(scope="session")
def tokens(service: Service) -> tuple[str, str]:
    """The agents', and one that may do more."""
    agents = service.manage("create_token", "watcher", "--scopes", SCOPES).strip()
    return agents, service.manage("create_token", "helper", "--scopes", HELPER_SCOPES).strip()


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
