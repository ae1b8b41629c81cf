"""Texts as the software of other laboratories writes them: the same numbers, or a word about it."""

import csv
import io
from pathlib import Path

import pytest

from processing.doubts.texts import list_text_doubts
from processing.processors import generic
from processing.processors.asm.forms import rewrite
from processing.processors.asm.unread import list_unread
from processing.processors.asm.writing_style import WritingStyle
from processing.processors.columns import reader as columns
from processing.readings import Kind
from tests.processing.here import read_here, the
from tests.processing.variants import STYLES, Text, variants_of
from tests.samples.instruments import vi_cell

SPOTS = """Software version: ImmunoSpot 7.0.30.5
Counted: Tue Oct 03 15:12:21 2023; Authenticated user: 'LAB\\me'
Analyzer Serial number: S6UNIV-01-1234; Computer name: pc1
E:\\Plates\\one.txt

Assay:\t1
Sensitivity: 160

\t\t\tUnprocessed Data

\tC.T.L.\t\t\tImmunoSpot  Plate Code =
      1     2     3

A    93    88  {cell}
B    79    94   102
TNTC: Too numerous to count
"""


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("A\t1 234,5\nB\t0,25\n", "A\t1234.5\nB\t0.25\n"),
        ("A\t1\u202f234,5\nB\t0,25\n", "A\t1234.5\nB\t0.25\n"),
        ("A;1.234,5\nB;2.500\nC;0,25\n", "A;1234.5\nB;2500\nC;0.25\n"),
        ("A\t1'234.5\nB\t12'345\n", "A\t1234.5\nB\t12345\n"),
        ('A,"1\xa0234,5"\nB,"0,25"\n', 'A,"1234.5"\nB,"0.25"\n'),
        ("A,1\xa0234.5\nB,0.25\n", "A,1234.5\nB,0.25\n"),
        ("Plate 1 234\t12 345\n", "Plate 1 234\t12 345\n"),  # a name, perhaps
    ],
)
def test_what_stands_between_thousands_is_left_out(text, plain):
    assert WritingStyle(text).write_plainly() == plain


def test_points_beside_decimal_commas_are_doubted_where_nothing_tells():
    assert WritingStyle("A\t0,25\t0,5\t1.234\n" * 3).unclear_number == "1.234"
    assert WritingStyle("A\t0,25\t0,5\t1.234,5\n" * 3).unclear_number == ""


def test_a_measured_number_is_no_pair_of_wavelengths():
    text = "\t1\t2\nA\t190,5\t>209,845\t504,531\nB\t183,5\t209,845\t504,531\n"

    assert WritingStyle(text).write_plainly(keeps_pairs=True) == (
        "\t1\t2\nA\t190.5\t>209.845\t504,531\nB\t183.5\t209.845\t504,531\n"
    )


def test_cells_of_two_lines_keep_their_quotes_between_commas():
    *_, commas = rewrite('Well;"Concentration\n(ng/µl)";Note\nA1;1.5;\n', ";")

    assert next(csv.reader(io.StringIO(commas))) == ["Well", "Concentration\n(ng/µl)", "Note"]


@pytest.mark.parametrize("cell", ["TNTC", ">100", "-----"])
def test_one_word_for_a_number_costs_that_number_only(cell, tmp_path):
    usual = read_here(generic.read, tmp_path / "one.txt", SPOTS.format(cell=" 121"))

    found = read_here(generic.read, tmp_path / "one.txt", SPOTS.format(cell=f" {cell}"))

    assert found.file["recognised_as"] == usual.file["recognised_as"] == "ctl-immunospot"
    assert found.run["well_count"] == usual.run["well_count"] == 6
    assert any(cell in warning for warning in found.warnings)
    assert b"121" not in b"".join(artefact.data for artefact in found.artefacts)


def test_a_word_in_the_only_row_of_a_list_is_told():
    text = "Sample,Glu,Lac,Na,K,pH\nS1,5.25,OVRFLW,120.5,4.25,7.125\n"

    assert list(list_unread(text, b"[5.25, 120.5, 4.25, 7.125]")) == [
        "1 cells among numbers hold none, and were left out (the first is “OVRFLW” in line 2)."
    ]


def test_quoted_decimal_commas_of_a_plain_table_are_decimals(tmp_path):
    text = 'Sample,Value\nS1,"3,61"\nS2,"1,45"\nS3,"2,234"\nS4,"4,1"\nS5,"0,5"\n'

    table = the(read_here(columns.read, tmp_path / "list.csv", text), Kind.TABLE)

    assert [row[1] for row in table["rows"]] == [3.61, 1.45, 2.234, 4.1, 0.5]


def test_quoted_thousands_of_a_plain_table_stay_whole(tmp_path):
    text = 'Sample,Count\nS1,"3,610"\nS2,"1,450"\nS3,"2,234"\nS4,"4,100"\nS5,"1,500"\n'

    table = the(read_here(columns.read, tmp_path / "list.csv", text), Kind.TABLE)

    assert [row[1] for row in table["rows"]] == [3610, 1450, 2234, 4100, 1500]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("Plate\t\ufffd\nA\t1\nB\t2\n".encode("utf-8-sig"), id="what its program could not write"),
        pytest.param(b"Temperature(\xa1C)\t1\nA\t2\nB\t3\n", id="a degree of the Macintosh"),
        pytest.param(b"\t1\t2\t3\nA\t0,1\t0,2\t0,3\nB\t0,4\t0,5\t0,6\n", id="decimal commas in the rows of a plate"),
        pytest.param(
            "\t1\t2\t3\t4\n" + "".join(f"{row}\t2.100\t0.{n}50\t0.2\t0.3\n" for n, row in enumerate("ABCDEFGH")),
            id="numbers of columns above decimals",
        ),
    ],
)
def test_what_is_lawful_is_not_doubted(content, tmp_path):
    path = tmp_path / "export.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())

    assert list(list_text_doubts(path)) == []


@pytest.mark.parametrize("name", STYLES)
def test_every_style_is_written_as_it_says(name):
    text = Text("Sample,Volume,Count\nS1,1234.5,7\nS2,0.25,8\nS3,0.5,9\nS4,2.5,9\n")

    assert STYLES[name](text)


def test_variants_of_an_export_read_alike(tmp_path):
    usual = read_here(generic.read, tmp_path / "export.csv", vi_cell())
    data = vi_cell().encode()

    for variant in variants_of(data, ["decimal commas", "blank thousands", "columns reordered", "UTF-16 BE"]):
        found = read_here(generic.read, Path(tmp_path / "export.csv"), variant.data)
        assert found.run == usual.run, variant.name
        assert [one.data for one in found.artefacts] == [one.data for one in usual.artefacts], variant.name
