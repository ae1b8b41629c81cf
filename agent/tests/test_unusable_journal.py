"""A journal that is locked, or whose disk is full: the agent goes on, says so, and recovers."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent.tests.lab import MIB, Lab, made, sha256, wait_until

AGAIN = "The journal can be written again."


@contextmanager
def locked(journal: Path) -> Iterator[None]:
    """Somebody else writes, and does not end."""
    other = sqlite3.connect(journal, isolation_level=None, timeout=30)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_a_locked_journal_is_waited_for_and_said(lab: Lab):
    lab.init()
    agent = lab.start()
    lab.write("R1/before.csv", b"before")
    lab.wait_stored(1)

    with locked(lab.home / "journal.sqlite3"):
        for number in range(10):
            lab.write(f"R1/{number}.csv", made(number, 1000))
        wait_until(lambda: "cannot be used now: database is locked" in lab.output)
    stored = lab.wait_stored(11)

    assert agent.poll() is None
    assert {stored["R1", f"R1/{number}.csv"]["sha256"] for number in range(10)} == {
        sha256(made(number, 1000)) for number in range(10)
    }
    assert AGAIN in lab.output
    assert lab.stop() == 0


def test_a_journal_that_is_locked_at_the_start_is_waited_for(lab: Lab):
    lab.init()
    lab.start()
    wait_until(lambda: lab.events("watcher_started"))
    lab.stop()

    with locked(lab.home / "journal.sqlite3"):
        agent = lab.start()
        wait_until(lambda: "cannot be used now: database is locked" in lab.output)
        assert agent.poll() is None
    lab.write("R1/a.csv", b"a")

    assert ("R1", "R1/a.csv") in lab.wait_stored(1)


@pytest.fixture
def small_disk(lab: Lab) -> Iterator[Path]:
    """The agent's home on a file system of its own, of 16 MiB."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root may mount")
    lab.home.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", lab.home], check=False)
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    yield lab.home
    lab.stop()
    subprocess.run(["umount", "--lazy", lab.home], check=True)


def test_a_full_disk_under_the_journal_is_outlived_and_said(lab: Lab, small_disk: Path):
    lab.init()
    agent = lab.start()
    lab.write("R1/before.csv", b"before")
    lab.wait_stored(1)

    filler = small_disk / "filler"
    fill(filler)
    for number in range(200):
        lab.write(f"R{number % 3}/{number}.csv", made(number, 1000))
    wait_until(lambda: "cannot be used now: database or disk is full" in lab.output, what="it is said")
    assert agent.poll() is None
    filler.unlink()
    stored = lab.wait_stored(201, seconds=120)

    assert agent.poll() is None
    assert {file["sha256"] for file in stored.values()} >= {sha256(made(number, 1000)) for number in range(200)}
    assert lab.stop() == 0


def fill(place: Path) -> None:
    """To the last byte."""
    with place.open("wb", buffering=0) as stream:
        for block in (MIB, 4096, 1):
            try:
                while True:
                    stream.write(bytes(block))
            except OSError:
                continue
