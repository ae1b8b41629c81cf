"""Damage that shows in the bytes of a file, whatever it is; and real files, of which nothing is said."""

import random

import numpy as np
import pytest

from processing.doubts.file_bytes import list_byte_doubts
from processing.processors.image.pixels import has_hole
from tests.processing.damaged_copies import SHARED, list_files
from tests.samples.expected import needs_real_exports
from tests.samples.instruments import tiff

BINARY = random.Random(1).randbytes(20_000)


def doubts(tmp_path, content):
    path = tmp_path / "export.bin"
    path.write_bytes(content)
    return " ".join(list_byte_doubts(path))


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        (BINARY[:15_000] + bytes(5_000), "Its last 5,000 bytes are zeros"),
        (BINARY + BINARY, "stands in it twice"),
        (BINARY.replace(b"\n", b"\r\n"), "Each line feed has a carriage return"),
        (BINARY.decode(errors="replace").encode(), "replaced what it did not know"),
        ("Well\tValue\n".encode("utf-16").decode(errors="replace").encode(), "replaced what it did not know"),
    ],
)
def test_bytes_that_were_changed_are_told(tmp_path, damaged, said):
    assert said in doubts(tmp_path, damaged)


@pytest.mark.parametrize(
    "whole", [BINARY, BINARY + bytes(100), bytes(2_000), tiff(np.zeros((40, 40), "u1")), "µg\r\n".encode() * 50]
)
def test_nothing_is_said_of_whole_files(tmp_path, whole):
    said = doubts(tmp_path, whole)

    assert said == "" or whole == bytes(2_000) or whole.startswith("µ".encode())


@needs_real_exports
def test_nothing_is_said_of_real_files():
    assert {name: said for name in list_files() if (said := list(list_byte_doubts(SHARED / name)))} == {}


def test_a_hole_in_a_picture_is_told_and_a_border_is_not():
    picture = np.full((40, 100), 900, "u2") + np.arange(100, dtype="u2")
    hole, border, dark = picture.copy(), picture.copy(), picture.copy()
    hole.reshape(-1)[1_230:1_290] = 0
    border[30:] = 0
    dark[::7, ::5] = 0

    assert has_hole(hole)
    assert not any(map(has_hole, (picture, border, dark)))
