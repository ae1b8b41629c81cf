"""The main job, against real processes: report runs, upload what the instruments wrote, find it, get it back."""

import hashlib
import os
import random
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

from operations.embedded.postgres import OWNER, Postgres
from tests.e2e.lab_script import LabScript, path_of, sums
from tests.samples.generate import write_samples
from tests.service import Service
from tests.sign_in import sign_in

pytestmark = pytest.mark.slow
MIB = 1024 * 1024
REAL_FILES = Path(__file__).resolve().parents[3] / "shared" / "data" / "instruments"
SYSTEM_POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
SCOPES = "instruments:read,instruments:create,runs:read,runs:create,runs:update,runs:upload,files:read,files:update"


@dataclass(frozen=True)
class Lab:
    service: Service
    script: LabScript
    bucket: str


def embedded(stack: ExitStack, folder: Path) -> dict[str, str]:
    return {}


def on_s3(stack: ExitStack, folder: Path) -> dict[str, str]:
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    stack.callback(server.stop)
    host, port = server.get_host_and_port()
    keys = {"aws_access_key_id": "lab", "aws_secret_access_key": "secret"}
    boto3.client("s3", endpoint_url=f"http://{host}:{port}", region_name="us-east-1", **keys).create_bucket(
        Bucket="lab"
    )
    return {
        "S3_BUCKET": "lab",
        "S3_ENDPOINT_URL": f"http://{host}:{port}",
        "S3_REGION": "us-east-1",
        "S3_ACCESS_KEY_ID": "lab",
        "S3_SECRET_ACCESS_KEY": "secret",
    }


def on_system_postgres(stack: ExitStack, folder: Path) -> dict[str, str]:
    found = [Path(os.environ["PG_BIN"])] if "PG_BIN" in os.environ else SYSTEM_POSTGRES
    if not found:
        pytest.skip("this machine has no PostgreSQL of its own")
    sockets = folder / "run"
    sockets.mkdir(parents=True, mode=0o700)
    patch = stack.enter_context(pytest.MonkeyPatch.context())
    patch.setenv("PG_BIN", str(found[-1]))
    server = Postgres(data=folder, sockets=sockets, log=folder / "postgres.log", durable=False)
    server.start()
    stack.callback(server.stop)
    return {"DATABASE_URL": server.url(OWNER)}


