"""Words in the place of numbers: the well stays, without a number, and a warning names the well and the word."""

import json
import math

import openpyxl
import pytest

from processing.processors import generic
from processing.processors.asm.cell_words import CellWord, find_words
from processing.processors.asm.stand_ins import FIRSTS, put_numbers, settle
from processing.processors.asm.written_words import SheetWord, find_written
from tests.processing.here import read_here
from tests.samples.expected import FOLDER, needs_real_exports

VENDORS = FOLDER.parent / "vendors"
ENVISION = VENDORS / "perkin_elmer_envision/PE_Envision_luminescence_example01.csv"
MARS = VENDORS / "bmg_mars/24-10-16 15-09-52 Luminescence 1536.csv"
GEN5 = VENDORS / "agilent_gen5/Fluorescamine_Protein_Quantitation_no_results_matrix.txt"
RATIO = VENDORS / "agilent_gen5/endpoint_singleplate_filter_withStepLabel_withCalculatedValues.txt"
LUMINESCENCE = VENDORS / "moldev_softmax_pro/group_with_partial_rows.txt"
PLATE = "\t1\t2\t3\t4\nA\t0.1\t{}\t0.3\t0.4\nB\t0.5\t0.6\t0.7\t0.8\n"


def shown(text, **options):
    return [found.word for found in find_words(text, "\t", **options)]


def read(path, tmp_path, *, line=0, cell=0, word=None, delimiter=","):
    lines = path.read_bytes().split(b"\n")
    if word is not None:
        cells = lines[line - 1].split(delimiter.encode())
        cells[cell] = word.encode()
        lines[line - 1] = delimiter.encode().join(cells)
    return read_here(generic.read, tmp_path / path.name, b"\n".join(lines))


def wells_of(output):
    return {one.name: len(document["wells"]) for one, document in plates_of(output)}


def plates_of(output):
    return [(one, json.loads(one.data)) for one in output.artefacts if one.name.startswith("plate-")]


@pytest.mark.parametrize("word", ["OVRFLW", "*****", ">max", "Overflow", "SAT", "-", "NaN", "#N/A", "?????", "> 4.000"])
def test_every_word_among_the_numbers_of_a_plate_is_one(word):
    assert shown(PLATE.format(word)) == [word]


def test_plans_of_a_plate_numbers_and_empty_wells_are_none():
    plan = "\t1\t2\t3\t4\nA\tSPL1\tSPL2\tSPL3\tBLK\nB\tSPL1\tSPL2\tSPL3\tBLK\n"

    assert shown(plan) == []
    assert shown(PLATE.format("")) == shown(PLATE.format("0,2")) == shown(PLATE.format("-0.2e-3")) == []


def test_columns_counted_from_0_are_those_of_no_plate():
    """The hidden row of a Vi-CELL, above rows with names of files and of cells."""
    rows = "{}\t1\t2\t3\t4\t5\t6\nS1\tS1.smp\t6.00\t50.0\t2.00\t85\t100\n"

    assert shown(rows.format("0")) == []
    assert shown(rows.format("")) == ["S1.smp"]


def test_a_dash_beside_few_numbers_of_a_plate_is_one():
    assert shown("\t1\t2\t3\nA\t0.1\t-\t0.3\nB\t-\t-\t-\n") == ["-"]


def test_of_a_list_known_words_are_taken_where_their_column_has_numbers():
    rows = "Name\tA\tB\tC\tD\tFlag\nS1\t1.5\t2.5\t3.5\t4.5\tOVER\nS2\t1.5\t{}\t3.5\t4.5\tOVER\n"

    assert shown(rows.format("OVRFLW")) == ["OVRFLW"]
    assert shown(rows.format("-")) == shown(rows.format("Undetermined")) == []
    assert shown(rows.format("-"), with_results=True) == ["OVER", "-", "OVER"]


