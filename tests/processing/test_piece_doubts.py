"""Pieces of texts that stand there twice, come from another file or are gone; numbers that lost their first digit."""

import pytest
from allotropy.parser_factory import Vendor

from processing.doubts.markup import list_markup_doubts
from processing.doubts.texts import list_text_doubts
from processing.processors.asm.endings import (
    QUANTSTUDIO_OPENING,
    explain_lost_part,
    list_missing_ends,
    list_missing_openings,
)
from processing.processors.asm.quantstudio_sections import list_lost_wells
from processing.processors.asm.softmax_means import list_odd_means
from processing.processors.mass_spectrometry import peak_lists
from tests.processing.here import read_here

FACTS = (
    "Report,\nDate,01/08/2024 10:15\nTest performed by,Ann\nInstrument,4711\nVersion of it,8.2.0\nLot,L-12\nPlate,P-1\n"
)
LOG = "Kind of it,Plate,Handling\n" + "".join(f"9:1{n},P{n},Custom\n" for n in range(6))
SCAN_ROWS = "".join(f"{200 + 2 * n},0.{n}31\n" for n in range(8))
PARTS = "User: Ann\nTest: ELISA\nRaw Data (485)\n\n," + ",".join(map(str, range(1, 13))) + "\n" + "".join(
    f"{letter},238{n},,{n}4,,,,,7{n},,,,\n" for n, letter in enumerate("ABCDEFGH")
)  # fmt: skip
PEAK = "<Peak><Area>1.5</Area><Height>7</Height><Size>35</Size><Way>3{}.0</Way></Peak>\n"
PEAKS = "<Peaks>" + "".join(map(PEAK.format, range(8))) + "</Peaks>"
FRACTIONS = "# fractions\nFrac   Start   End   Volume\n" + "".join(
    f"{n:<5} {n}.500    {n + 1}.000     0.25\n" for n in range(1, 13)
)
SEMICOLONS = "Sample;Name;Amount\n" + "".join(f"{n};P-{n};0,1{n}\n" for n in range(10, 20))
COMMAS = "".join(f"{30 * n},27.{n},100.9{n},0.5\n" for n in range(10, 18))
PLATE = "Plate\n\t1\t2\t3\t4\n" + "".join(f"{letter}\t1.5\t12.25\t11.5\t10.75\n" for letter in "ABCDEFGH")
SCANS = "H\tx\n" + "".join(f"S\t{n}\t{n}\nI\tRTime\t{n}\nI\tBPI\t9\nI\tTIC\t9\n100 1\n" for n in (1, 2, 3))
STUDIO = "[Amplification Data]\r\nWell\tCycle\r\n1\t1\r\n2\t1\r\n\r\n[Results]\r\nWell\tCq\r\n1\t20\r\n2\t21\r\n3\t\r\n"


def block(name, rows=6):
    return f"Block {name}\nWell,Value\n" + "".join(f"A{n},0.{n}{name}5\n" for n in range(1, rows + 1)) + "\n"


def told(text, folder):
    path = folder / "export.txt"
    path.write_text(text)
    return " ".join(list_text_doubts(path, []))


@pytest.mark.parametrize(
    "text",
    [
        FACTS,
        FACTS + FACTS,
        FRACTIONS,
        FRACTIONS.rstrip("\n") + "  *\n",  # a remark
        SEMICOLONS,
        SEMICOLONS + "\n" + COMMAS,  # a part of its own
        SEMICOLONS + "10 rows\n",
        block(1) + block(2),
        block(1) + block(2, 4),
        block(1) + block(2).rstrip("\n"),
        block(1) + block(2).rstrip("\n").replace("A3", "B3"),
        PLATE,
        PLATE.replace("12.25", "<2.25", 1),
        PLATE.replace("12.25", "\N{MINUS SIGN}2.25", 1),
        PLATE.replace("12.25", "12:25:10", 1),
        LOG,
        LOG.rstrip("\n"),
        LOG + "9:16,P6,By hand",
        LOG.replace("P3,Custom", "P3,By hand") + "9:16,P6,By",
        SCAN_ROWS,
        SCAN_ROWS + "Time,A,B\n" + "".join(f"{n},0.5,{n}7\n" for n in range(1, 5)),
        SCAN_ROWS + "\n" + "".join(f"{n},0.5,{n}7\n" for n in range(1, 5)),
        PARTS,
        "Cœur de Ŝão: naïveté, façade, Größe in m²\n",
        "Wavelength (Å),Diameter (Ø),à part\n1.54,3,è vero (à 3)\n",
    ],
)
def test_whole_texts_are_not_doubted(text, tmp_path):
    assert told(text, tmp_path) == ""


