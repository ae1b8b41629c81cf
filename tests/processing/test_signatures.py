"""Marks of formats: what wins whatever the instrument."""

import pytest

from processing.readings import HEAD_BYTES
from processing.recognition.signatures import is_dicom, is_image
from processing.registry import BUILT_IN_TYPES, matches_signature


def test_a_dicom_whose_preamble_is_a_tiff_is_no_image():
    head = b"II*\0".ljust(128, b"\0") + b"DICM\x02\0\0\0"

    assert is_dicom(head)
    assert not is_image(head)
    assert is_image(b"II*\0".ljust(140, b"\0"))


@pytest.mark.parametrize(
    "piece", [b"\n", b"\r\n", b" ", b"\t", b";\n", b";", b"=", b"=a=\n", b",", b"*", b"_", b"1", b"1 ", b"a\n"]
)
@pytest.mark.parametrize("kind", BUILT_IN_TYPES, ids=lambda kind: kind.name)
def test_a_head_of_one_thing_over_and_over_is_looked_at_in_time(kind, piece):
    """It is looked at outside the walls: an expression that tries every way to divide it would never end."""
    if kind.signature is not None:
        matches_signature(kind.signature, (piece * HEAD_BYTES)[: HEAD_BYTES - 1] + b"x")
