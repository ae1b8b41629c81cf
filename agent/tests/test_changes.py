"""What happens to files after they were found: replaced, touched, vanished, dismissed, forgotten."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from watchdog.events import FileOpenedEvent, FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from agent.tests.gate import Gate
from agent.tests.lab import Lab, sha256, wait_until


class OpenedNames(FileSystemEventHandler):
    def __init__(self) -> None:
        self.names: set[str] = set()

    def on_opened(self, event: FileSystemEvent) -> None:
        self.names.add(Path(os.fsdecode(event.src_path)).name)


@contextmanager
def opened_files(folder: Path) -> Iterator[set[str]]:
    """The names of files that anybody opens meanwhile."""
    opened, observer = OpenedNames(), Observer()
    observer.schedule(opened, str(folder), recursive=True, event_filter=[FileOpenedEvent])
    observer.start()
    try:
        yield opened.names
    finally:
        observer.stop()
        observer.join()


def test_a_file_replaced_after_its_upload_is_told_and_kept_as_it_was_where_changes_are_ignored(lab: Lab):
    lab.write("R1/same size.csv", b"first")
    lab.write("R1/longer.csv", b"first")
    lab.write("R1/touched.csv", b"first")
    lab.init(on_change="ignore")
    lab.start()
    lab.wait_stored(3)
    kept = lab.kept()

    lab.write("R1/same size.csv", b"other")
    lab.write("R1/longer.csv", b"another")
    os.utime(lab.folder / "R1/touched.csv", (1, 1))
    told = wait_until(lambda: lab.events("error")[1:] and lab.events("error"))
    wait_until(lambda: lab.journal()["R1/touched.csv"]["mtime_ns"] == 10**9)

    assert {event["details"]["relative_path"] for event in told} == {"R1/same size.csv", "R1/longer.csv"}
    assert {file["sha256"] for file in lab.stored().values()} == {sha256(b"first")}
    assert lab.kept() == kept
    wait_until(
        lambda: (
            lab.states() == {"R1/same size.csv": "changed", "R1/longer.csv": "changed", "R1/touched.csv": "uploaded"}
        )
    )


def test_a_lost_journal_uploads_nothing_twice(lab: Lab):
    for number in range(5):
        lab.write(f"R1/{number}.csv", b"%d" % number)
    lab.init()
    lab.start()
    lab.wait_stored(5)
    kept = lab.kept()
    lab.stop()
    for file in lab.home.glob("journal.sqlite3*"):
        file.unlink()

    lab.start()
    lab.wait_stored(5)

    assert lab.kept() == kept
    assert len(lab.events("file_uploaded")) == 5


@pytest.mark.skipif(sys.platform != "linux", reason="watchdog tells of opened files on Linux alone")
def test_a_restart_reads_no_file_again(lab: Lab):
    for number in range(5):
        lab.write(f"R1/{number}.csv", b"%d" % number)
    lab.init()
    lab.start()
    lab.wait_stored(5)
    lab.stop()

    with opened_files(lab.folder) as opened:
        lab.start()
        wait_until(lambda: len(lab.events("watcher_started")) == 2)
        lab.write("R1/new.csv", b"new")
        lab.wait_stored(6)
        wait_until(lambda: "new.csv" in opened)

    assert opened == {"new.csv"}


def test_a_file_that_vanishes_before_its_upload_is_told(lab: Lab):
    gone, kept = lab.write("R1/gone.csv", b"gone"), lab.write("R1/kept.csv", b"kept")
    lab.init(upload_mode="manual")
    lab.start()
    wait_until(lambda: len(lab.files()) == 2)
    gone.unlink()

    lab.set(upload_mode="auto")
    lab.wait_stored(1)
    [told] = wait_until(lambda: lab.events("upload_failed"))

    assert told["message"] == "R1/gone.csv: It vanished before it was uploaded."
    assert kept.exists()


def test_a_dismissed_file_is_done(lab: Lab):
    lab.write("R1/unwanted.csv", b"unwanted")
    lab.write("R1/wanted.csv", b"wanted")
    lab.init(upload_mode="manual")
    lab.start()
    files = wait_until(lambda: len(lab.files()) == 2 and lab.files())
    lab.call("DELETE", f"files/{files['R1', 'R1/unwanted.csv']['id']}")

    lab.set(upload_mode="auto")
    stored = lab.wait_stored(1)
    wait_until(lambda: lab.states()["R1/unwanted.csv"] == "dismissed")

    assert set(stored) == {("R1", "R1/wanted.csv")}


def test_a_deleted_run_stops_and_goes_on_when_it_is_restored(lab: Lab):
    lab.write("R1/a.csv", b"a")
    lab.init()
    lab.start()
    lab.wait_stored(1)
    lab.call("DELETE", f"instruments/{lab.instrument}/runs/R1")

    lab.write("R1/b.csv", b"b")
    lab.write("R2/c.csv", b"c")
    lab.wait_stored(2)
    wait_until(lambda: lab.states()["R1/b.csv"] == "stopped")
    told = wait_until(lambda: lab.events("error"))
    assert told[0]["message"] == "Run R1 was deleted on the service; 1 file left here."

    lab.call("POST", f"instruments/{lab.instrument}/runs/R1/restore")
    lab.stop()
    lab.start()

    assert ("R1", "R1/b.csv") in lab.wait_stored(3)


def test_a_drive_that_is_away_for_a_while_loses_nothing(lab: Lab):
    lab.write("R1/a.csv", b"a")
    lab.init(upload_mode="manual")
    lab.start()
    wait_until(lambda: lab.files())
    lab.folder.rename(lab.folder.with_name("not mounted"))
    wait_until(lambda: lab.snapshot().get("is_folder_away"))
    lab.set(upload_mode="auto")  # it is wanted now, and cannot be read
    wait_until(lambda: len(lab.events("watcher_started")) == 2)
    assert lab.states() == {"R1/a.csv": "reported"}

    lab.folder.with_name("not mounted").rename(lab.folder)
    lab.write("R1/b.csv", b"b")

    assert set(lab.wait_stored(2)) == {("R1", "R1/a.csv"), ("R1", "R1/b.csv")}
    assert not lab.events("upload_failed")


def test_a_file_put_in_the_place_of_another_is_read_though_size_and_time_agree(lab: Lab):
    place = lab.write("R1/a.csv", b"first")
    lab.init()
    lab.start()
    lab.wait_stored(1)
    known = place.stat()

    other = lab.write("R1/.a.csv.new", b"other")
    os.utime(other, ns=(known.st_atime_ns, known.st_mtime_ns))
    other.replace(place)

    wait_until(lambda: ("R1", "R1/a~2.csv") in lab.stored(), what="the other bytes are stored")


TELLS_TOUCHES = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell that a file was touched")


def keep_time(place: Path, change: Callable[[], object]) -> None:
    """Do something to a file, and set its time back."""
    seen = place.stat()
    change()
    os.utime(place, ns=(seen.st_atime_ns, seen.st_mtime_ns))


def write_in_place(place: Path, data: bytes) -> None:
    with place.open("r+b") as stream:
        stream.write(data)


@TELLS_TOUCHES
@pytest.mark.parametrize("is_running", [True, False])
def test_a_file_rewritten_in_place_with_its_time_set_back_is_sent(lab: Lab, is_running: bool):
    place = lab.write("R1/a.csv", b"first")
    lab.init(rescan_seconds=5)
    lab.start()
    lab.wait_stored(1)
    if not is_running:
        lab.stop()

    keep_time(place, lambda: write_in_place(place, b"other"))
    if not is_running:
        lab.start()

    both = {sha256(b"first"), sha256(b"other")}
    wait_until(lambda: {file["sha256"] for file in lab.stored().values()} == both)
    wait_until(lambda: lab.states() == {"R1/a.csv": "uploaded"})


@TELLS_TOUCHES
def test_what_was_only_touched_is_read_and_the_service_hears_nothing(lab: Lab):
    place = lab.write("R1/a.csv", b"first")
    lab.init(rescan_seconds=5)
    lab.start()
    lab.wait_stored(1)
    asked = []

    def rule(method: str, path: str, body: object) -> None:
        if "/runs" in path or "/files" in path:
            asked.append(path)

    lab.stop()
    with Gate(lab.url, rule) as gate:
        lab.set(server=gate.url)
        lab.start()
        place.chmod(0o640)
        os.link(place, lab.home / "backup")
        keep_time(place, lambda: None)
        wait_until(lambda: lab.journal()["R1/a.csv"]["ctime_ns"] == place.stat().st_ctime_ns)
        wait_until(lambda: not lab.journal()["R1/a.csv"]["touched"])

    assert [path for path in asked if "upload" in path] == []
    assert lab.states() == {"R1/a.csv": "uploaded"}
    assert len(lab.events("file_uploaded")) == 1
