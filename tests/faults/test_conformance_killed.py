"""The suite of the specification on two of each part, PgBouncer and a real radosgw, while one of each dies in turn.

Web servers end as an upgrade ends them, for a call that a killed one had is lost with it; all others die by SIGKILL.
"""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import boto3
import pytest

from tests.conformance import run_suite, skip_without_suite
from tests.faults.installation import Installation, PooledInstallation
from tests.pgbouncer import missing_programs
from tests.radosgw import SECRET, USER

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.pooler, pytest.mark.stores]

TURNS = ("worker", "builder", "reader", "beat", "web")
PAUSE_SECONDS = 3.0


@pytest.fixture
def installation(radosgw_url: str, tmp_path: Path) -> Iterator[Installation]:
    skip_without_suite()
    if missing := missing_programs():
        pytest.skip(f"not installed: {', '.join(missing)}")
    keys = {"aws_access_key_id": USER, "aws_secret_access_key": SECRET}
    boto3.client("s3", endpoint_url=radosgw_url, region_name="us-east-1", **keys).create_bucket(Bucket="two-of-each")
    store = {"S3_BUCKET": "two-of-each", "S3_ENDPOINT_URL": radosgw_url, "S3_REGION": "us-east-1"}
    store |= {"S3_ACCESS_KEY_ID": USER, "S3_SECRET_ACCESS_KEY": SECRET}
    with ExitStack() as stack:
        yield stack.enter_context(PooledInstallation(tmp_path / "lab", **store))


def test_conformance_is_whole_while_one_of_each_dies(installation, tell):
    ending, deaths = threading.Event(), []

    def kill_in_turn() -> None:
        while not ending.wait(PAUSE_SECONDS):
            kind = TURNS[len(deaths) % len(TURNS)]
            if kind == "web":
                installation.restart("web")
            else:
                installation.kill(kind, 0 if kind == "beat" else len(deaths) % 2)
            deaths.append(kind)

    killing = threading.Thread(target=kill_in_turn)
    killing.start()
    try:
        last, failed = run_suite(installation.url, installation.manage)
    finally:
        ending.set()
        killing.join()

    tell(f"{last}; died meanwhile: {', '.join(deaths)}")
    assert set(TURNS) <= set(deaths)
    assert failed == []
