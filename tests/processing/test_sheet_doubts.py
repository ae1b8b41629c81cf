"""Words and errors in cells of workbooks that nobody read: told once, and not where they are at home."""

import struct
import zipfile

import openpyxl
import pytest

from processing.doubts.containers import OLE_MAGIC
from processing.doubts.sheets import MOST_UNPACKED_BYTES, list_sheet_doubts

ROWS = [["Well", "Signal", "Ratio", "Note"], *([f"A{n}", 100.5 + n, n / 7, "error"] for n in range(1, 9))]


def write(path, **cells):
    workbook = openpyxl.Workbook()
    workbook.active.title = "Results"
    for row in ROWS:
        workbook.active.append(row)
    for place, value in cells.items():
        workbook.active[place] = value
    workbook.save(path)
    return path


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({}, []),
        ({"B4": "Undetermined"}, []),  # a result
        ({"B4": "OVRFLW"}, ["“OVRFLW” in cell B4 of “Results”"]),
        ({"C9": "error"}, ["“error” in cell C9 of “Results”"]),
        ({"C5": "#N/A"}, ["“#N/A” in cell C5"]),
        ({f"C{n}": "#DIV/0!" for n in range(2, 8)}, []),  # of a program that has no better word
    ],
)
def test_a_word_among_numbers_is_told(tmp_path, cells, said):
    path = write(tmp_path / "export.xlsx", **cells)

    assert [one.partition(" stands")[0] for one in list_sheet_doubts(path, [])] == said


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"B4": "OVRFLW"}, "1 value of signal holds no number (OVRFLW): A3."),
        ({"B4": "#N/A"}, "1 value of signal holds no number (no reason is given): A3."),
    ],
)
def test_what_its_reader_told_is_not_told_again(tmp_path, cells, told):
    assert not [*list_sheet_doubts(write(tmp_path / "export.xlsx", **cells), [told])]


def test_what_is_no_workbook_is_left_alone(tmp_path):
    path = tmp_path / "export.xlsx"
    for content in (b"", b"PK\3\4 and no more", b"Well\tSignal\nA1\terror\n"):
        path.write_bytes(content)

        assert not [*list_sheet_doubts(path, [])]


def test_a_workbook_that_unpacks_to_much_is_left_alone(tmp_path):
    path = write(tmp_path / "export.xlsx", B4="OVRFLW")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/large", bytes(MOST_UNPACKED_BYTES))

    assert not [*list_sheet_doubts(path, [])]


NUMBERS = [
    ["Name", "Live", "Dead", "Size", "All", "Sum"],
    *([f"A{n}", 100 + n, n, n / 7, 9 * n, 7 * n] for n in range(1, 9)),
]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"D4": "-"}, ["“-” in cell D4 of “Sheet”"]),
        ({"D4": "-", "D6": "-"}, []),  # what a program has for none by nature
        ({"C4": "-", "D4": "-"}, []),
    ],
)
def test_the_only_dash_of_a_column_of_numbers_is_told(tmp_path, cells, said):
    workbook = openpyxl.Workbook()
    for row in NUMBERS:
        workbook.active.append(row)
    for place, value in cells.items():
        workbook.active[place] = value
    workbook.save(path := tmp_path / "export.xlsx")

    assert [one.partition(" stands")[0] for one in list_sheet_doubts(path, [])] == said
    assert not [*list_sheet_doubts(path, ["1 value of size holds no number (-)."])]


@pytest.mark.parametrize(
    "cell",
    [
        struct.pack("<HHHHHBB", 0x205, 8, 4, 3, 15, 42, 1),
        struct.pack("<HHHHHBBBBHH", 6, 26, 4, 3, 15, 2, 0, 42, 0, 0, 0xFFFF),
    ],
)
def test_errors_of_formulas_in_xls_are_told(tmp_path, cell):
    path = tmp_path / "export.xls"
    path.write_bytes(OLE_MAGIC + bytes(600) + cell + bytes(40))

    (said,) = list_sheet_doubts(path, [])

    assert said.startswith("“#N/A” in cell D5 ")
