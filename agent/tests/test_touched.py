"""A file that was touched after its upload is compared with what was sent."""

import hashlib
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from agent.tests.judging import known, let_clock_tick, line
from instrument_watcher.activity import Activity
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileRow, FileState
from instrument_watcher.uploading.pacing import Pace
from instrument_watcher.uploading.touched import compare_touched
from instrument_watcher.watching.folder import FolderWatch
from instrument_watcher.watching.judging import Judge

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell that a file was touched")


@pytest.fixture
def row(root: Path, journal: Journal, judge: Judge) -> FileRow:
    """A file that the service has."""
    found = known(root, journal, judge, "R1/a.csv", b"first")
    journal.files.mark_reported([found], wanted=True)
    journal.mark_uploaded(found, file_id=1, sha256=hashlib.sha256(b"first").hexdigest())
    return line(journal, found.id)


def write_in_place(place: Path, data: bytes) -> None:
    """As a program does that sets the time back."""
    seen = place.stat()
    with place.open("r+b") as stream:
        stream.write(data)
    os.utime(place, ns=(seen.st_atime_ns, seen.st_mtime_ns))


def look(root: Path, journal: Journal) -> FileRow | None:
    """What waits once the folder was looked through and all has settled."""
    activity = Activity()
    config = Config("https://x", "reader", root, stability_seconds=0)
    watch = FolderWatch(config, journal, Chronicle(journal, activity), activity, found=lambda: None)
    watch.rescan()
    watch.enter_complete()
    return journal.queue.next_upload(now=time.monotonic(), besides=())


def compare(root: Path, journal: Journal, row: FileRow) -> None:
    compare_touched(row, root=root, journal=journal, activity=Activity(), pace=Pace(threading.Event()))


def test_nothing_waits_where_nothing_was_touched(root: Path, journal: Journal, row: FileRow):
    assert look(root, journal) is None


def test_a_file_rewritten_in_place_is_sent_again(root: Path, journal: Journal, row: FileRow):
    write_in_place(root / "R1/a.csv", b"other")

    waiting = look(root, journal)

    assert waiting is not None
    compare(root, journal, waiting)
    sent = line(journal, row.id)
    assert (sent.state, sent.wanted, sent.sha256) == (FileState.REPORTED, True, None)


@pytest.mark.parametrize("way_out", ["away", "link"])
def test_a_file_that_was_away_when_it_should_be_compared_is_compared_when_it_is_back(
    root: Path, journal: Journal, row: FileRow, tmp_path: Path, way_out: str
):
    """Its folder may be moved out and in: its times stay the same."""
    write_in_place(root / "R1/a.csv", b"other")
    waiting = look(root, journal)
    assert waiting is not None
    elsewhere = (root / "R1").rename(tmp_path / "elsewhere")
    if way_out == "link":
        (root / "R1").symlink_to(elsewhere)

    compare(root, journal, waiting)
    assert look(root, journal) is None

    (root / "R1").unlink(missing_ok=True)
    elsewhere.rename(root / "R1")
    again = look(root, journal)
    assert again is not None
    compare(root, journal, again)
    assert line(journal, row.id).wanted


@pytest.mark.parametrize("touch", ["mode", "name", "times"])
def test_what_was_only_touched_is_read_once_and_not_sent(
    root: Path, journal: Journal, row: FileRow, touch: str, tmp_path: Path
):
    place = root / "R1/a.csv"
    seen = place.stat()
    if touch == "mode":
        place.chmod(0o600)
    elif touch == "name":
        os.link(place, tmp_path / "backup")
    else:
        os.utime(place, ns=(1, seen.st_mtime_ns))
    waiting = look(root, journal)
    assert waiting is not None

    compare(root, journal, waiting)

    assert look(root, journal) is None
    assert line(journal, row.id).state is FileState.UPLOADED


def test_what_was_written_while_it_was_compared_is_compared_again(root: Path, journal: Journal, row: FileRow):
    place = root / "R1/a.csv"
    place.chmod(0o600)
    waiting = look(root, journal)
    assert waiting is not None
    let_clock_tick(root, "R1/a.csv")
    write_in_place(place, b"other")
    look(root, journal)

    journal.files.leave_touched(waiting)

    assert look(root, journal) is not None


def test_what_vanished_or_changed_meanwhile_is_left_to_the_folder(root: Path, journal: Journal, row: FileRow):
    (root / "R1/a.csv").chmod(0o600)
    waiting = look(root, journal)
    assert waiting is not None
    (root / "R1/a.csv").unlink()

    compare(root, journal, waiting)

    assert line(journal, row.id).state is FileState.UPLOADED
    assert journal.queue.next_upload(now=time.monotonic(), besides=()) is None


def test_of_what_an_older_agent_knew_the_time_is_learnt_and_nothing_is_read(root: Path, journal: Journal, row: FileRow):
    journal._db.write("UPDATE files SET ctime_ns = 0")

    assert look(root, journal) is None

    assert line(journal, row.id).sighting.ctime_ns == (root / "R1/a.csv").stat().st_ctime_ns
