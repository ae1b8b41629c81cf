"""The service that the agent's tests talk to. Where they run on Windows it stands beside it, and was started before."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

URL, TOKENS = "IDS_SERVICE_URL", "IDS_SERVICE_TOKENS"
SCOPES = (
    "instruments:read,instruments:create,watchers:read,watchers:report,runs:read,runs:create,runs:update,runs:upload,"
    "files:read,files:update"
)
HELPER_SCOPES = f"{SCOPES},watchers:admin,runs:delete,files:delete"


class Service(Protocol):
    url: str

    @property
    def data(self) -> Path: ...

    def manage(self, *arguments: str) -> str: ...


def make_tokens(service: Service) -> tuple[str, str]:
    """The agents', and one that may do more."""
    agents = service.manage("create_token", "watcher", "--scopes", SCOPES).strip()
    return agents, service.manage("create_token", "helper", "--scopes", HELPER_SCOPES).strip()


if sys.platform == "win32":

    @dataclass
    class Standing:
        """Started by somebody else, who says where it is and with which tokens."""

        url: str

        @property
        def data(self) -> Path:
            pytest.skip("the service's data lie where it runs")

        def manage(self, *arguments: str) -> str:
            if arguments[0] == "create_token":
                return os.environ[TOKENS].split()[0 if arguments[1] == "watcher" else 1]
            pytest.skip("the service is managed where it runs")

    @contextmanager
    def running_service(data: Path) -> Iterator[Service]:
        if URL not in os.environ:
            pytest.skip(f"{URL} does not say where the service runs")
        yield Standing(os.environ[URL])

else:
    from tests import service

    @contextmanager
    def running_service(data: Path) -> Iterator[Service]:
        with service.Service(data) as running:
            yield running
