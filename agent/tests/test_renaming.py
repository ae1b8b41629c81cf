"""A file under another name needs nothing more only where the service holds its very bytes."""

import functools
import os
from pathlib import Path

import pytest

from agent.tests.lab import Lab, sha256, wait_until
from agent.tests.way import Way


def stored_bytes(lab: Lab) -> dict[str, str]:
    """The SHA-256 of what is stored, by path."""
    return {path: file["sha256"] for (_, path), file in lab.stored().items()}


def test_a_file_renamed_after_its_upload_is_not_sent_again(lab: Lab):
    place = lab.write("R1/a.csv", b"first")
    lab.init()
    lab.start()
    lab.wait_stored(1)
    kept = lab.kept()

    place.rename(place.with_name("archived.csv"))
    wait_until(lambda: lab.states() == {"R1/archived.csv": "uploaded"})

    assert lab.kept() == kept
    assert set(lab.files()) == {("R1", "R1/a.csv")}


def test_a_version_that_was_stored_before_its_file_was_renamed_is_not_sent_again(lab: Lab):
    place = lab.write("R1/a.csv", b"first")
    lab.init()
    lab.start()
    lab.wait_stored(1)
    place.write_bytes(b"second, and longer")
    wait_until(lambda: "R1/a~2.csv" in stored_bytes(lab), what="the second version is stored")

    place.rename(place.with_name("b.csv"))
    wait_until(lambda: lab.states() == {"R1/b.csv": "uploaded"}, what="the new name is known to be stored")

    assert stored_bytes(lab) == {"R1/a.csv": sha256(b"first"), "R1/a~2.csv": sha256(b"second, and longer")}


def test_a_version_that_waited_while_its_file_was_renamed_is_stored_under_the_new_name(lab: Lab):
    place = lab.write("R1/a.csv", b"first")
    lab.init()
    with Way(lab.url) as way:
        lab.set(server=way.url)
        lab.start()
        lab.wait_stored(1)
        way.cut()
        place.write_bytes(b"second, and longer")
        wait_until(lambda: lab.states() == {"R1/a.csv": "reported"}, what="the change was seen")
        place.rename(place.with_name("b.csv"))
        wait_until(lambda: lab.states() == {"R1/a.csv": "gone", "R1/b.csv": "found"}, what="the rename was seen")

        way.mend()

        lab.wait_stored(1)
        assert stored_bytes(lab) == {"R1/a.csv": sha256(b"first"), "R1/b.csv": sha256(b"second, and longer")}


def test_every_generation_of_a_rotated_log_is_sent(lab: Lab):
    lab.init()
    lab.start()
    log = lab.write("R1/acquisition.log", b"generation 0")
    lab.wait_stored(1)

    for number in range(1, 4):
        log.rename(log.with_name(f"acquisition-{number}.log"))
        written = lab.write("R1/acquisition.log", b"generation %d" % number).stat().st_mtime_ns
        wait_until(functools.partial(_is_seen, lab, "R1/acquisition.log", written), what="the new log is seen")
    log.rename(log.with_name("acquisition-4.log"))
    everything = {sha256(b"generation %d" % number) for number in range(4)}

    wait_until(lambda: set(stored_bytes(lab).values()) >= everything, what="every generation is stored")


def _is_seen(lab: Lab, path: str, mtime_ns: int) -> bool:
    row = lab.journal().get(path)
    return row is not None and row["mtime_ns"] == mtime_ns


def test_another_file_with_the_inode_size_and_time_of_an_uploaded_one_is_sent(lab: Lab):
    place = lab.write("R1/a.csv", b"first")
    lab.init()
    lab.start()
    lab.wait_stored(1)
    lab.stop()
    before = place.stat()

    overwrite(place, b"other")
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    place.rename(place.with_name("b.csv"))
    lab.start()
    wait_until(lambda: "R1/b.csv" in stored_bytes(lab))

    assert stored_bytes(lab) == {"R1/a.csv": sha256(b"first"), "R1/b.csv": sha256(b"other")}


def overwrite(place: Path, data: bytes) -> None:
    """Other bytes in the same inode."""
    with place.open("r+b") as stream:
        stream.write(data)


def test_a_copy_of_an_uploaded_file_is_a_file_of_its_own(lab: Lab):
    place = lab.write("R1/a.csv", b"first")
    lab.init()
    lab.start()
    lab.wait_stored(1)

    place.with_name("linked.csv").hardlink_to(place)

    assert set(lab.wait_stored(2)) == {("R1", "R1/a.csv"), ("R1", "R1/linked.csv")}


def test_a_file_that_was_sent_while_the_clock_was_wrong_is_known_under_another_name(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shift = tmp_path / "shift"
    shift.write_text(str(-30 * 86_400))  # the file seems to be of the future
    monkeypatch.setenv("CLOCK_SHIFT", str(shift))
    lab.program = [str(Path(__file__).with_name("shifted.py"))]
    place = lab.write("R1/a.csv", b"first")
    lab.init()
    lab.start()
    lab.wait_stored(1)

    shift.write_text("0")
    place.rename(place.with_name("archived.csv"))
    wait_until(lambda: lab.states() == {"R1/archived.csv": "uploaded"})

    assert set(lab.files()) == {("R1", "R1/a.csv")}
