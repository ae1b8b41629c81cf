"""Sheets of plates that a vendor's parser leaves out are named."""

import json

import openpyxl

from processing.processors import generic
from processing.processors.asm.unread_sheets import list_unread_sheets
from tests.processing.here import read_here
from tests.samples.expected import FOLDER, needs_real_exports

SKANIT = FOLDER.parent / "vendors/thermo_skanit/skanit_different_plate_pattern.xlsx"
TOLD = "The plates of these sheets were not read: “Second”, “Third”."


def write_plates(path, *names):
    """Returns the numbers of each sheet."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    numbers = []
    for place, name in enumerate(names):
        sheet = made.create_sheet(name)
        sheet.append(["Abs", *range(1, 13)])
        values = [[(1000 * place + 12 * row + column + 1) / 977 for column in range(12)] for row in range(8)]
        for letter, row in zip("ABCDEFGH", values, strict=True):
            sheet.append([letter, *row])
        numbers.append(values)
    made.save(path)
    return numbers


def test_sheets_of_which_nothing_was_read_are_named(tmp_path):
    path = tmp_path / "steps.xlsx"
    first, *others = write_plates(path, "First", "Second", "Third")

    assert list(list_unread_sheets(path, json.dumps(first).encode())) == [TOLD]
    assert list(list_unread_sheets(path, json.dumps([first, *others]).encode())) == []
    assert list(list_unread_sheets(path, b"{}")) == []  # plates of another kind, perhaps, than the vendor's


@needs_real_exports
def test_steps_of_skanit_behind_the_first_are_told(tmp_path):
    found = read_here(generic.read, tmp_path / SKANIT.name, SKANIT.read_bytes())

    assert found.warnings == ["The plates of these sheets were not read: “Absorbance 280_03”, “Absorbance 320_05”."]
