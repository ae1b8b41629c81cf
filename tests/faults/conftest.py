"""A running service whose parts can be killed, and a script that talks to it."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests

from tests.faults.load import Load
from tests.service import Service

SCOPES = (
    "instruments:read,instruments:create,runs:read,runs:create,runs:update,runs:upload,runs:comment,"
    "files:read,files:update,archive-jobs:write,notifications:create,watchers:read,watchers:report"
)
Call = Callable[..., requests.Response]
Tell = Callable[[str], None]


@pytest.fixture(scope="module")
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One for all tests of a module, which says in VARIABLES what it sets."""
    variables = {"REQUESTS_PER_SECOND": "0"} | getattr(request.module, "VARIABLES", {})  # load is not what is limited
    with Service(tmp_path_factory.mktemp("faults") / "data", **variables) as running:
        yield running


@pytest.fixture(scope="module")
def token(service: Service) -> str:
    return service.manage("create_token", "faults", "--scopes", SCOPES).strip()


@pytest.fixture
def call(service: Service, token: str) -> Call:
    """call("POST", "/instruments", {...}) with a token of every scope a script needs."""
    session = requests.Session()
    session.trust_env = False
    session.headers["Authorization"] = f"Bearer {token}"

    def send(method: str, path: str, body: Any = None, **options: Any) -> requests.Response:
        url = f"{service.url}/api/v1{path}"
        return session.request(method, url, json=body, timeout=60, allow_redirects=False, **options)

    send("POST", "/instruments", {"id": "faults-1"})
    return send


@pytest.fixture
def load(service: Service, token: str, call: Call, request: pytest.FixtureRequest) -> Load:
    return Load(service.url, token, name=request.node.name)


@pytest.fixture
def tell(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Tell:
    """What a test did and saw: printed, and kept in the report."""

    def say(text: str) -> None:
        request.node.user_properties.append(("saw", text))
        with capsys.disabled():
            sys.stdout.write(f"\n  {request.node.name}: {text}\n")

    return say


def signal_all(pids: list[int], number: signal.Signals) -> int:
    """How many of them were still there."""
    reached = 0
    for pid in pids:
        try:
            os.kill(pid, number)
            reached += 1
        except ProcessLookupError:
            continue
    return reached
