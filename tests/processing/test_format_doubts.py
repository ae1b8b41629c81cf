"""What formats say of their own size and order: pieces that stand in a file twice, lines that became one."""

import numpy as np
import pytest
from scipy.io import netcdf_file

from processing.processors import andi, molfile
from processing.processors.dicom import reader as dicom
from processing.processors.jcamp import reader as jcamp
from processing.processors.mass_spectrometry import mzxml, peak_lists
from tests.processing.here import read_here
from tests.processing.test_dicom import PIXELS, make_image
from tests.processing.test_peak_lists import POINTS
from tests.processing.test_single_formats import make_mol
from tests.samples.instruments import jcamp as write_jcamp
from tests.samples.instruments import jcamp_spectrum

SPECTRUM = "BEGIN IONS\nTITLE={0}\nPEPMASS=98{0}.6\nRTINSECONDS={0}\n846.6 73\n846.8 44\nEND IONS\n"
MGF = "".join(map(SPECTRUM.format, "1234"))
SCAN = '<scan num="{0}" msLevel="2" peaksCount="2" retentionTime="PT{0}S"><precursorMz>20{0}</precursorMz>{1}</scan>'
PEAKS = f'<peaks precision="32">{POINTS}</peaks>'
MZXML = (
    '<?xml version="1.0"?>\n<mzXML xmlns="http://x/mzXML_3.2"><msRun scanCount="4">'
    f"{''.join(SCAN.format(n, PEAKS) for n in range(1, 5))}</msRun></mzXML>"
)
LINES = [f"{start} " + " ".join("9876"[:4]) for start in range(100, 124, 4)]
PAIRS = "".join(f"{n}, {n}.5\n" for n in range(30))


def write_netcdf(path, *, records):
    with netcdf_file(path, "w") as dataset:
        dataset.createDimension("point_number", None if records else 5)
        dataset.createDimension("one", 1)
        dataset.createVariable("actual_delay_time", "f8", ("one",))[:] = 0
        dataset.createVariable("actual_sampling_interval", "f8", ("one",))[:] = 1
        dataset.createVariable("ordinate_values", "f8", ("point_number",))[:] = np.arange(5.0)
    return path.read_bytes()


@pytest.mark.parametrize("records", [True, False])
def test_what_stands_behind_the_numbers_of_netcdf_is_told(records, tmp_path):
    whole = write_netcdf(tmp_path / "run.cdf", records=records)
    longer = whole[:-16] + whole[-32:]

    assert read_here(andi.read, tmp_path / "run.cdf", whole).warnings == []
    assert "16 bytes stand behind" in read_here(andi.read, tmp_path / "run.cdf", longer).warnings[0]


def test_elements_of_dicom_that_stand_there_twice_are_told(tmp_path):
    whole = make_image(tmp_path / "a.dcm", StudyInstanceUID="1.2", SeriesInstanceUID="1.3", PixelData=PIXELS[:96])
    picture = b"\xe0\x7f\x10\0"
    twice = whole.replace(picture, b"\x08\0\x70\0LO\x02\0XX" + picture)

    assert read_here(dicom.read, tmp_path / "a.dcm", whole).warnings == []
    assert "not in the order of their numbers" in read_here(dicom.read, tmp_path / "a.dcm", twice).warnings[0]


def test_a_bond_beyond_those_that_are_counted_is_told(tmp_path):
    atoms, bonds = ["C", "O", "O"], [(1, 2, 2), (1, 3, 1)]
    whole = make_mol(atoms, bonds)
    twice = whole.replace("  1  3  1  0\n", "  1  3  1  0\n" * 2)

    assert read_here(molfile.read, tmp_path / "a.mol", whole).warnings == []
    assert "more bonds than it counts" in read_here(molfile.read, tmp_path / "a.mol", twice).warnings[0]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("PEPMASS=983.6\nRTINSECONDS=3\n846.6 73\n", "PEPMASS=983.6\nRTINSECONDS=3\n846.6 73", "no charge"),
        ("END IONS\n", "END IONS\nUSER=Ann\n", "outside the next"),
        ("RTINSECONDS=2\n", "", "One scan has no time"),
        ("PEPMASS=984.6\n", "", "One scan has no precursor"),
        ("END IONS\n", "END IONS\n\n# a comment\n", ""),
        ("846.6 73\n", "846.6 73 2\n", ""),
    ],
)
def test_lines_of_mgf_that_are_out_of_place_are_told(old, new, said, tmp_path):
    assert old in MGF
    found = read_here(peak_lists.read_mgf, tmp_path / "a.mgf", MGF.replace(old, new)).warnings

    assert (said in found[0]) if said else found == []


def test_the_one_scan_of_mzxml_that_lacks_its_time_or_precursor_is_told(tmp_path):
    no_time, no_precursor = (
        MZXML.replace(' retentionTime="PT2S"', ""),
        MZXML.replace("<precursorMz>203</precursorMz>", ""),
    )

    said = [read_here(mzxml.read, tmp_path / "a.mzXML", text).warnings for text in (MZXML, no_time, no_precursor)]
    assert said[0] == []
    assert ["no time" in said[1][0], "no precursor" in said[2][0]] == [True, True]


def test_two_lines_of_jcamp_that_became_one_are_told(tmp_path):
    joined = [*LINES[:2], LINES[2] + LINES[3], *LINES[4:]]
    texts = (
        jcamp_spectrum("\n".join(lines), first=100, last=123, points=points)
        for lines, points in ((LINES, 24), (joined, 24))
    )

    said = [read_here(jcamp.read, tmp_path / "a.jdx", text).warnings for text in texts]

    assert said[0] == []
    assert "two lines may have become one" in said[1][0]


@pytest.mark.parametrize(("table", "said"), [(PAIRS, False), (PAIRS.replace(" 7.5", " 7."), True)])
def test_a_point_with_nothing_behind_it_is_told(table, said, tmp_path):
    text = write_jcamp(
        "DATA TYPE=INFRARED SPECTRUM", "XUNITS=1/CM", "YUNITS=A", "NPOINTS=30", f"XYPOINTS=(XY..XY)\n{table}"
    )

    found = read_here(jcamp.read, tmp_path / "a.jdx", text).warnings

    assert [BARE in one for one in found for BARE in ["a point and nothing behind it"]] == ([True] if said else [])
