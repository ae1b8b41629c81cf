"""Workbooks as people leave them: rows, columns and titles before the table, other sheets, numbers stored as text."""

import io
import re
import zipfile

import openpyxl
import pytest

from processing.processors import generic
from processing.processors.asm.workbook_forms import write_plainly
from processing.processors.asm.workbook_sheets import (
    Margin,
    find_margin,
    find_stored_numbers,
    has_decimal_commas,
    share_margin,
)
from tests.processing.here import read_here
from tests.processing.workbook_variants import CHANGES, workbook_variants_of
from tests.samples.expected import FOLDER, needs_real_exports
from tests.samples.instruments import workbook

DIOMNI = (
    FOLDER.parent
    / "vendors/appbio_quantstudio_designandanalysis"
    / "appbio_quantstudio_designandanalysis_Diomni_v4.3_Presence_Absence.xlsx"
)
MAGELLAN = FOLDER / "plate-reader" / "SLA01P01_OD.xlsx"
TABLE: list[list[object]] = [["Well", "OD"], *([f"A{n}", n + 0.25] for n in range(1, 13))]
RESULT = re.compile(rb"</f><v */?>(</v>)?")  # of a formula, which openpyxl leaves empty
TOLD = {
    "notes first": "beside the sheet of the export is left out: “Notes”",
    "notes last": "beside the sheet of the export is left out: “Notes”",
    "a plate more": "beside the sheet of the export is left out",
    "a title above": "“Stability study, week three” above the export is left out",
}


@needs_real_exports
@pytest.mark.parametrize("change", CHANGES)
def test_what_people_do_to_a_workbook_leaves_its_numbers(change, tmp_path):
    usual = read_here(generic.read, tmp_path / "one.xlsx", MAGELLAN.read_bytes())
    (variant,) = workbook_variants_of(MAGELLAN.read_bytes(), [change])

    found = read_here(generic.read, tmp_path / "one.xlsx", variant.data)

    assert found.file["recognised_as"] == usual.file["recognised_as"]
    assert [one.data for one in found.artefacts[:-1]] == [one.data for one in usual.artefacts[:-1]]
    said = [one for one in found.warnings if one not in usual.warnings]
    assert (TOLD[change] in said[0]) if change in TOLD else said == []


@pytest.mark.parametrize(
    ("above", "margin"),
    [
        ([], Margin()),
        ([["", ""], ["", ""]], Margin(2)),
        ([["Week three", ""], ["", ""]], Margin(2, 0, "Week three")),
        ([["Week three", ""]], Margin()),  # perhaps the table's own
        ([["Operator: Ann", ""], ["", ""]], Margin()),  # a fact
        ([["Operator", "Ann"], ["", ""]], Margin()),
    ],
)
def test_the_margin_of_a_sheet_is_what_says_nothing_of_its_table(above, margin):
    assert find_margin([*above, *TABLE]) == margin


def test_sheets_share_what_is_empty_in_all_of_them():
    assert share_margin([Margin(3, 1), Margin(1, 2)]) == Margin(1, 1)
    assert share_margin([]) == Margin()


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1.5", "12", "-3e-5"], [1.5, 12, -3e-5]),
        (["0,25", "12"], [0.25, 12]),
        (["0,25", "1.5", "007", "A1", ""], [1.5]),  # what a comma means is not clear
        ([*(f"0,{n}" for n in range(1, 11)), "1.5"], [n / 10 if n < 10 else 0.1 for n in range(1, 11)]),  # a version
        (["1,250", "2,500"], []),  # which may be thousands
    ],
)
def test_texts_that_are_numbers_are_found(cells, numbers):
    with_commas = has_decimal_commas([[cells]])

    assert list(find_stored_numbers([cells], with_commas=with_commas).values()) == numbers


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        (TABLE, None),
        ([["", *row] for row in TABLE], 1.25),
        ([[row[0], str(row[1]).replace(".", ",")] for row in TABLE], 1.25),
        ([[row[0], str(row[1])] for row in TABLE], 1.25),
    ],
)
def test_a_workbook_is_first_read_without_empty_columns_and_with_its_numbers(rows, value, tmp_path):
    path = tmp_path / "list.xlsx"
    path.write_bytes(workbook({"One": rows}))
    (tmp_path / "copies").mkdir()

    copy = write_plainly(path, folder=tmp_path / "copies")

    assert (copy is None) is (value is None)
    if copy:
        assert openpyxl.load_workbook(io.BytesIO(copy.path.read_bytes()))["One"]["B2"].value == value


def test_formulas_keep_their_results_in_a_copy(tmp_path):
    rows = [["", "Well", "OD"], ["", "A1", "=1+1"], ["", "A2", 1.5]]
    with (
        zipfile.ZipFile(io.BytesIO(workbook({"One": rows}))) as whole,
        zipfile.ZipFile(tmp_path / "a.xlsx", "w") as kept,
    ):
        for name in whole.namelist():
            kept.writestr(name, RESULT.sub(b"</f><v>2</v>", whole.read(name)))
    (tmp_path / "copies").mkdir()

    copy = write_plainly(tmp_path / "a.xlsx", folder=tmp_path / "copies")

    assert copy is not None
    assert openpyxl.load_workbook(copy.path)["One"]["B2"].value == 2


@needs_real_exports
def test_decimal_commas_of_one_sheet_are_known_by_those_of_the_others(tmp_path):
    """The head of each sheet of Diomni has points in texts, whatever the country."""
    usual = read_here(generic.read, tmp_path / "one.xlsx", DIOMNI.read_bytes())
    (variant,) = workbook_variants_of(DIOMNI.read_bytes(), ["decimal commas as text"])

    found = read_here(generic.read, tmp_path / "one.xlsx", variant.data)

    assert (found.run, found.warnings) == (usual.run, usual.warnings)
    assert [one.data for one in found.artefacts[:-1]] == [one.data for one in usual.artefacts[:-1]]
