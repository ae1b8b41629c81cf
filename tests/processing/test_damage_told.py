"""Damage that one format alone can tell: of real and of small made files, whole and hit in one place."""

import random
from datetime import UTC, datetime

import numpy as np
import pytest
from allotropy.parser_factory import Vendor

from processing.doubts.curves import has_blank_stretch, has_hole, has_spike, list_time_doubts
from processing.processors.asm.endings import (
    GEN5_OPENING,
    NUCLEOVIEW_LINES,
    NUCLEOVIEW_TABBED_LINES,
    explain_lost_part,
    list_missing_openings,
)
from processing.processors.dicom import reader as dicom
from processing.processors.image import reader as image
from processing.processors.jcamp import reader as jcamp
from processing.processors.mass_spectrometry.peak_lists import read_mgf
from processing.processors.microarray import read_gpr
from processing.processors.sequencing import abif
from processing.processors.sequencing.traces import jumps
from tests.processing.here import read_here
from tests.processing.techniques import FOLDER, needs_techniques
from tests.samples.instruments import tiff

MGF = (
    "BEGIN IONS\nTITLE=A\nPEPMASS=500.1\n100 1\n200 2\nEND IONS\nBEGIN IONS\nTITLE=B\nPEPMASS=600.1\n100 1\nEND IONS\n"
)
GPR = 'ATF\t1.0\n1\t5\n"Type=GenePix Results 3"\n"Block"\t"Column"\t"Row"\t"X"\t"F635 Median"\n'


def words(output) -> str:
    return " ".join(output.warnings)


def test_a_line_that_every_head_of_gen5_has_is_missed():
    head = "\ufeff\n" + "".join(f"{line}\tx\n" for line in GEN5_OPENING)

    assert list(list_missing_openings(Vendor.AGILENT_GEN5, head)) == []
    (said,) = list_missing_openings(Vendor.AGILENT_GEN5, head.replace("Reader Type:", "R"))
    assert "“Reader Type”" in said
    (said,) = list_missing_openings(Vendor.AGILENT_GEN5, "Reader Type:\tx\n" + head)
    assert "not in the order" in said


def test_two_spectra_that_became_one_are_told(tmp_path):
    whole = read_here(read_mgf, tmp_path / "whole.mgf", MGF)
    merged = read_here(read_mgf, tmp_path / "merged.mgf", MGF.replace("200 2\nEND IONS\nBEGIN IONS\n", ""))

    assert whole.warnings == []
    assert "lines between two spectra may be missing" in words(merged)


def test_spots_that_are_gone_from_a_block_are_told(tmp_path):
    spots = [f"{block}\t{column}\t{row}\t9\t5\n" for block in (1, 2) for row in (1, 2) for column in (1, 2, 3)]
    whole = read_here(read_gpr, tmp_path / "whole.gpr", GPR + "".join(spots))
    short = read_here(read_gpr, tmp_path / "short.gpr", GPR + "".join(spots[:5] + spots[6:]))

    assert whole.warnings == []
    assert short.warnings == ["Of 12 spots 11 are there: rows may be missing."]


def test_pages_behind_a_broken_one_are_missed(tmp_path):
    pages = tiff(np.zeros((8, 8), "u1"), np.ones((8, 8), "u1"))
    first = int.from_bytes(pages[4:8], "little")
    tags = int.from_bytes(pages[first : first + 2], "little")
    place = first + 2 + 12 * tags  # of the next page
    broken = pages[:place] + b"\xff\xff\xff\x7f" + pages[place + 4 :]

    assert read_here(image.read, tmp_path / "whole.tif", pages).warnings == []
    assert "Parts of the TIFF cannot be read" in words(read_here(image.read, tmp_path / "broken.tif", broken))


@needs_techniques
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"\x08\x00\x60\x00CS", b"\x08\x00\x61\x10CS", "lacks Modality"),
        (b"CompressedSamples", b"Comp\0\0\0\0\0\0\0amples", "characters"),
    ],
)
def test_elements_and_texts_of_dicom_that_were_hit_are_told(tmp_path, old, new, said):
    whole = (FOLDER / "dicom" / "CT_small.dcm").read_bytes()

    assert read_here(dicom.read, tmp_path / "whole.dcm", whole).warnings == []
    assert said in words(read_here(dicom.read, tmp_path / "hit.dcm", whole.replace(old, new, 1)))


@needs_techniques
@pytest.mark.parametrize("left_out", [5, 400])
def test_a_plane_that_lacks_lines_is_told(tmp_path, left_out):
    text = (FOLDER / "nmr" / "cosyPPM.jdx").read_text()
    pages = text.split("##PAGE=")
    short = "##PAGE=".join(pages[:left_out] + pages[left_out + 1 :])

    assert read_here(jcamp.read, tmp_path / "whole.jdx", text).warnings == []
    assert "announces 1,024 pages, and holds 1,023" in words(read_here(jcamp.read, tmp_path / "short.jdx", short))
    assert "no ##END=" in words(read_here(jcamp.read, tmp_path / "cut.jdx", "##PAGE=".join(pages[:left_out])))


