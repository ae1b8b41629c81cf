"""The examples for script authors, run as they are written, against the whole service."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from tests.service import Service

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
SCOPES = "instruments:create,runs:create,runs:upload,runs:read,files:update,files:read"
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Service(tmp_path_factory.mktemp("examples") / "data") as running:
        yield running


@pytest.fixture(scope="module")
def token(service):
    return service.manage("create_token", "examples", "--scopes", SCOPES).strip()


def run_example(token: str, name: str, *arguments: object) -> str:
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    environ = os.environ | {"IDS_TOKEN": token}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_folder_goes_up_and_comes_down_byte_for_byte(service, token, tmp_path):
    bearer = {"Authorization": f"Bearer {token}"}
    requests.post(f"{service.url}/api/v1/instruments", json={"id": "hplc-2"}, headers=bearer, timeout=30)
    folder = tmp_path / "results"
    (folder / "traces").mkdir(parents=True)
    contents = {"Größe 1.csv": b"1,2\n", "empty.txt": b"", "traces/big.raw": os.urandom(101 * MIB)}
    for name, data in contents.items():
        (folder / name).write_bytes(data)

    first = run_example(token, "upload_run.py", service.url, "hplc-2", "batch 7", folder)
    second = run_example(token, "upload_run.py", service.url, "hplc-2", "batch 7", folder)
    run_example(token, "download_runs.py", service.url, tmp_path / "down", "search=batch")

    assert first.count("uploaded ") == 3
    assert second.count("known ") == 3
    found = {name: (tmp_path / "down" / "hplc-2" / "batch 7" / name).read_bytes() for name in contents}
    assert {name: sha(data) for name, data in found.items()} == {name: sha(data) for name, data in contents.items()}


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
