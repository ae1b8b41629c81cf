"""Whether the watched directory is there: what heartbeats tell of it."""

import ctypes
import errno
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from agent.tests.gate import Gate
from agent.tests.lab import Lab, wait_until
from instrument_watcher.activity import Activity
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config
from instrument_watcher.journal.journal import Journal
from instrument_watcher.platforms import paths
from instrument_watcher.watching.folder import FolderWatch
from instrument_watcher.watching.presence import ROOT, FolderState, look_at_root

if sys.platform == "win32":
    NO_SUCH_FILE = ctypes.FormatError(2).rstrip(".")  # as Python tells it
else:
    NO_SUCH_FILE = os.strerror(errno.ENOENT)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "instrument"
    folder.mkdir()
    return folder


def elsewhere(journal: Journal) -> None:
    """As if the files had been seen on another file system under the same name."""
    journal.facts.set(ROOT, journal.facts.get(ROOT) | {"device": -1})


def test_a_folder_that_never_held_anything_is_watched(root: Path, journal: Journal):
    assert look_at_root(root, journal.facts).state is FolderState.WATCHING


def test_a_folder_that_was_emptied_is_watched(root: Path, journal: Journal):
    (root / "a.csv").touch()
    look_at_root(root, journal.facts)
    (root / "a.csv").unlink()

    assert look_at_root(root, journal.facts).state is FolderState.WATCHING


def test_an_empty_folder_on_another_file_system_than_its_files_is_a_mount_that_is_missing(root: Path, journal: Journal):
    (root / "a.csv").touch()
    look_at_root(root, journal.facts)
    (root / "a.csv").unlink()
    elsewhere(journal)

    assert look_at_root(root, journal.facts).state is FolderState.EMPTY_MOUNT


def test_files_on_another_file_system_are_watched_from_then_on(root: Path, journal: Journal):
    (root / "a.csv").touch()
    look_at_root(root, journal.facts)
    elsewhere(journal)

    assert look_at_root(root, journal.facts).state is FolderState.WATCHING
    (root / "a.csv").unlink()
    assert look_at_root(root, journal.facts).state is FolderState.WATCHING


def test_a_folder_that_does_not_exist_is_away(tmp_path: Path, journal: Journal):
    presence = look_at_root(tmp_path / "absent", journal.facts)

    assert (presence.state, presence.why) == (FolderState.AWAY, NO_SUCH_FILE)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_denied(root: Path, journal: Journal):
    root.chmod(0)

    assert look_at_root(root, journal.facts).state is FolderState.DENIED


def test_heartbeats_tell_what_is_watched_and_what_waits(lab: Lab):
    lab.write("R1/a.csv", b"12345")
    lab.init()
    with Gate(lab.url) as gate:
        lab.set(server=gate.url)
        lab.start()
        lab.wait_stored(1)
        beats = len(gate.bodies("/heartbeat"))
        wait_until(lambda: len(gate.bodies("/heartbeat")) > beats + 1)
        folder = wait_until(lambda: _last_folder(gate).get("last_file_at") and _last_folder(gate))
        assert (folder["state"], folder["files_waiting"], folder["bytes_waiting"]) == ("watching", 0, 0)
        assert str(folder["last_scan_at"]).endswith("Z")
        assert folder["last_file_at"].endswith("Z")

        lab.folder.rename(lab.folder.with_name("not mounted"))
        wait_until(lambda: _last_folder(gate).get("state") == "away")
        assert _last_folder(gate)["last_file_at"] == folder["last_file_at"]


def test_a_share_that_hangs_is_away_until_it_answers(root: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch):
    activity, answers, stop = Activity(), threading.Event(), threading.Event()
    entries = paths.entries

    def hang(place: str) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        answers.wait()
        return entries(place)

    monkeypatch.setattr(paths, "entries", hang)
    monkeypatch.setattr("instrument_watcher.activity.SILENT_SECONDS", 0.2)
    watch = FolderWatch(
        Config("https://x", "reader", root), journal, Chronicle(journal, activity), activity, found=lambda: None
    )
    looking = threading.Thread(target=watch.run, args=(stop,))
    looking.start()
    try:
        wait_until(lambda: activity.folder is FolderState.AWAY)
        answers.set()
        wait_until(lambda: activity.scanned_at is not None and activity.folder is FolderState.WATCHING)
    finally:
        answers.set()
        stop.set()
        watch.stop()
        looking.join()


def _last_folder(gate: Gate) -> dict[str, object]:
    beats = [beat for beat in gate.bodies("/heartbeat") if beat["status"] == "watching"]
    return dict(beats[-1]["folder"]) if beats else {}
