"""Holes of zeros and pieces that stand twice in pictures, traces and datasets; what is so by its nature is not told."""

import h5py
import numpy as np
import pytest

from processing.doubts.curves import has_blank_stretch, has_piece_twice
from processing.processors.hdf5 import reader as hdf5
from processing.processors.image.pixels import has_hole
from tests.processing.here import read_here

CHANCE = np.random.default_rng(18)
SCAN = CHANCE.integers(100, 2000, (64, 64), dtype=np.int16)
CURVE = 5 + np.sin(np.arange(250.0) / 9)


def holed(numbers, start, size):
    hit = numbers.copy()
    raw = hit.view(np.uint8).reshape(-1)
    raw[start : start + size] = 0
    return hit


def test_a_hole_beside_dark_pixels_is_told_where_none_is_near_zero():
    dark = SCAN.copy()
    dark.reshape(-1)[980:1060] = 120

    assert not has_hole(dark)
    assert has_hole(holed(dark, 2001, 80))  # it begins in the middle of a number
    assert not has_hole(holed(np.where(dark < 500, dark // 100, dark), 2001, 80))


def test_a_hole_in_noise_around_zero_is_told():
    noise = np.ma.masked_array(CHANCE.integers(-4, 5, 6000))
    hole = noise.copy()
    hole[3000:3040] = 0

    assert not has_blank_stretch(noise)
    assert has_blank_stretch(hole)
    assert not has_blank_stretch(abs(hole))  # cut off at zero, it may be silent for longer


COUNTS = CHANCE.integers(300, 900, 3000)
WAVE = np.tile(COUNTS[:100], 20)


@pytest.mark.parametrize("size", [40, 64, 300])
def test_a_piece_of_a_trace_that_stands_there_twice_is_told(size):
    twice = np.concatenate([COUNTS[: 1000 + size], COUNTS[1000:]])
    joined = np.concatenate([COUNTS[: 999 + size], [7], COUNTS[1000:]])  # where they meet two numbers became one

    assert not has_piece_twice(np.ma.masked_array(COUNTS))
    assert has_piece_twice(np.ma.masked_array(twice))
    assert has_piece_twice(np.ma.masked_array(joined))


@pytest.mark.parametrize("values", [WAVE, COUNTS % 3, np.zeros(3000), np.concatenate([COUNTS, COUNTS[::-1], COUNTS])])
def test_what_repeats_itself_by_its_nature_is_not_told(values):
    assert not has_piece_twice(np.ma.masked_array(values))


def read_numbers(folder, numbers):
    path = folder / "scan.h5"
    with h5py.File(path, "w") as file:
        file["error"] = numbers
    return " ".join(read_here(hdf5.read, path, path.read_bytes()).warnings)


@pytest.mark.parametrize("start", [800, 803])
def test_a_hole_in_a_dataset_is_told(start, tmp_path):
    assert read_numbers(tmp_path, CURVE) == ""
    assert "Numbers of “error” that follow each other are zero" in read_numbers(tmp_path, holed(CURVE, start, 48))
    assert "that follow each other are zero" in read_numbers(tmp_path, holed(SCAN, 2001, 80))


@pytest.mark.parametrize("numbers", [np.zeros(250), np.where(CURVE > 5.5, 0, CURVE), holed(CURVE, 0, 80)])
def test_datasets_that_are_zero_by_themselves_are_not_told(numbers, tmp_path):
    assert read_numbers(tmp_path, numbers) == ""
