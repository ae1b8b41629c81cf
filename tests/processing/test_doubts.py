"""Damage that shows in what was read: numbers beyond all measuring, and checksums that do not fit."""

import h5py
import numpy as np
import pytest

from processing.doubts.curves import list_doubts
from processing.formats.curve import Axis, Curve, Series
from processing.processors.fcs import read as read_fcs
from processing.processors.fcs_strays import find_blank_run
from processing.processors.hdf5.reader import read as read_hdf5
from processing.processors.mzml.reader import read as read_mzml
from tests.processing.here import read_here
from tests.processing.techniques import FOLDER, needs_techniques
from tests.samples.instruments import fcs

REAL_MZML = FOLDER / "mass-spectrometry" / "tiny.pwiz.1.1.mzML"


def curve(*heights):
    series = [Series("A", list(range(len(heights))), list(heights))]
    return Curve("Scan", Axis("x"), Axis("y"), series).artefact("a.json")


@pytest.mark.parametrize("height", [3e35, -3e35, 2e-38])
def test_numbers_that_nothing_measures_are_told(height):
    assert list(list_doubts([curve(1, height, 2)])) == [
        "1 points of “Scan” are no measured numbers (beyond 1e±30): the file may be damaged."
    ]


def test_nothing_is_said_of_numbers_gaps_and_zeros():
    assert list(list_doubts([curve(0, 1e-12, None, -5e20)])) == []


@needs_techniques
def test_a_byte_that_was_overwritten_breaks_the_checksum_of_a_real_file(tmp_path):
    whole = REAL_MZML.read_bytes()
    place = whole.index(b"AAAAAAAA")

    assert read_here(read_mzml, tmp_path / "whole.mzML", whole).warnings == []
    damaged = read_here(read_mzml, tmp_path / "damaged.mzML", whole[:place] + b"B" + whole[place + 1 :])
    assert damaged.warnings[0].startswith("Its bytes are not those that its checksum was made of")


def test_events_that_are_no_numbers_are_told(tmp_path):
    said = {"$PAR": "1", "$TOT": "2", "$DATATYPE": "F", "$MODE": "L", "$BYTEORD": "1,2,3,4", "$P1N": "A", "$P1B": "32"}

    output = read_here(read_fcs, tmp_path / "a.fcs", fcs(said, events=np.array([1, np.nan], "<f4").tobytes()))

    assert "Some events hold what is no number: the file may be damaged." in output.warnings


def test_files_that_are_longer_than_they_say_are_told(tmp_path):
    said = {"$PAR": "1", "$TOT": "2", "$DATATYPE": "F", "$MODE": "L", "$BYTEORD": "1,2,3,4", "$P1N": "A", "$P1B": "32"}
    events = fcs(said, events=np.array([1, 2], "<f4").tobytes())
    with h5py.File(tmp_path / "tree.h5", "w") as file:
        file["od"] = [1.0, 2.0]
    tree = (tmp_path / "tree.h5").read_bytes()

    for reader, name, whole in ((read_fcs, "a.fcs", events), (read_hdf5, "a.h5", tree)):
        assert "longer" not in " ".join(read_here(reader, tmp_path / f"whole-{name}", whole).warnings)
        assert "longer than it" in " ".join(read_here(reader, tmp_path / name, whole + b"\x55" * 600).warnings)


def test_events_of_nothing_that_follow_each_other_are_a_hole():
    nothing = np.array([False, True, True, True, False])

    assert find_blank_run(nothing).sum() == 3
    assert find_blank_run(np.array([True, False, True])).sum() == 0


def test_one_gap_in_even_steps_is_told():
    places = [*range(30), *range(34, 60)]
    gap = Curve("Scan", Axis("x"), Axis("y"), [Series("A", places, [1] * len(places))]).artefact("a.json")
    even = Curve("Scan", Axis("x"), Axis("y"), [Series("A", [*range(50), 49.5], [1] * 51)]).artefact("a.json")

    assert list(list_doubts([gap])) == [
        "The even steps of “Scan” are broken in one place: points may be missing, or damaged."
    ]
    assert list(list_doubts([even])) == []


def test_keywords_that_each_channel_must_have_are_missed(tmp_path):
    said = {
        "$PAR": "1",
        "$TOT": "0",
        "$DATATYPE": "F",
        "$MODE": "L",
        "$BYTEORD": "1,2,3,4",
        "$P1B": "32",
        "$O\x01": "Jenny",
    }

    output = read_here(read_fcs, tmp_path / "a.fcs", fcs(said, events=b""))

    assert "It lacks $P1N, $P1R: its text may be damaged." in output.warnings
    assert "Its keywords hold characters that stand in none: its text may be damaged." in output.warnings
