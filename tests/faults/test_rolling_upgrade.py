"""The upgrade of docs/operations.md under load: all is started anew, one after the other, and no call is lost."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests

from tests.faults.checker import differences, on_disk
from tests.faults.conftest import SCOPES
from tests.faults.installation import Installation
from tests.faults.load import INSTRUMENT, Load
from tests.faults.nginx import find_nginx, running_nginx
from tests.ports import free_port

pytestmark = [pytest.mark.faults, pytest.mark.slow]

ROUNDS = 2  # of all web servers; everything else once


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """Behind the shipped proxy where nginx is installed, else behind one that passes connections on."""
    with ExitStack() as stack:
        port = free_port()
        address = {"PUBLIC_URL": f"http://127.0.0.1:{port}"} if find_nginx() else {}
        running = stack.enter_context(Installation(tmp_path / "lab", REQUESTS_PER_SECOND="0", **address))
        if find_nginx():
            stack.enter_context(running_nginx(running.ports, port=port, folder=tmp_path / "nginx"))
            running.url = address["PUBLIC_URL"]
        yield running


def test_an_upgrade_one_after_the_other_loses_no_call(installation, tell):
    token = installation.manage("create_token", "script", "--scopes", SCOPES).strip()
    bearer = {"Authorization": f"Bearer {token}"}
    requests.post(f"{installation.url}/api/v1/instruments", json={"id": INSTRUMENT}, headers=bearer, timeout=60)
    load = Load(installation.url, token, scripts=6)

    with load:
        time.sleep(2)
        installation.prepare()
        for kind in ("builder", "reader", "worker", "beat"):
            installation.restart(kind)
        for _ in range(ROUNDS):
            installation.restart("web")
        time.sleep(2)

    tell(f"{'nginx' if find_nginx() else 'no nginx here'}; {load.journal.story()}")
    assert set(load.journal.statuses()) <= {200, 201}
    assert len(load.journal.files) > 20
    found = differences(
        installation.environ["DATABASE_URL"], on_disk(Path(installation.environ["IDS_DATA"])), load.journal
    )
    assert found == []
