"""`./ids serve --demo`: the first minutes of somebody who wants to see it at work."""

import signal
import sys
import time

import pytest
import requests

from operations.demo.simulator import INSTRUMENT
from tests.service import Service

pytestmark = pytest.mark.slow
SCOPES = "instruments:read,instruments:create,watchers:read,runs:read,files:read"


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Its agent takes its packages from the tests' own environment."""
    data = tmp_path_factory.mktemp("demo") / "data"
    with Service(data, "--demo", IDS_DEMO_PYTHON=sys.executable) as service:
        yield service
    assert service.pids() == []


@pytest.fixture(scope="module")
def call(demo):
    token = demo.manage("create_token", "visitor", "--scopes", SCOPES).strip()

    def get(path):
        headers = {"Authorization": f"Bearer {token}"}
        return requests.get(f"{demo.url}/api/v1/{path}", headers=headers, timeout=30).json()["data"]

    return get


def wait_for_runs(call, count):
    """The simulated instrument's runs that were read to the end, once there are so many."""
    deadline = time.monotonic() + 180
    while len(runs := [run for run in call(f"instruments/{INSTRUMENT}/runs") if run["status"] == "completed"]) < count:
        assert time.monotonic() < deadline, runs
        time.sleep(0.5)
    return runs


def test_runs_arrive_in_a_laboratory_with_a_past_and_a_second_start_goes_on(demo, call):
    [run, *_] = wait_for_runs(call, 1)
    said = demo.log.read_text()

    assert "Become the first by this link" in said
    assert f"A simulated instrument writes into {demo.data}/demo/instrument" in said
    assert run["source"] == "watcher"
    assert {file["filename"] for file in call(f"instruments/{INSTRUMENT}/runs/{run['run_id']}/files")} >= {"plate.csv"}
    assert len(call("instruments")) > 5
    assert [watcher["status"] for watcher in call("watchers")].count("watching") > 5

    before = len(call(f"instruments/{INSTRUMENT}/runs"))
    assert demo.send(signal.SIGTERM) == 0
    assert demo.pids() == []
    demo.start()
    wait_for_runs(call, before + 1)
