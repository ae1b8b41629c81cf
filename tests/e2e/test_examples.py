"""The examples for script authors, run as they are written, against the whole service."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service import Service

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
SCOPES = "instruments:read,instruments:create,runs:create,runs:upload,runs:read,files:update,files:read"
CLIENT = Path(__file__).parents[2] / "client" / "src"
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with Service(tmp_path_factory.mktemp("examples") / "data") as running:
        yield running


@pytest.fixture(scope="module")
def token(service):
    return service.manage("create_token", "examples", "--scopes", SCOPES).strip()


def begin_example(token: str, name: str, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    environ = os.environ | {"IDS_TOKEN": token, "PYTHONPATH": str(CLIENT)} | variables
    return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)


def run_example(token: str, name: str, *arguments: object, **variables: str) -> str:
    done = begin_example(token, name, *arguments, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_folder_goes_up_and_comes_down_byte_for_byte(service, token, tmp_path):
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


def test_the_same_by_the_client(service, token, tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "raw.csv").write_bytes(b"1,2\n")
    run_example(token, "upload_run.py", service.url, "reader-1", "R1", folder)  # makes the instrument
    mine = {"IDS_URL": service.url, "IDS_DATA_CACHE": str(tmp_path / "cache")}

    sent = run_example(token, "send_folder.py", folder, "reader-1", "R2", "plate_id=P7", **mine)
    fetched = run_example(token, "fetch_runs.py", tmp_path / "down", "--since", "last week", "plate_id=P7", **mine)

    place = tmp_path / "down" / "reader-1" / "R2" / "raw.csv"
    assert sent == "1 sent, 0 known already\n"
    assert fetched == f"{place}\n"
    assert place.read_bytes() == b"1,2\n"


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("upload_run.py", ["reader-1", "R/1", "."], "1 to 255 characters"),
        ("download_runs.py", ["./down", "status=finished"], "status"),
        ("download_runs.py", ["./down", "search=nowhere"], "No run is found."),
    ],
)
def test_a_refusal_is_the_services_sentence(service, token, tmp_path, name, arguments, sentence):
    done = begin_example(token, name, service.url, *arguments)

    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert sentence in done.stderr


def test_a_token_that_is_refused_is_told_so(service, tmp_path):
    done = begin_example("ids_wrong", "send_folder.py", tmp_path, "x", "R1", IDS_URL=service.url)

    assert done.returncode == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("upload_run.py", ["{url}", "reader-1", "R9", "./nowhere"], "there is no file in nowhere"),
        ("upload_run.py", ["no-address", "reader-1", "R9", "{here}"], "unknown url type"),
        ("download_runs.py", ["no-address", "./down"], "unknown url type"),
        ("send_folder.py", ["./nowhere", "reader-1", "R9"], "There is no file or folder nowhere."),
        ("send_folder.py", ["{here}", "reader-1", "R9", "plate"], "plate is not name=value"),
        ("fetch_runs.py", ["./down", "plate"], "plate is not name=value"),
    ],
)
def test_what_was_typed_wrong_is_a_sentence(service, token, tmp_path, name, arguments, sentence):
    (tmp_path / "raw.csv").write_bytes(b"1,2\n")
    said = [argument.format(url=service.url, here=tmp_path) for argument in arguments]

    done = begin_example(token, name, *said, IDS_URL=service.url)

    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert sentence in done.stderr


@pytest.mark.parametrize("name", ["upload_run.py", "download_runs.py"])
def test_a_token_that_is_missing_is_asked_for(tmp_path, name):
    done = begin_example("", name, "http://127.0.0.1:9", *(["x", "R1"] if name == "upload_run.py" else []), tmp_path)

    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "IDS_TOKEN is not set" in done.stderr


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
