"""Waveforms of DICOM: a stretch in which every channel has nothing is a hole, a channel without a signal is none."""

import numpy as np
import pytest

from processing.processors.dicom.contents import measure_hole
from tests.processing.techniques import FOLDER, needs_techniques, read_technique

WAVES = (np.arange(12_000).reshape(1_000, 12) * 7_919 % 1_999 - 1_000).astype(np.int64)


def blank(begin, end, *, channels=12):
    changed = WAVES.copy()
    changed[begin:end, :channels] = 0
    return changed


@pytest.mark.parametrize(
    ("samples", "moments"),
    [
        (WAVES, 0),
        (blank(100, 121), 21),
        (blank(100, 104), 0),  # so few may be measured
        (blank(0, 50), 0),  # before it was connected
        (blank(900, 1_000), 0),
        (blank(100, 900, channels=11), 0),  # one electrode alone
        (blank(100, 121)[:, :1], 0),
        (np.concatenate([blank(100, 121), blank(100, 121)]), 0),  # it pauses
    ],
)
def test_a_hole_is_one_within_and_of_all_channels(samples, moments):
    assert measure_hole(samples) == moments


@needs_techniques
def test_a_block_that_a_disk_lost_is_told(tmp_path):
    data = (FOLDER / "dicom/waveform_ecg.dcm").read_bytes()
    copy = tmp_path / "waveform_ecg.dcm"
    copy.write_bytes(data[:100_000] + bytes(512) + data[100_512:])

    assert [one for one in read_technique(copy).warnings if "nothing in any channel" in one]
    assert read_technique("dicom/waveform_ecg.dcm").warnings == []
