"""How fast, how large, how idle: each prints one line, and fails only far from its target."""

import hashlib
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import psutil
import pytest

from agent.tests.lab import KIB, MIB, Lab, made, wait_until
from instrument_watcher.activity import Activity
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config, GroupBy, Grouping
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import Sighting
from instrument_watcher.watching.folder import FolderWatch
from tests.service import Service

pytestmark = pytest.mark.benchmark
KNOWN = 100_000


@pytest.fixture
def lab(lab: Lab) -> Lab:
    """The agent without the tests' haste: this is about operators' machines."""
    lab.program = ["-m", "instrument_watcher"]
    return lab


def report(capsys: pytest.CaptureFixture[str], line: str) -> None:
    with capsys.disabled():
        sys.stdout.write(f"\n{line}\n")


def peak_memory(pid: int) -> float:
    """The most that was resident so far, in MiB."""
    [line] = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / KIB


def cpu_seconds(*pids: int) -> float:
    """Of processes that are still there, since each began."""
    times = [psutil.Process(pid).cpu_times() for pid in pids if psutil.pid_exists(pid)]
    return sum(time.user + time.system for time in times)


def reference(place: Path) -> tuple[float, float]:
    """Seconds for cp and SHA-256 of a file, one after the other; and with CRC32, which the agent makes too."""
    began = time.monotonic()
    subprocess.run(["cp", place, place.with_name("copy")], check=True)
    read_by(hashlib.sha256().update, place)
    hashed = time.monotonic() - began
    read_by(zlib.crc32, place)
    took = time.monotonic() - began
    place.with_name("copy").unlink()
    return hashed, took


def read_by(update: Callable[[bytes], object], place: Path) -> None:
    with place.open("rb") as stream:
        while piece := stream.read(MIB):
            update(piece)


@pytest.mark.big
def test_two_gibibytes_against_copying_and_hashing(lab: Lab, service: Service, tmp_path: Path, capsys):
    size = 2048 * MIB
    place = tmp_path / "scan.raw"
    with place.open("wb") as stream:
        for number in range(size // (16 * MIB)):
            stream.write(made(number, 16 * MIB))
    lab.init()
    agent = lab.start()
    wait_until(lambda: lab.events("watcher_started"))
    before = reference(place)
    spent, server = cpu_seconds(agent.pid), cpu_seconds(*service.pids("web"))

    (lab.folder / "R1").mkdir()
    place.rename(lab.folder / "R1/scan.raw")
    lab.wait_stored(1, seconds=600)
    [event] = wait_until(lambda: lab.events("file_uploaded"))
    took, memory = event["details"]["seconds"], peak_memory(agent.pid)
    spent, server = cpu_seconds(agent.pid) - spent, cpu_seconds(*service.pids("web")) - server
    after = reference(lab.folder / "R1/scan.raw")

    ratio, whole = ((first + last) / 2 / took for first, last in zip(before, after, strict=True))
    report(
        capsys,
        f"2 GiB: {took:.1f} s, {size / MIB / took:.0f} MiB/s; cp and SHA-256 {before[0]:.1f} and {after[0]:.1f} s,"
        f" ratio {ratio:.2f} (target 0.7); with CRC32 {before[1]:.1f} and {after[1]:.1f} s, ratio {whole:.2f};"
        f" CPU of agent {spent:.1f} s, of the web process {server:.1f} s;"
        f" peak memory {memory:.0f} MiB (target 120)",
    )
    assert ratio > 0.25
    assert memory < 120


@pytest.mark.slow
def test_small_files_a_second(lab: Lab, service: Service, capsys):
    count = 600
    for number in range(count):
        lab.write(f"R{number % 10}/{number}.csv", made(number, 100_000))
    lab.init()
    lab.set(parallel=4)
    before = cpu_seconds(*service.pids("web")), cpu_seconds(*service.pids("postgres"))
    agent = lab.start()

    lab.wait_stored(count, seconds=300)
    web, database = (
        cpu_seconds(*service.pids(part)) - spent for part, spent in zip(("web", "postgres"), before, strict=True)
    )
    events = wait_until(lambda: lab.events("file_uploaded")[count - 1 :] and lab.events("file_uploaded"))
    span = (_moment(events[0]) - _moment(events[-1])) or 1

    report(
        capsys,
        f"100 kB files: {count / span:.0f} a second over {span:.0f} s, 4 at once; CPU for a file: agent"
        f" {cpu_seconds(agent.pid) / count * 1000:.1f} ms, web process {web / count * 1000:.1f} ms, database"
        f" {database / count * 1000:.1f} ms; peak memory {peak_memory(agent.pid):.0f} MiB",
    )
    assert count / span > 3


@pytest.mark.slow
def test_a_rescan_of_100_000_known_files(tmp_path: Path, capsys):
    root = tmp_path / "instrument"
    journal = Journal(tmp_path / "journal.sqlite3")
    known = []
    for folder in range(10):
        (root / f"R{folder}").mkdir(parents=True)
        for number in range(KNOWN // 10):
            place = root / f"R{folder}/plate reader export {number:05}.csv"
            place.touch()
            found = place.stat()
            sighting = Sighting(found.st_size, found.st_mtime_ns, found.st_ino)
            known.append(Found(f"R{folder}/{place.name}", sighting, run_id=f"R{folder}"))
    journal.files.add_found(known)
    activity = Activity()
    config = Config("https://x", "reader", root, run_grouping=Grouping(GroupBy.TOP_FOLDER))
    watch = FolderWatch(config, journal, Chronicle(journal, activity), activity, found=lambda: None)

    spans, cpu = [], []
    for _ in range(7):
        began, spent = time.monotonic(), time.process_time()
        watch.rescan()
        spans.append(time.monotonic() - began)
        cpu.append(time.process_time() - spent)
    watch.stop()
    journal.close()

    share = sorted(cpu)[3] / Config.rescan_seconds * 100
    report(capsys, f"100,000 known files: rescan {sorted(spans)[3]:.2f} s (target 3), {share:.2f} % of a core")
    assert sorted(spans)[3] < 9


@pytest.mark.slow
def test_an_idle_agent_with_100_000_known_files(lab: Lab, capsys):
    lab.init(upload_mode="manual", rescan_seconds=300, heartbeat_seconds=60)
    (lab.folder / "R1").mkdir()
    for number in range(KNOWN):
        (lab.folder / f"R1/plate reader export {number:05}.csv").touch()
    agent = lab.start()
    wait_until(lambda: list(lab.states().values()).count("reported") == KNOWN, seconds=600)
    while_entering = peak_memory(agent.pid)
    lab.stop()

    agent = lab.start()
    wait_until(lambda: lab.snapshot().get("scanned_at"))
    time.sleep(20)
    spent, began = cpu_seconds(agent.pid), time.monotonic()
    time.sleep(310)  # one rescan falls into it, two at most
    share = (cpu_seconds(agent.pid) - spent) / (time.monotonic() - began) * 100

    report(
        capsys,
        f"idle with 100,000 known files, a rescan every 300 s: {share:.2f} % of a core (target 1), peak memory"
        f" {peak_memory(agent.pid):.0f} MiB; while entering them {while_entering:.0f} MiB",
    )
    assert share < 3


def _moment(event: dict[str, str]) -> float:
    return datetime.fromisoformat(event["timestamp"].replace("Z", "+00:00")).timestamp()