@pytest.fixture(
    scope="module",
    params=[
        embedded,
        pytest.param(on_s3, marks=pytest.mark.slow),
        pytest.param(on_system_postgres, marks=pytest.mark.slow),
    ],
    ids=lambda parts: parts.__name__,
)
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A service on an empty directory, and a script with a token."""
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("lab")
        variables = request.param(stack, folder / "elsewhere")
        service = stack.enter_context(Service(folder / "data", **variables))
        token = service.manage("create_token", "lab script", "--scopes", SCOPES).strip()
        yield Lab(service, LabScript(service.url, token), bucket=variables.get("S3_BUCKET", "local"))


@pytest.fixture(params=["generated", "real"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    """What instruments wrote, one folder an instrument."""
    if request.param == "generated":
        return write_samples(tmp_path)
    if not REAL_FILES.is_dir():
        pytest.skip("the real instrument files are not part of the project")
    return sorted(path for path in REAL_FILES.glob("*/*") if path.is_file())


def new_instrument(lab: Lab) -> str:
    name = f"bench-{os.urandom(4).hex()}"
    lab.script.call("POST", "/instruments", {"id": name, "display_name": "Bench"})
    return name


def new_run(lab: Lab, instrument: str, run_id: str, **said: object) -> str:
    lab.script.call("POST", f"/instruments/{instrument}/runs", {"run_id": run_id, **said})
    return path_of(instrument, run_id)


def test_every_file_comes_back_byte_for_byte(lab, files):
    instrument, uploaded = new_instrument(lab), {}
    for path in files:
        run = new_run(lab, instrument, path.parent.name)
        uploaded[lab.script.upload(run, path, f"{path.parent.name}/{path.name}")] = path

    returned = {file_id: lab.script.download(file_id) for file_id in uploaded}

    assert returned == {file_id: hashlib.sha256(path.read_bytes()).hexdigest() for file_id, path in uploaded.items()}
    runs = lab.script.call("GET", f"/instruments/{instrument}/runs", per_page=100)["data"]
    assert sum(run["file_count"] for run in runs) == len(files)
    assert sum(run["total_size_bytes"] for run in runs) == sum(path.stat().st_size for path in files)
    assert {lab.script.call("GET", f"/files/{file_id}")["storage_bucket"] for file_id in uploaded} == {lab.bucket}


def test_what_is_there_is_not_sent_again(lab, tmp_path):
    path = write_samples(tmp_path)[0]
    run = new_run(lab, new_instrument(lab), "again")
    first = lab.script.upload(run, path, path.name)

    ticket = lab.script.call("POST", f"{run}/request-upload-url", {"filename": path.name, **sums(path)})

    assert (ticket["file_id"], ticket["already_uploaded"], ticket["upload_url"]) == (first, True, None)


@pytest.mark.parametrize("size", [pytest.param(300 * MIB + 7, marks=pytest.mark.big, id="300 MiB"), 100 * MIB])
def test_a_large_file_goes_up_in_parts(lab, tmp_path, size):
    path, dice = tmp_path / "stack.raw", random.Random(size)
    with path.open("wb") as data:
        for start in range(0, size, MIB):
            data.write(dice.randbytes(min(MIB, size - start)))
    run = new_run(lab, new_instrument(lab), "large")

    file_id = lab.script.upload(run, path, "day 1/stack.raw")

    assert lab.script.call("GET", f"/files/{file_id}")["size_bytes"] == size
    assert lab.script.download(file_id) == sums(path)["sha256"]


def test_runs_are_found_by_text(lab):
    instrument = new_instrument(lab)
    new_run(lab, instrument, "Plate 7 of Größe µ")
    new_run(lab, instrument, "another")

    assert lab.script.find_runs(instrument_id=instrument, search="größe") == ["Plate 7 of Größe µ"]


def test_runs_are_found_by_date(lab):
    instrument = new_instrument(lab)
    new_run(lab, instrument, "march", acquired_at="2026-03-14T15:09:26Z")
    new_run(lab, instrument, "april", acquired_at="2026-04-01T00:00:00+02:00")

    found = lab.script.find_runs(instrument_id=instrument, date_from="2026-03-31", date_to="2026-03-31")

    assert found == ["april"]


def test_runs_are_found_by_metadata(lab):
    instrument = new_instrument(lab)
    new_run(lab, instrument, "a", metadata={"operator": "Jenny", "wavelength_nm": [485, 525]})
    new_run(lab, instrument, "b", metadata={"operator": "Jenny", "wavelength_nm": [450]})

    found = lab.script.find_runs(
        instrument_id=instrument, **{"metadata.operator": "Jenny", "metadata.wavelength_nm": "525"}
    )

    assert found == ["a"]


def test_runs_are_found_by_status(lab):
    instrument = new_instrument(lab)
    new_run(lab, instrument, "seen", detected_files=[{"filename": "a.csv", "relative_path": "a.csv"}])
    new_run(lab, instrument, "empty")

    assert lab.script.find_runs(instrument_id=instrument, status="pending_upload") == ["seen"]


def test_runs_are_found_by_person(lab):
    instrument = new_instrument(lab)
    run = new_run(lab, instrument, "mine")
    new_run(lab, instrument, "nobody's")
    person = sign_in(lab.service, "jenny@lab.example")

    answer = person.put(f"{lab.script.root}{run}/attributions/me", timeout=60)

    [claim] = answer.json()["attributions"]
    assert lab.script.find_runs(instrument_id=instrument, ranBy=claim["id"]) == ["mine"]
    assert lab.script.find_runs(instrument_id=instrument, ranBy="unattributed") == ["nobody's"]
