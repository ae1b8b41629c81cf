"""The demonstration laboratory in a real browser, for the modules that walk through it."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium, signed_in
from tests.factories import PASSWORD
from tests.service import Service

MIRA, OMAR = "mira@halden.example", "omar@halden.example"


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Its growth plates of yesterday are those of Ines; two admins may sign in."""
    with Service(tmp_path_factory.mktemp("demonstration") / "data") as service:
        for email, name in ((MIRA, "Mira Example"), (OMAR, "Omar Example")):
            service.manage("create_admin", email, "--name", name, IDS_ADMIN_PASSWORD=PASSWORD)
        service.manage("seed_demo")
        yield service


@pytest.fixture(scope="module")
def demonstration_browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def mira(demonstration: Service, demonstration_browser: Browser) -> Any:
    """Her cookies."""
    return signed_in(demonstration_browser, demonstration.url, MIRA)
