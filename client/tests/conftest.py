"""The live service, and a laboratory of one's own in it for each test."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import instrument_data as ids
from client.tests.desk import Desk
from tests.service import Service

SCOPES = (
    "instruments:read,instruments:create,runs:read,runs:create,runs:update,runs:delete,runs:upload,runs:comment,"
    "runs:share,files:read,files:update"
)


@dataclass
class Bench:
    """One instrument of the running service."""

    url: str
    token: str
    instrument: str
    data: Path


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("client") / "data") as running:
        yield running


@pytest.fixture(scope="session")
def token(service: Service) -> str:
    return service.manage("create_token", "script", "--scopes", SCOPES).strip()


@pytest.fixture(autouse=True)
def _nobodys_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads, or writes to, what a developer keeps."""
    for name in ("IDS_URL", "IDS_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("IDS_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("IDS_DATA_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def bench(service: Service, token: str) -> Bench:
    name = f"reader-{uuid.uuid4().hex[:12]}"
    with ids.connect(service.url, token) as lab:
        lab.connection.ask("POST", "/instruments", body={"id": name, "display_name": f"Synergy {name}"})
    return Bench(service.url, token, name, service.data)


@pytest.fixture
def lab(bench: Bench) -> Iterator[ids.Lab]:
    with ids.connect(bench.url, bench.token) as laboratory:
        yield laboratory


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder as an instrument leaves it."""
    folder = tmp_path / "results"
    (folder / "plate 1").mkdir(parents=True)
    (folder / "raw.csv").write_text("well,value\nB3,0.5\n")
    (folder / "plate 1" / "scan.bin").write_bytes(bytes(range(256)) * 300)
    (folder / "plate 1" / "empty.txt").touch()
    return folder


@pytest.fixture
def desk() -> Iterator[Desk]:
    """An HTTP server that answers as the contract says, where the service cannot be made to."""
    with Desk() as running:
        yield running
