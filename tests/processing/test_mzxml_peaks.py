"""Points of mzXML whose masses and intensities are packed apart, as its version 3 allows."""

import base64
import zlib

import numpy as np
import pytest

from processing.processors.mass_spectrometry.mzxml import read
from processing.readings import Unreadable
from tests.processing.here import read_here

MASSES, HEIGHTS = np.linspace(100, 200, 5), np.array([1.0, 7.0, 2.0, 3.0, 4.0])


def peaks(kind, numbers):
    packed = base64.b64encode(zlib.compress(numbers.astype(">f8").tobytes())).decode()
    return f'<peaks precision="64" contentType="{kind}" compressionType="zlib">{packed}</peaks>'


def document(*parts):
    scan = f'<scan num="1" msLevel="1" peaksCount="5" retentionTime="PT60S">{"".join(parts)}</scan>'
    schema = "http://sashimi.sourceforge.net/schema_revision/mzXML_3.2"
    return f'<mzXML xmlns="{schema}"><msRun scanCount="1">{scan}</msRun></mzXML>'


def test_masses_and_intensities_that_are_packed_apart_are_one_spectrum(tmp_path):
    text = document(peaks("m/z", MASSES), peaks("intensity", HEIGHTS))

    found = read_here(read, tmp_path / "a.mzXML", text).run

    assert (found["mass_points"], found["mz_min"], found["mz_max"], found["tic_max"]) == (5, 100, 200, 17)


@pytest.mark.parametrize(
    "parts", [[peaks("intensity", HEIGHTS)], [peaks("m/z", MASSES[:3]), peaks("intensity", HEIGHTS)]]
)
def test_intensities_without_their_masses_are_refused(parts, tmp_path):
    with pytest.raises(Unreadable, match="masses"):
        read_here(read, tmp_path / "a.mzXML", document(*parts))
