"""The demonstration laboratory in a real browser, for the modules that walk through it."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium, signed_in
from tests.factories import PASSWORD
from tests.service import Service

AS_LONG_AS_IT_TAKES = timedelta(minutes=8)  # to make it and to ask for its days
MIRA, OMAR = "mira@halden.example", "omar@halden.example"


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Its growth plates of yesterday are those of Ines; two admins may sign in."""
    stay_away_from_midnight()
    with Service(tmp_path_factory.mktemp("demonstration") / "data") as service:
        for email, name in ((MIRA, "Mira Example"), (OMAR, "Omar Example")):
            service.manage("create_admin", email, "--name", name, IDS_ADMIN_PASSWORD=PASSWORD)
        service.manage("seed_demo")
        yield service


def stay_away_from_midnight() -> None:
    """Yesterday is to be the same day for those who ask as for who made it."""
    at = datetime.now(UTC)
    if (left := datetime(at.year, at.month, at.day, tzinfo=UTC) + timedelta(days=1) - at) < AS_LONG_AS_IT_TAKES:
        time.sleep(left.total_seconds() + 1)


@pytest.fixture(scope="module")
def demonstration_browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def mira(demonstration: Service, demonstration_browser: Browser) -> Any:
    """Her cookies."""
    return signed_in(demonstration_browser, demonstration.url, MIRA)