@pytest.mark.parametrize("start", [12, 20, 30])
@pytest.mark.parametrize("size", [64, 70, 80])
def test_a_piece_that_stands_there_twice_is_told_where_it_breaks_lines(start, size, tmp_path):
    twice = FACTS[: start + size] + FACTS[start:]

    assert "follow again behind a broken one" in told(twice, tmp_path) or "follow once more" in told(twice, tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SEMICOLONS[:-9] + COMMAS[20:], "its end may be that of another file"),
        (SEMICOLONS[:-4] + "5\n" + COMMAS, "its end may be that of another file"),
        (block(1) + block(2, 5).rstrip("\n")[:-1], "Its last table has fewer rows than those above"),
        (block(1) + block(2) + block(3, 5).rstrip("\n") + "\n", "Its last table has fewer rows than those above"),
        (FRACTIONS.replace("2.500    3.000 ", '"  2.500  3&000'), "Line 4 has 5 cells"),
        (PARTS.replace(",2,3,4,", ",2,3 (,4,"), "“3 (” in line 5 stands among the numbers of columns"),
        ("Name,Value\nDiameter,7.?\nLot,12\n", "“7.?” in line 2"),
        ("Path:\tC:\\Lab\\\xcd0240208.prt\nPlate\tSource[\xce]\n", "stand in no text (2)"),
        (PLATE.replace("12.25", ":2.25", 1), "“:2.25” in line 3"),
        (PLATE.replace("12.25", "±2.25", 1), "“±2.25” in line 3"),
        (PLATE.replace("12.25", ":.5", 1), "“:.5” in line 3"),
        (COMMAS + "1;" + SEMICOLONS.partition("\n")[2].replace(",", "."), "its end may be that of another file"),
        (block(1) + "Block 2: abso", "It ends with the heading “Block 2: abso”"),
        (LOG + "9:16,P6,Cu", "Its last word is the beginning of one that stands above"),
        (SCAN_ROWS + "".join(f"{n},0.5,{n}7\n" for n in range(1, 5)), "the end may be another file's"),
        (
            SCAN_ROWS + "216,0.37,1\n" + "".join(f"{n},0.5,{n}7,9\n" for n in range(1, 5)),
            "the end may be another file's",
        ),
        (PARTS.replace("," + ",".join(map(str, range(1, 13))) + "\n", ""), "has no numbers of columns above it"),
        ("Speed,0.91\n" + "A,0.5,0.6,0.7,0.51,.92,0.8,0.7,0.9,0.1,0.2,0.3,0.4\n", "“.92” begins with a point"),
        ("Read Speed: Normal, MeaŒurements: 10\n", "characters that stand in no text"),
        (PLATE.replace("11.5", '1"5', 1), '“1"5” in line 3'),
    ],
)
def test_what_is_of_another_file_or_broken_is_told(text, said, tmp_path):
    assert said in told(text, tmp_path)


def test_the_one_element_that_lacks_a_value_is_told(tmp_path):
    path = tmp_path / "peaks.xml"
    path.write_text(PEAKS)
    assert list(list_markup_doubts(path)) == []
    path.write_text(PEAKS.replace("<Way>34.0</Way>", ""))
    assert "One “Peak” has no “Way”" in next(list_markup_doubts(path))
    path.write_text(PEAKS.replace("<Way>34.0</Way>", "").replace("<Way>35.0</Way>", ""))
    assert list(list_markup_doubts(path)) == []


