"""Folders as they should not be: what is wrong with one name holds up nobody else's data."""

import os
import sys
from pathlib import Path

import pytest

from agent.tests.lab import Lab, wait_until
from agent.tests.links import needs_links


@needs_links
def test_links_that_lead_back_to_themselves_are_told_and_hold_up_nobody(lab: Lab):
    lab.write("R1/first.csv", b"first")
    (lab.folder / "R1/itself.csv").symlink_to("itself.csv")
    (lab.folder / "R1/there.csv").symlink_to("back.csv")
    (lab.folder / "R1/back.csv").symlink_to("there.csv")
    lab.init()

    lab.start()
    stored = lab.wait_stored(1)
    told = wait_until(lambda: lab.events("error")[2:] and lab.events("error"))

    assert set(stored) == {("R1", "R1/first.csv")}
    assert {event["message"] for event in told} == {
        f"R1/{name}.csv cannot be looked at: {os.strerror(40)}." for name in ("itself", "there", "back")
    }


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_a_folder_whose_name_is_not_unicode_holds_up_nobody(lab: Lab):
    folder = lab.folder / os.fsdecode(b"R\xe9sultats")
    folder.mkdir()
    (folder / "told.csv").write_bytes(b"told")
    lab.write("R1/good.csv", b"good")
    lab.init()

    lab.start()
    lab.wait_stored(1)
    lab.write("R1/later.csv", b"later")
    stored = lab.wait_stored(2)
    told = wait_until(lambda: lab.events("error"))

    assert set(stored) == {("R1", "R1/good.csv"), ("R1", "R1/later.csv")}
    assert [event["message"] for event in told] == [
        "R\\udce9sultats/told.csv is not uploaded. Its name is not valid Unicode. Rename it."
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="to set 1601 is to leave the time as it is")
def test_times_of_clocks_that_were_never_set_hold_up_nobody(lab: Lab):
    times = {"R1/before.csv": -11_644_473_600, "R1/after.csv": 13_569_465_600}  # Windows' 1601, and 2400
    for path, seconds in times.items():
        os.utime(lab.write(path, path.encode()), (0, seconds))
    lab.write("R1/now.csv", b"now")
    lab.init()

    lab.start()
    stored = lab.wait_stored(3)

    assert {path: file["file_created_at"] is None for (_, path), file in stored.items()} == {
        "R1/before.csv": True, "R1/after.csv": True, "R1/now.csv": False,
    }  # fmt: skip
    assert "fault in the agent" not in lab.output


@pytest.mark.skipif(sys.platform == "win32", reason="its events need no walk through the folders")
def test_folders_nested_thousands_deep_hold_up_nobody(lab: Lab):
    lab.write("R1/before.csv", b"before")
    nest(lab.folder / "R2", depth=2_500)
    lab.init()

    lab.start()
    lab.wait_stored(1)
    lab.write("R1/later.csv", b"later")
    stored = lab.wait_stored(2)
    unnest(lab.folder / "R2")

    assert set(stored) == {("R1", "R1/before.csv"), ("R1", "R1/later.csv")}
    assert "fault in the agent" not in lab.output


def nest(folder: Path, *, depth: int) -> None:
    """A path so long that only steps of one name can be taken."""
    folder.mkdir()
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        deeper = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)


def unnest(folder: Path) -> None:
    """Python's own rmtree would call itself for each level."""
    while (folder / "d/d").exists():
        (folder / "d/d").rename(folder / "next")
        (folder / "d").rmdir()
        (folder / "next").rename(folder / "d")
    (folder / "d").rmdir()