@needs_techniques
def test_scans_of_a_sequencer_that_were_overwritten_are_told(tmp_path):
    whole = (FOLDER / "sequencing" / "310.ab1").read_bytes()
    place = whole.index(b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20_000)
    hit = whole[:place] + random.Random(1).randbytes(64) + whole[place + 64 :]

    assert read_here(abif.read, tmp_path / "whole.ab1", whole).warnings == []
    assert "jumps within one scan" in words(read_here(abif.read, tmp_path / "hit.ab1", hit))


def test_a_signal_that_comes_and_goes_does_not_jump():
    peaks = 900 * np.exp(-((np.arange(400) % 20 - 10) ** 2) / 8)

    assert not jumps(peaks)
    assert jumps([*peaks[:200], -30_000, *peaks[201:]])


def test_noise_alone_does_not_jump():
    noise = np.random.default_rng(3).normal(0, 30, 5000).round()
    noise[[99, 100, 101]] = [-60, 108, -60]

    assert not jumps(noise)
    assert jumps([*noise[:200], -30_000, *noise[201:]])


def test_points_that_tower_and_holes_of_zeros_are_doubted():
    heights = [100 + place % 7 for place in range(60)]

    assert not has_spike(heights)
    assert has_spike([*heights[:30], 4e21, *heights[31:]])
    assert not has_hole([0.0, 0.0, *heights, 0.0, 0.0])
    assert not has_hole([*heights[:20], *[0.0] * 6, *heights[20:40], 0.0, *heights[40:]])
    assert has_hole([*heights[:20], *[0.0] * 6, *heights[20:]])
    assert has_hole([0.0, *heights[:20], *[0.0] * 6, *heights[20:], 0.0])
    assert not has_hole([0.0, 0.0, *heights[:20], *[0.0] * 6, *heights[20:]])


def test_a_moment_before_there_were_such_files_is_doubted():
    assert list(list_time_doubts(datetime(2023, 5, 19, tzinfo=UTC))) == []
    assert list(list_time_doubts(None)) == []
    (said,) = list_time_doubts(datetime(202, 5, 19, tzinfo=UTC))
    assert "in 202:" in said


@pytest.mark.parametrize(
    ("text", "vendor"),
    [
        ("Protocol File Path:\tC:\\A.prt\r\n", "Agilent Gen5"),
        ("\n[EXCEPTIONS]\nDate Time Point\n", "Beckman Echo Plate Reformat"),
        ("Sample ID,Value\nReader Type,1\n", ""),
    ],
)
def test_a_vendor_is_named_whose_own_mark_is_lost(text, vendor):
    said = explain_lost_part(text.encode())

    assert said == (f"It looks like {vendor}, but a part of it is missing." if vendor else "")


def test_a_blank_stretch_of_a_trace_that_has_few_zeros_elsewhere_is_told():
    trace = np.ma.masked_invalid(np.resize([3.0, 0.0, 5.0, 8.0, 0.0, 0.0, 6.0], 9_000))
    blank, end, often = trace.copy(), trace.copy(), trace.copy()
    clipped = np.ma.masked_invalid(np.resize([3.0, 4.0, 5.0, 8.0], 9_000))
    blank[4_001:4_065] = 0
    end[-64:] = 0
    clipped[3_000:3_400] = np.r_[np.linspace(3, 0, 100), np.zeros(200), np.linspace(0, 3, 100)]
    often[4_001:4_065] = often[6_001:6_020] = 0

    noise = np.ma.masked_invalid(np.random.default_rng(3).normal(0, 3, 9_000).round())
    hole = noise.copy()
    hole[4_001:4_129] = 0

    assert has_blank_stretch(blank)
    assert has_blank_stretch(hole)
    assert not has_blank_stretch(noise)
    assert not any(map(has_blank_stretch, (trace, end, clipped, often)))


@pytest.mark.parametrize("mark", [";", ":\t"])
def test_a_line_that_every_export_of_nucleoview_has_is_missed(mark):
    names = NUCLEOVIEW_LINES if mark == ";" else NUCLEOVIEW_TABBED_LINES
    text = "Assay; ;\n" * (mark == ";") + "".join(f"{name.rstrip(':;')}{mark}x\n" for name in names) + "//[AB]"

    assert list(list_missing_openings(Vendor.CHEMOMETEC_NUCLEOVIEW, text)) == []
    line = f"Operator{mark}x\n"
    (said,) = list_missing_openings(Vendor.CHEMOMETEC_NUCLEOVIEW, text.replace(line, ""))
    assert "“Operator”" in said
    (said,) = list_missing_openings(Vendor.CHEMOMETEC_NUCLEOVIEW, line + text.replace(line, ""))
    assert "not in the order" in said
