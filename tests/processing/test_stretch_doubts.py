"""Stretches of rows that stand twice, or have a cell too many: told where they are, and nowhere else."""

import pytest
from allotropy.parser_factory import Vendor

from processing.doubts.order import list_order_doubts
from processing.doubts.stretches import list_stretch_doubts
from processing.doubts.texts import list_text_doubts
from processing.processors import animl
from processing.processors.asm.endings import GEN5_OPENING, explain_lost_part, list_missing_openings, list_missing_parts
from processing.processors.asm.softmax_plates import list_broken_groups, list_lost_sections, list_outsiders
from processing.processors.mass_spectrometry import peak_lists
from processing.processors.sequencing import assemblies
from tests.processing.here import read_here

ROWS = [f"S{number},{number}.25,{3 * number}.75,{number * number}.5,none" for number in range(1, 13)]
AXIS = [f"{300 + 10 * number},0.{123 + 7 * number}" for number in range(12)]
FACTS = ["Instrument type;NC-200", "Event log format;Plain text", "Login of whom;admin", "Version of it;two"]
COLUMNS = "," + ",".join(map(str, range(1, 13)))


def doubts(rows, delimiter=","):
    return " ".join(list_stretch_doubts(rows, [row.count(delimiter) + 1 for row in rows], delimiter))


@pytest.mark.parametrize(
    ("rows", "delimiter"), [(ROWS, ","), (AXIS, ","), ([*FACTS, "Lot number of it;4711"], ";"), (ROWS[:7], ",")]
)
def test_rows_that_follow_once_more_are_told(rows, delimiter):
    assert doubts(rows, delimiter) == ""
    assert "Lines 2 to 4 follow once more" in doubts([*rows[:4], *rows[1:]], delimiter)


@pytest.mark.parametrize(
    "rows",
    [
        ["A,1", "B,2"] * 6,  # as often as one likes
        ["Excitation,485", "Emission,528"] * 2 + ROWS,  # two channels with the same settings
        [*ROWS, "", *ROWS],  # all of it
        ["0,0", "1,0", "0,0", "1,0", *AXIS],
    ],
)
def test_what_repeats_itself_by_its_nature_is_not_told(rows):
    assert doubts(rows) == ""


def test_rows_whose_cells_moved_are_told():
    moved = [*ROWS[:4], *(row.replace(",", ",,", 1) for row in ROWS[4:7]), *ROWS[7:]]
    remarked = [*ROWS[:4], *(f"{row.rpartition(',')[0]},,remark" for row in ROWS[4:7]), *ROWS[7:]]
    flagged = ["A,1.5"] * 4 + ["A,,flag"] * 2 + ["A,2.5"] * 4

    assert "From line 5 on rows have an empty cell more" in doubts(moved)
    assert doubts(flagged) == ""
    assert doubts([row + "," for row in ROWS[:6]] + ROWS[6:]) == ""
    assert "empty cell more" in doubts(remarked)  # five cells with words at their end are as wide as all others


def test_facts_before_which_an_empty_cell_stands_are_told():
    moved = [*FACTS[:3], ";Time offset of it;2", ";Login of the person;admin", *FACTS[1:]]

    assert "From line 4 on" in doubts(moved, ";")


def test_a_heading_with_nothing_below_it_but_itself_is_told():
    rows = ["Raw Data (No filter),,,,", ",,,,", *ROWS]

    assert doubts(rows) == ""
    assert "Lines 1 to 2 follow once more" in doubts([*rows[:2], *rows])


def test_a_line_of_the_head_below_a_section_is_told(tmp_path):
    text = "* Chemistry = TAQMAN\n* Operator = Jane\n\n[Results]\nWell\tCt\n1\t20.5\n"
    moved = text.replace("* Operator = Jane\n", "", 1) + "* Operator = Jane\n"

    found = [
        list(list_missing_parts(Vendor.APPBIO_QUANTSTUDIO, one.encode(), encoding="utf-8")) for one in (text, moved)
    ]
    assert found[0] == []
    assert "stands below a section" in found[1][0]

    spectra = "H\tMade\tnow\nS\t1\t1\n100.5 3\n101.5 9\n"
    whole = read_here(peak_lists.read_ms1, tmp_path / "a.ms1", spectra)
    moved = read_here(peak_lists.read_ms1, tmp_path / "b.ms1", spectra + "H\tMore\tlater\n")
    assert whole.warnings == []
    assert "stands below a spectrum" in " ".join(moved.warnings)