def test_a_vendor_is_named_whose_head_is_gone():
    softmax = "Plate1\nOriginal Filename: x; Date Last Saved: 1/1/2020\n"

    assert "SoftMax" in explain_lost_part(softmax.encode("utf-16-le"))
    assert "Envision" in explain_lost_part(b"1,2,3\n" * 2000 + b"Exported with EnVision 1.13\n")
    assert "Methodical Mind" in explain_lost_part(b"Wells Per Row :\t3\n")
    assert explain_lost_part(b"Sample,OD\nS1,0.5\n") == ""


def test_what_all_heads_and_ends_of_a_vendor_have_is_missed():
    studio = "".join(f"{line} = x\n" for line in QUANTSTUDIO_OPENING)
    spots = "Well areas covered by spots (%max)\nA\t1\n"

    assert list(list_missing_openings(Vendor.APPBIO_QUANTSTUDIO, studio)) == []
    (said,) = list_missing_openings(Vendor.APPBIO_QUANTSTUDIO, studio.partition("\n")[2])
    assert "“Block Type”" in said
    (said,) = list_missing_ends(Vendor.CTL_IMMUNOSPOT, spots)
    assert "“Total intensity of spots per well”" in said
    (said,) = list_missing_ends(Vendor.AGILENT_GEN5_IMAGE, "Procedure\n\nLayout\nA\tSPL1\n")
    assert "has no results" in said


def softmax(rows):
    return (
        "Group: Unknowns\r\nSample\tWells\tOD\tAvgOD\tPlate\t\r\n" + "".join(rows) + "\r\nGroup Column\t1\r\n~End\r\n"
    )


SAMPLES = [f"S{n}\tA{n}\t0.{n}00\t0.{n}50\tP1\t\r\n \tB{n}\t0.{n + 1}00\t \tP1\t\r\n" for n in range(1, 6)]
ROWS = "".join(SAMPLES).splitlines(keepends=True)


@pytest.mark.parametrize(
    "rows",
    [ROWS, ROWS[:6], [row.replace("0.500", "Masked") for row in ROWS], [r.replace("50\t", "99\t") for r in ROWS]],
)
def test_means_of_softmax_that_fit_or_never_do_are_not_doubted(rows):
    assert list(list_odd_means(softmax(rows))) == []


@pytest.mark.parametrize(
    "rows", [[*ROWS[:5], *ROWS[6:]], [*ROWS[:4], *ROWS[5:]], [row.replace("A3\t0.300", "A3\t0.380") for row in ROWS]]
)
def test_a_sample_of_softmax_whose_mean_is_another_is_told(rows):
    (said,) = list_odd_means(softmax(rows))
    assert "is not the mean of its rows" in said


def test_a_spectrum_that_lacks_what_all_others_say_is_told(tmp_path):
    whole = read_here(peak_lists.read_ms1, tmp_path / "whole.ms1", SCANS)
    short = read_here(peak_lists.read_ms1, tmp_path / "short.ms1", SCANS.replace("I\tTIC\t9\n", "", 1))

    assert whole.warnings == []
    assert "A spectrum has no “TIC”" in " ".join(short.warnings)


def test_a_last_spectrum_without_points_is_told(tmp_path):
    cut = read_here(peak_lists.read_ms1, tmp_path / "cut.ms1", SCANS.rpartition("100 1\n")[0])
    bare = read_here(peak_lists.read_ms1, tmp_path / "bare.ms1", SCANS.replace("100 1\n", "", 1))

    assert cut.warnings == ["Its last spectrum has no points: the file may be cut off."]
    assert bare.warnings == []


def test_an_amplified_well_without_a_result_is_told():
    assert list(list_lost_wells(STUDIO)) == []
    assert list(list_lost_wells(STUDIO.partition("[Results]")[0])) == []
    (said,) = list_lost_wells(STUDIO.replace("2\t21\r\n", ""))
    assert said.startswith("Well 2 was amplified")


def test_a_well_with_a_result_that_was_not_set_up_is_told():
    setup = "[Sample Setup]\r\nWell\tName\r\n1\tA\r\n2\tB\r\n3\tC\r\n\r\n" + STUDIO

    assert list(list_lost_wells(setup)) == []
    (said,) = list_lost_wells(setup.replace("2\tB\r\n", ""))
    assert said.startswith("Well 2 has a result")
