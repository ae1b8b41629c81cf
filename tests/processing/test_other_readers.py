"""Flow cytometry and mass spectrometry as the readers that the field uses find them in the same real files.

The numbers are those of flowio 1.4.0 and pyteomics 5.0.1; docs/decisions.md says why they do not read here.
"""

import numpy as np
import pytest
from defusedxml.ElementTree import iterparse

from processing.processors.fcs import channels_of, segments
from processing.processors.fcs_events import amplify_events, channel_of, stored_events
from processing.processors.mzml.arrays import INTENSITY, MZ, TIME, arrays_of, local
from processing.processors.mzml.elements import opened
from tests.samples.expected import FOLDER, TECHNIQUES, needs_real_exports

pytestmark = needs_real_exports

CYTOMETRY = TECHNIQUES / "flow-cytometry"
TINY_POINTS, TINY_TOTALS = {MZ: 40, INTENSITY: 65, TIME: 25}, {MZ: 300, INTENSITY: 525, TIME: 150}
MINI_POINTS, MINI_TOTALS = {MZ: 0, INTENSITY: 527, TIME: 527}, {MZ: 0, INTENSITY: 44589, TIME: 2043060.16}


@pytest.mark.parametrize(
    ("path", "events", "channels", "total"),
    [
        (CYTOMETRY / "EY_2013-07-19_PBS_FCS_2.0_Custom_Without_Add_Well_A1.001.fcs", 10_000, 16, 5630177.614241871),
        (CYTOMETRY / "G11.fcs", 5785, 12, 6465367565),
        (CYTOMETRY / "SG_2014-09-26_Duplicate_Names.fcs", 8129, 9, 911148.630328578),
        (CYTOMETRY / "cyflow_cube_8.fcs", 725, 10, 19887165),
        (CYTOMETRY / "variable_int_example.fcs", 2, 26, 24290879.585176446),
        (CYTOMETRY / "data_start_offset_discrepancy_example.fcs", 2, 26, 24290879.585176446),
        (CYTOMETRY / "data_stop_offset_discrepancy_example.fcs", 2, 26, 24290879.585176446),
        (CYTOMETRY / "fcs1_cleaned.lmd", 50_000, 7, 55756241.880805),
        (FOLDER / "flow-cytometry" / "B01 KC-A-W---91-US.fcs", 1589, 14, 570790362),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_events_are_those_of_flowio(path, events, channels, total):
    _, keywords, spans = segments(path)
    named = [channel_of(keywords, number, name) for number, (name, _) in enumerate(channels_of(keywords), start=1)]

    stored = stored_events(path, keywords, named, spans=spans)
    assert stored is not None
    found = amplify_events(stored.sample, named, keywords["$DATATYPE"])

    assert found.shape == (events, channels)
    assert found.sum() == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize(
    ("path", "points", "totals"),
    [
        (TECHNIQUES / "mass-spectrometry" / "tiny.pwiz.1.1.mzML", TINY_POINTS, TINY_TOTALS),
        (TECHNIQUES / "mass-spectrometry" / "mini.chrom.mzML.gz", MINI_POINTS, MINI_TOTALS),
        (FOLDER / "mass-spectrometry" / "mini.chrom.mzML", MINI_POINTS, MINI_TOTALS),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_arrays_are_those_of_pyteomics(path, points, totals):
    with opened(path) as file:
        holders = [element for _, element in iterparse(file) if local(element) in ("spectrum", "chromatogram")]

    arrays = [arrays_of(holder, groups={}) for holder in holders]

    found = {kind: np.concatenate([one[kind].decode() for one in arrays if kind in one] or [[]]) for kind in totals}
    assert {kind: len(values) for kind, values in found.items()} == points
    assert {kind: values.sum() for kind, values in found.items()} == pytest.approx(totals, rel=1e-12)
