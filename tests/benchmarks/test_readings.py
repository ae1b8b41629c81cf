"""How soon after its upload a file is read: the first of a fresh start, one when warm, and a thousand at once.

`pytest -m benchmark tests/benchmarks/test_readings.py -s`; the exports are the project's real ones.
"""

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.lab_script import LabScript, path_of
from tests.samples.expected import FILES, FOLDER, needs_real_exports, type_of
from tests.service import Service

pytestmark = [pytest.mark.benchmark, needs_real_exports]
SCOPES = "instruments:read,instruments:create,runs:read,runs:create,runs:update,runs:upload,files:read,files:update"
SMALL, MANY = 100_000, 1_000  # bytes of a file, files
COLD, WARM, ALL = 6.0, 2.0, 480.0  # seconds
ENDED = {"completed", "failed"}


@pytest.fixture
def script(tmp_path: Path) -> Iterator[LabScript]:
    with Service(tmp_path / "data", REQUESTS_PER_SECOND="0") as service:
        script = LabScript(service.url, service.manage("create_token", "lab script", "--scopes", SCOPES).strip())
        for name in sorted({type_of(FILES[name]) for name in FILES}):
            script.call("POST", "/instruments", {"id": name, "instrument_type": name})
        yield script


def test_files_are_read_soon(script, capsys):
    small = [name for name in FILES if (FOLDER / name).stat().st_size <= SMALL]
    cold = read_after(script, small[0], "cold")
    for name in small:
        read_after(script, name, "warming")
    warm = {name: read_after(script, name, "warm") for name in small}
    slowest = max(warm, key=lambda name: warm[name])

    began = time.monotonic()
    sent = [send(script, small[number % len(small)], f"{number:04}") for number in range(MANY)]
    uploaded = time.monotonic() - began
    while unread := [file_id for file_id in sent[-50:] if status_of(script, file_id) not in ENDED]:
        assert time.monotonic() - began < 2 * ALL, unread
        time.sleep(0.5)
    drained = time.monotonic() - began

    with capsys.disabled():
        sys.stdout.write(
            f"\nread after: cold {cold:.1f} s (target {COLD}); warm, of {len(small)} exports: median"
            f" {statistics.median(warm.values()):.2f} s, longest {warm[slowest]:.2f} s ({slowest}; target {WARM})\n"
            f"{MANY} exports: uploaded after {uploaded:.0f} s, read after {drained:.0f} s (target {ALL:.0f})\n"
        )
    assert {status_of(script, file_id) for file_id in sent} == {"completed"}
    assert cold <= COLD
    assert warm[slowest] <= WARM
    assert drained <= ALL


def send(script: LabScript, name: str, prefix: str) -> int:
    path, instrument = FOLDER / name, type_of(FILES[name])
    run_id = f"{prefix} {path.name}"
    script.call("POST", f"/instruments/{instrument}/runs", {"run_id": run_id})
    return script.upload(path_of(instrument, run_id), path, path.name)


def read_after(script: LabScript, name: str, prefix: str) -> float:
    """Seconds from the confirmation of the upload."""
    file_id = send(script, name, prefix)
    began = time.monotonic()
    while status_of(script, file_id) not in ENDED:
        time.sleep(0.02)
    return time.monotonic() - began


def status_of(script: LabScript, file_id: int) -> str:
    return script.call("GET", f"/files/{file_id}")["status"]
