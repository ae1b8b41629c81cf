"""Reading beside an instrument that writes."""

import os
from pathlib import Path

from instrument_watcher.platforms.opening import open_for_reading, refuse_unreadable
from instrument_watcher.platforms.paths import listed_name, place


def test_a_file_that_is_read_can_be_written_renamed_and_deleted(tmp_path: Path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"first")
    descriptor = open_for_reading(place(tmp_path, "a.csv"))

    with path.open("ab") as instrument:
        instrument.write(b" and second")
    path.rename(tmp_path / "b.csv")
    (tmp_path / "b.csv").unlink()

    assert os.read(descriptor, 100) == b"first and second"
    os.close(descriptor)


def test_a_file_that_its_writer_shares_can_be_read(tmp_path: Path):
    with (tmp_path / "a.csv").open("wb") as instrument:
        instrument.write(b"half")

        refuse_unreadable(place(tmp_path, "a.csv"))


def test_a_name_of_nothing_stays_as_it_was_told(tmp_path: Path):
    assert listed_name(tmp_path, "R1/gone.csv") == "R1/gone.csv"