def test_a_gap_in_the_numbers_of_columns_is_told():
    assert doubts([COLUMNS, "A" + ",0.5" * 12]) == ""
    assert "line 1 have a gap" in doubts([COLUMNS.replace(",7,", ",,7,"), "A" + ",0.5" * 12])


def test_one_row_of_a_plate_that_stands_elsewhere_is_told():
    rows = [f"{letter},0.{number}5,0.{number}7" for number, letter in enumerate("ABCDEFGHIJ", start=1)]
    moved = [rows[5], *rows[:5], *rows[6:]]

    assert list(list_order_doubts(rows, [3] * 10, ",")) == []
    assert "Line 1 is out of order" in " ".join(list_order_doubts(moved, [3] * 10, ","))


def test_a_page_that_begins_within_a_line_is_told(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("One\tSAMP\fE_7\t1.5\n" + "Two\tSAMPLE_8\t2.5\n" * 3)
    assert "stand in no text" in " ".join(list_text_doubts(path))

    path.write_text("One\tSAMPLE_7\t1.5\n\f" + "Two\tSAMPLE_8\t2.5\n" * 3)
    assert "stand in no text" not in " ".join(list_text_doubts(path))


def test_a_line_of_the_head_of_gen5_that_stands_there_twice_is_told():
    head = "\ufeff\n" + "".join(f"{line}\tx\n" for line in GEN5_OPENING)
    twice = head.replace("Reader Type:\tx\n", "Reader Type:\tx\n" * 2)

    assert list(list_missing_openings(Vendor.AGILENT_GEN5, head)) == []
    assert list(list_missing_openings(Vendor.AGILENT_GEN5, f"{head}\nResults\n\n{head}")) == []
    (said,) = list_missing_openings(Vendor.AGILENT_GEN5, twice)
    assert "more often than others" in said


def test_a_plate_of_envision_with_a_row_too_few_is_told():
    rows = [",".join(f"{row}.{column}" for column in range(12)) + ",\n" for row in range(8)]
    whole = "Plate information\n1,2,x,\n\n" + "".join(rows) + "\nBasic assay information\nExported with EnVision\n"
    partial = whole.replace(rows[3], ",,,,1.5,,,,,,,,\n").replace(rows[4], ",,,,,,,,,,,,\n")

    read = [
        list(list_missing_parts(Vendor.PERKIN_ELMER_ENVISION, text.encode(), encoding="utf-8"))
        for text in (whole, partial, whole.replace(rows[3] + rows[4], ""))
    ]

    said = "The plate in line 4 has 6 rows and 12 columns: rows may be missing, or added."
    assert read == [[], [], [said]]


def test_a_line_of_the_head_of_quantstudio_that_stands_there_twice_is_told():
    head = "* Block Type = 96 well\n* Instrument Name = One\n\n[Results]\nWell\n1\n"
    whole, twice = (
        list(list_missing_parts(Vendor.APPBIO_QUANTSTUDIO, text.encode(), encoding="utf-8"))
        for text in (head, head.replace("* Instrument Name = One\n", "* Instrument Name = One\n" * 2))
    )

    assert whole == []
    assert twice == ["The line “* Instrument Name” stands twice in its head: lines may stand there twice."]


SECTIONS_OF_SOFTMAX = "##BLOCKS= {}\nPlate:\tA\n\t1\n~End\nGroup: U\nS\t1\n~End \nOriginal Filename: a\n"


def test_sections_of_softmax_that_begin_or_end_no_more_are_told():
    whole = SECTIONS_OF_SOFTMAX.format(2)

    assert list(list_lost_sections(whole)) == list(list_lost_sections(SECTIONS_OF_SOFTMAX.format(1))) == []
    noted = SECTIONS_OF_SOFTMAX.format("3\nNote: \nNote: of Ann\n~End ")
    assert list(list_lost_sections(noted)) == []
    assert list(list_lost_sections(whole.replace("~End\n", ""))) == [
        "Of its sections 2 begin, and 1 end (“~End”): lines may be missing."
    ]
    (said,) = list_lost_sections(whole.replace("Group: U\n", ""))
    assert said.startswith("Of its sections 1 begin")
    assert list(list_lost_sections(SECTIONS_OF_SOFTMAX.format(4))) == [
        "It says that it has 4 sections, and it has 2: some may be missing."
    ]


def test_rows_of_a_group_of_softmax_below_an_empty_line_are_told():
    names, rows = "Sample\tWell\tMean\tSD\n", "".join(f"S{n}\tA{n}\t{n}.5\t0.1\n" for n in range(1, 5))
    group = f"Group: U\n{names}{rows}\nFormula Name\tFormula\nMean\t!Well\n~End\n"

    assert list(list_broken_groups(group)) == []
    (said,) = list_broken_groups(group.replace("S2\tA2\t2.5\t0.1\n", "\n"))
    assert "go on below an empty line" in said


def test_rows_behind_the_end_of_a_section_of_softmax_are_told():
    whole = "Plate:\tP\n\t1\t2\n\t0.5\t0.6\n~End\n\nNote: a\n~End\nOriginal Filename: a\n"

    assert list(list_outsiders(whole)) == []
    (said,) = list_outsiders(whole.replace("~End\n\nNote", "~End\n\t0.5\t0.6\n~End\n\nNote"))
    assert "behind the end of a section" in said


@pytest.mark.parametrize(
    ("text", "vendor"),
    [
        ("40\t2026-02-16 09:46:38\t11AMB26\t\tSAM\t\tLDH2D\n0\tx\t#ARC-FILE#\t1.1a\n", "Roche Cedex BioHT"),
        ("Application:\tdsDNA\n1\tS1\t0.5\n", "Thermo Fisher Scientific NanoDrop Eight"),
        ("run,5/19/2023,Absolute Q 0140,M01,Group 1,,A1,20413\n", "AppBio AbsoluteQ"),
        ("xMAP INTELLIFLEX DR-SE,INTELLIFLEX,IFLX1,x\n", "Luminex INTELLIFLEX"),
        ('"SN","FM3D"\n"Operator","waldo"\n"ComputerName","LAB1"\n', "Luminex xPONENT"),
        ("Plate:\tPlate01\t1.3\tPlateFormat\tEndpoint\n\tTemp\t1\t2\n", "Molecular Devices SoftMax Pro"),
        ("20240219-1,1,,Count & Viability,Via2-Cassette,na\n", "ChemoMetec NC View"),
        ("Operator;A;\nLive (cells/ml);2.45E6;\n", "ChemoMetec Nucleoview"),
        ("Info,,\nPlate type,Lunatic Plate,\n", "Unchained Labs Lunatic & Stunner"),
    ],
)
def test_further_vendors_are_named_whose_mark_is_not_in_its_place(text, vendor):
    assert explain_lost_part(text.encode()) == f"It looks like {vendor}, but a part of it is missing."


def test_bases_that_are_called_out_of_order_are_told(tmp_path):
    bases = [f"a 20 {10 * number}\n" for number in range(1, 31)]
    text = "BEGIN_SEQUENCE r1\n\nBEGIN_COMMENT\nEND_COMMENT\n\nBEGIN_DNA\n{}END_DNA\n\nEND_SEQUENCE\n"

    whole = read_here(assemblies.read_phd, tmp_path / "a.phd", text.format("".join(bases)))
    twice = read_here(assemblies.read_phd, tmp_path / "b.phd", text.format("".join([*bases[:9], *bases[7:]])))

    assert whole.warnings == []
    assert "out of the order" in " ".join(twice.warnings)


def test_an_axis_along_which_nothing_stands_is_told(tmp_path):
    axis = (
        '<Series name="Wavelength" dependency="independent" seriesType="Float32"><IndividualValueSet><F>1</F><F>2</F>'
        "</IndividualValueSet></Series>"
    )
    values = axis.replace("Wavelength", "Absorbance").replace("independent", "dependent")
    text = '<AnIML><SeriesSet name="A" length="2">{}</SeriesSet></AnIML>'

    assert read_here(animl.read, tmp_path / "a.animl", text.format(axis + values)).warnings == []
    (said,) = read_here(animl.read, tmp_path / "b.animl", text.format(axis)).warnings
    assert "“A” has an axis, and nothing along it" in said


@pytest.mark.parametrize(
    ("end", "is_told"), [("H\t0.365\t0.539\t660\r\n\r\nCurv", True), ("H\t0.365\t0.539\t660", False)]
)
def test_gen5_that_ends_within_a_heading_is_told(end, is_told):
    text = "".join(f"{line}\tx\r\n" for line in GEN5_OPENING) + f"Results\r\n\t1\t2\r\n{end}"

    said = list(list_missing_parts(Vendor.AGILENT_GEN5, text.encode(), encoding="utf-8"))

    assert any(one.startswith("It ends with a heading") for one in said) is is_told
