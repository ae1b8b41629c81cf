"""A journal that is lost or damaged rebuilds itself from the service: nothing is lost, nothing is doubled."""

import random
import sqlite3
from pathlib import Path
from typing import Any

from agent.tests.lab import Lab, made, wait_until

MANY = 30_000


def lose(lab: Lab) -> None:
    for file in lab.home.glob("journal.sqlite3*"):
        file.unlink()


def store_and_rename(lab: Lab) -> dict[tuple[str, str], tuple[Any, ...]]:
    """Twenty-two files are stored, eight of them have other names since; what the service keeps."""
    for number in range(22):
        lab.write(f"R{number % 3}/{number}.csv", made(number, 1000))
    lab.init()
    lab.start()
    lab.wait_stored(22)
    for number in range(8):
        place = lab.folder / f"R{number % 3}/{number}.csv"
        place.rename(place.with_name(f"archived {number}.csv"))
    wait_until(lambda: sum("archived" in path and state == "uploaded" for path, state in lab.states().items()) == 8)
    lab.stop()
    return lab.kept()


def test_a_lost_journal_does_not_double_renamed_files(lab: Lab):
    kept = store_and_rename(lab)
    lose(lab)

    lab.start()
    lab.wait_stored(22)

    assert lab.kept() == kept
    assert len(lab.files()) == 22


def test_the_lost_journal_of_a_manual_agent_knows_what_is_stored(lab: Lab):
    kept = store_and_rename(lab)
    lose(lab)
    lab.set(upload_mode="manual")

    lab.start()
    lab.wait_stored(22)

    assert lab.kept() == kept
    assert len(lab.files()) == 22


def test_equal_files_of_other_times_are_all_kept_after_a_loss(lab: Lab):
    first = lab.write("R1/blank.csv", b"blank")
    lab.init()
    lab.start()
    lab.wait_stored(1)
    lab.stop()
    lose(lab)
    first.unlink()

    lab.write("R2/blank.csv", b"blank")
    lab.start()

    assert set(lab.wait_stored(1)) == {("R1", "R1/blank.csv"), ("R2", "R2/blank.csv")}


def test_a_journal_with_damaged_pages_is_kept_aside_and_made_anew(lab: Lab):
    kept = store_and_rename(lab)
    damage(lab.home / "journal.sqlite3")

    lab.start()
    lab.wait_stored(22)
    [told] = wait_until(lambda: [one for one in lab.events("error") if "damaged" in one["message"]])

    assert lab.kept() == kept
    assert len(lab.files()) == 22
    [aside] = lab.home.glob("journal-damaged-*.sqlite3")
    assert aside.name in told["message"]


def damage(place: Path) -> None:
    """Every page but the first holds chance."""
    data = bytearray(place.read_bytes())
    data[4096:] = random.Random(1).randbytes(len(data) - 4096)
    place.write_bytes(data)
    for file in (place.with_name(f"{place.name}-wal"), place.with_name(f"{place.name}-shm")):
        file.unlink(missing_ok=True)


def test_a_journal_that_is_damaged_under_the_running_agent_is_made_anew(lab: Lab):
    for number in range(5):
        lab.write(f"R1/{number}.csv", made(number, 1000))
    lab.init()
    lab.start()
    lab.wait_stored(5)
    kept = lab.kept()
    lab.stop()
    enlarge(lab.home / "journal.sqlite3")
    agent = lab.start()
    wait_until(lambda: lab.snapshot().get("pid") == agent.pid and lab.snapshot().get("scanned_at"))

    for file in lab.home.glob("journal.sqlite3*"):
        if not file.name.endswith("-shm"):
            damage_open(file)
    wait_until(lambda: list(lab.home.glob("journal-damaged-*.sqlite3")), what="it is kept aside")
    lab.write("R1/later.csv", b"later")
    lab.wait_stored(6)

    assert agent.poll() is None
    assert lab.kept().items() >= kept.items()
    assert len(lab.files()) == 6


def enlarge(place: Path) -> None:
    """More lines than SQLite keeps in memory, so that a look through the folder reads them from the disk."""
    journal = sqlite3.connect(place)
    with journal:
        journal.executemany(
            "INSERT INTO files (folder, name, size, mtime_ns, inode, state, found_at)"
            " VALUES ('R1', ?, 1, 1, 1, 'dismissed', '')",
            [(f"long gone {number:060}.csv",) for number in range(MANY)],
        )
    journal.close()


def damage_open(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.seek(4096)
        stream.write(random.Random(1).randbytes(max(0, file.stat().st_size - 4096)))
