"""A day of one watcher, in a minute: automatic and manual mode, a pulled cable, two restarts, everything said twice."""

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.e2e.scripted_watcher import ScriptedWatcher, event, put, put_half
from tests.service import Service

INSTRUMENT_FILES = Path(__file__).parents[3] / "shared" / "data" / "instruments"
WATCHER = "instruments:read,instruments:create,watchers:read,watchers:report,runs:read,runs:create,runs:update"
UPLOADS = "runs:upload,files:read,files:update"
CONFIG = 'watch_directory: "D:\\\\data"\r\nfile_patterns: ["*.csv", "*.raw"]\r\nupload_mode: auto\r\n'
MIB = 1024 * 1024


def made(seed: int, size: int) -> bytes:
    return random.Random(seed).randbytes(size)


def instrument_files() -> dict[str, bytes]:
    """Real exports where they are at hand, made-up ones where not."""
    real = {
        path.relative_to(INSTRUMENT_FILES).as_posix(): path.read_bytes()
        for path in sorted(INSTRUMENT_FILES.rglob("*"))
        if path.is_file() and path.parent != INSTRUMENT_FILES
    }
    return real or {f"plate-reader/Größe {number}.csv": made(number, 3_000 * number) for number in range(1, 12)}


@pytest.fixture(scope="module")
def service(tmp_path_factory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("day") / "data") as running:
        yield running


def test_at_the_end_of_the_day_every_byte_is_there_once(service):
    token = service.manage("create_token", "lab-pc-7", "--scopes", f"{WATCHER},{UPLOADS}").strip()
    morning, scans, evening = (
        instrument_files(),
        {"scan.raw": made(1, 101 * MIB)},
        {"b.csv": b"", "a/b.csv": made(2, 9_999)},
    )
    expected = {("morning", path): data for path, data in morning.items()}
    expected |= {("scans", path): data for path, data in scans.items()}
    expected |= {("evening", path): data for path, data in evening.items()}

    watcher = ScriptedWatcher(service.url, token, "reader-7")
    watcher.call("POST", "/instruments", {"id": "reader-7", "display_name": "Plate reader 7"}, expect=201)
    begin_the_day(watcher)
    cut_off_in_the_morning(watcher, morning)

    watcher = ScriptedWatcher(service.url, token, "reader-7")
    begin_the_day(watcher)
    work(watcher, "morning", morning)
    cut_off_between_parts(watcher, scans)

    watcher = ScriptedWatcher(service.url, token, "reader-7")
    begin_the_day(watcher)
    for _ in range(2):
        work(watcher, "morning", morning)
        work(watcher, "scans", scans)
    work_on_request(watcher, evening)
    assert watcher.send_events([event("run_reported", n) for n in range(20)])["duplicates"] == 20
    assert watcher.heartbeat(status="stopped", files_uploaded=len(expected))["upload_requests"] == 0

    assert stored(watcher) == {key: hashlib.sha256(data).hexdigest() for key, data in expected.items()}
    assert watcher.call("GET", f"/watchers/{watcher.id}/events?per_page=100")["pagination"]["total"] == 20
    assert watcher.call("GET", f"/watchers/{watcher.id}")["status"] == "stopped"


def begin_the_day(watcher: ScriptedWatcher) -> None:
    """What an agent says whenever it starts, and says again."""
    watcher.register()
    for _ in range(2):
        watcher.push_config(CONFIG)
        watcher.send_events([event("run_reported", n) for n in range(20)])
        answer = watcher.heartbeat(upload_mode="auto", agent_version="1.0.0")
    assert answer["config_checksum"] == hashlib.sha256(CONFIG.encode()).hexdigest()


def cut_off_in_the_morning(watcher: ScriptedWatcher, files: dict[str, bytes]) -> None:
    """The first file is all there, the second sent but not confirmed, the third broke off half-way."""
    watcher.report("morning", files)
    first, second, third, *_ = [path for path, data in files.items() if len(data) > 1]
    watcher.upload("morning", first, files[first])
    ticket = watcher.ask_for_url("morning", second, files[second])
    put(ticket["upload_url"], ticket["headers"], files[second])
    ticket = watcher.ask_for_url("morning", third, files[third])
    put_half(ticket["upload_url"], ticket["headers"], files[third])


def cut_off_between_parts(watcher: ScriptedWatcher, files: dict[str, bytes]) -> None:
    watcher.report("scans", files)
    for path, data in files.items():
        watcher.send_parts(watcher.ask_for_url("scans", path, data), data, only=1)


def work(watcher: ScriptedWatcher, run_id: str, files: dict[str, bytes]) -> None:
    watcher.report(run_id, files)
    for path, data in files.items():
        watcher.upload(run_id, path, data)


def work_on_request(watcher: ScriptedWatcher, files: dict[str, bytes]) -> None:
    """Manual mode: nothing is sent until somebody asks."""
    watcher.heartbeat(upload_mode="manual")
    watcher.report("evening", files)
    assert watcher.serve_queue(files) == 0
    listed = watcher.call("GET", "/instruments/reader-7/runs/evening/files")["data"]
    asked = {"file_ids": [file["id"] for file in listed]}
    answer = watcher.call("POST", "/instruments/reader-7/runs/evening/request-upload", asked)
    assert (answer["files_queued"], answer["watcher_online"]) == (len(files), True)
    assert watcher.heartbeat()["upload_requests"] == len(files)
    assert watcher.serve_queue(files) == len(files)


def stored(watcher: ScriptedWatcher) -> dict[tuple[str, str], str]:
    """SHA-256 of every raw file that can be downloaded, by run and path. A file that is there twice fails."""
    found: dict[tuple[str, str], str] = {}
    for run in watcher.call("GET", "/instruments/reader-7/runs")["data"]:
        files = watcher.call("GET", f"/instruments/reader-7/runs/{run['run_id']}/files?per_page=100&category=raw")[
            "data"
        ]
        assert len(files) == run["file_count"]
        for file in files:
            key = run["run_id"], file["relative_path"]
            assert key not in found
            found[key] = downloaded(watcher, file["id"])
    return found


def downloaded(watcher: ScriptedWatcher, file_id: int) -> str:
    answer = watcher.session.get(f"{watcher.url}/files/{file_id}/download", timeout=60)
    assert answer.ok, answer.text
    return hashlib.sha256(answer.content).hexdigest()


def test_a_stranger_cannot_use_the_watchers_address(service):
    assert requests.get(f"{service.url}/api/v1/watchers", timeout=10).status_code == 401
