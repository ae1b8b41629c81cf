"""A running service whose parts can be killed, and a script that talks to it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests

from tests.service import Service

SCOPES = (
    "instruments:read,instruments:create,runs:read,runs:create,runs:update,runs:upload,runs:comment,"
    "files:read,files:update,archive-jobs:write,notifications:create,watchers:read,watchers:report"
)
Call = Callable[..., requests.Response]


@pytest.fixture
def service(tmp_path) -> Iterator[Service]:
    with Service(tmp_path / "data") as running:
        yield running


@pytest.fixture
def call(service: Service) -> Call:
    """call("POST", "/instruments", {...}) with a token of every scope a script needs."""
    session = requests.Session()
    token = service.manage("create_token", "faults", "--scopes", SCOPES).strip()
    session.headers["Authorization"] = f"Bearer {token}"

    def send(method: str, path: str, body: Any = None, **options: Any) -> requests.Response:
        url = f"{service.url}/api/v1{path}"
        return session.request(method, url, json=body, timeout=60, allow_redirects=False, **options)

    return send
