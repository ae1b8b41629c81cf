"""Real files that were cut off: refused, or read with a word of warning; never a quiet part of the truth."""

from contextlib import suppress

import pytest

from processing.readings import Output
from tests.processing.techniques import FOLDER, needs_techniques, read_technique

WHOLE = [
    "animl/generated_uvvis.animl",
    "asm/beckman_coulter_biomek__example_02.json",
    "chromatography/agilent_hplc.cdf",
    "chromatography/gcms.jdx",
    "mass-spectrometry/test.mgf",
    "mass-spectrometry/test.ms1",
    "mass-spectrometry/test.mzXML",
    "mass-spectrometry/test.pep.xml",
    "nmr/1D_time.fid",
    "nmr/aspirin-1h.zip",
    "nmr/jeol.dx",
    "spectra/BF_lo_01_soil_cal.1",
    "spectra/NDR0002.SPC",
    "spectra/brukeropus_file.0",
    "spectra/sp.wdf",
    "thermal/PerkinElmerAscii.txt",
    "thermal/TAInstruments.txt",
    "thermal/mettlerToledoWeight.txt",
    "thermal/netzsch.txt",
]


@needs_techniques
@pytest.mark.parametrize("share", [0.05, 0.35, 0.6, 0.95])
@pytest.mark.parametrize("name", WHOLE)
def test_a_copy_that_was_cut_off_is_refused_or_warned_of(tmp_path, name, share):
    whole = read_technique(name)
    data = (FOLDER / name).read_bytes()
    copy = tmp_path / name.rpartition("/")[2]
    copy.write_bytes(data[: int(len(data) * share)])
    found: Output | None = None

    with suppress(Exception):  # whatever the libraries raise is told as damage
        found = read_technique(copy)

    assert found is None or set(found.warnings) - set(whole.warnings)
