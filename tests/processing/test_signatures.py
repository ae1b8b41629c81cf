"""Marks of formats: what wins whatever the instrument."""

from processing.recognition.signatures import is_dicom, is_image


def test_a_dicom_whose_preamble_is_a_tiff_is_no_image():
    head = b"II*\0".ljust(128, b"\0") + b"DICM\x02\0\0\0"

    assert is_dicom(head)
    assert not is_image(head)
    assert is_image(b"II*\0".ljust(140, b"\0"))