def test_a_number_stands_in_for_a_word_and_is_found_again_in_any_unit():
    words = [CellWord(2, "OVRFLW"), CellWord(9, "-")]

    texts = [put_numbers("a OVRFLW - b", words, first, {1}) for first in FIRSTS]
    documents = [
        {"value": {"value": float(text.split()[1]) * 1e-3, "unit": "mg"}, "note": text, "twice": [1.0, math.nan]}
        for text in texts
    ]
    settled = settle(*documents, words)

    assert texts[0] == f"a {FIRSTS[0]} - b"
    assert documents[0]["value"]["value"].word == "OVRFLW"
    assert (settled.missing, settled.texts, settled.is_alike) == ({0}, {0}, True)


@needs_real_exports
@pytest.mark.parametrize("word", ["OVRFLW", "-", "?????", "#N/A"])
@pytest.mark.parametrize("line", [13, 28])
def test_a_word_in_a_plate_of_envision_costs_neither_its_well_nor_its_vendor(line, word, tmp_path):
    usual = read(ENVISION, tmp_path)

    found = read(ENVISION, tmp_path, line=line, cell=13, word=word)

    assert found.file["recognised_as"] == "perkin-elmer-envision"
    assert wells_of(found) == wells_of(usual)
    assert any(said.endswith(f"({word}): C13.") for said in found.warnings), found.warnings


@needs_real_exports
def test_a_word_in_a_plate_of_mars_is_a_well_without_a_number(tmp_path):
    usual = read(MARS, tmp_path)

    found = read(MARS, tmp_path, line=12, cell=25, word="OVRFLW")

    assert wells_of(found) == wells_of(usual)
    (plate,) = [document for _, document in plates_of(found)]
    assert [well["note"] for well in plate["wells"].values() if well["value"] is None] == ["OVRFLW"]
    assert [said for said in found.warnings if "OVRFLW" in said]


@needs_real_exports
def test_a_word_in_a_calculated_plate_of_gen5_is_a_well_without_a_number(tmp_path):
    found = read(RATIO, tmp_path)

    assert "2 values of Ratio hold no number (?????): C5, H2." in found.warnings
    assert read(GEN5, tmp_path).run["calculated_count"] == 190


@needs_real_exports
def test_a_column_of_flags_is_no_column_of_numbers(tmp_path):
    assert read(LUMINESCENCE, tmp_path).warnings == []


@needs_real_exports
@pytest.mark.parametrize(
    ("name", "sheet", "cell", "said"),
    [
        ("roche_cedex_hires/roche_cedex_hires_example_2.xlsx", "Sheet1", "AC4", "viable cell density"),
        ("unchained_labs_lunatic_stunner/Unchained_Labs_Stunner_example02.xlsx", " Report", "M20", "(OVRFLW): B1."),
    ],
)
def test_a_word_in_a_cell_of_a_workbook_is_a_missing_number(tmp_path, name, sheet, cell, said):
    whole = VENDORS / name
    book = openpyxl.load_workbook(whole)
    book[sheet][cell] = "OVRFLW"
    book.save(tmp_path / "changed.xlsx")

    usual = read_here(generic.read, tmp_path / whole.name, whole.read_bytes())
    found = read_here(generic.read, tmp_path / whole.name, (tmp_path / "changed.xlsx").read_bytes())

    assert found.file["vendor"] == usual.file["vendor"]
    assert wells_of(found) == wells_of(usual)
    (told,) = [warning for warning in found.warnings if warning not in usual.warnings]
    assert told.startswith("1 value of ")
    assert said in told


def test_words_in_cells_are_found_where_they_stand(tmp_path):
    book = openpyxl.Workbook()
    for row in (["Well", 1, 2, 3, 4], ["A", 0.1, "?????", 0.3, 0.4], ["B", 0.5, 0.6, 0.7, 0.8]):
        book.active.append(row)
    book.save(tmp_path / "plate.xlsx")

    written = find_written(tmp_path / "plate.xlsx", None, with_results=False)

    assert written is not None
    assert list(written.words) == [SheetWord("Sheet", 1, 2, "?????")]
    written.write(tmp_path / "copy.xlsx", FIRSTS[0], set())
    assert openpyxl.load_workbook(tmp_path / "copy.xlsx").active["C2"].value == FIRSTS[0]
