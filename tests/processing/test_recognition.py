"""Which vendor wrote a file, on an instrument whose type nobody set: right, or asked, and never wrong."""

import openpyxl
import pytest
from allotropy.parser_factory import Vendor

from processing.processors.asm.shared_workbook import shared_workbook
from processing.processors.asm.siblings import settle_siblings
from tests.processing.reading import read
from tests.samples.expected import FILES, FOLDER, needs_real_exports
from tests.samples.instruments import workbook

ECHO = [Vendor.BECKMAN_ECHO_CHERRY_PICK, Vendor.BECKMAN_ECHO_PLATE_REFORMAT]
MSD = [Vendor.METHODICAL_MIND, Vendor.MSD_WORKBENCH]
LUMINEX = [Vendor.LUMINEX_INTELLIFLEX, Vendor.LUMINEX_XPONENT]
DESIGN_AND_ANALYSIS = Vendor.APPBIO_QUANTSTUDIO_DESIGNANDANALYSIS
VENDOR_FILES = [name for name, expected in FILES.items() if expected.get("vendor")]


@needs_real_exports
@pytest.mark.parametrize("name", VENDOR_FILES)
def test_a_real_export_is_recognised_on_a_generic_instrument(name):
    found = read(FOLDER / name)

    assert found.file.get("recognised_as") == FILES[name]["vendor"].lower().replace("_", "-")


@pytest.mark.parametrize(
    ("claiming", "head", "extension", "left"),
    [
        (ECHO, "Run ID,1\nApplication Name,Labcyte Echo Plate Reformat\n", "csv", ECHO[1:]),
        (ECHO, "Run ID,1\nApplication Name,Labcyte Echo Cherry Pick\n", "csv", ECHO[:1]),
        (ECHO, "Run ID,1\n", "csv", ECHO),
        (LUMINEX, '"Program","xPONENT","","FlexMAP 3D"\n', "csv", LUMINEX[1:]),
        (LUMINEX, "MODEL NAME,INSTRUMENT TYPE\nxMAP INTELLIFLEX DR-SE,INTELLIFLEX\n", "csv", LUMINEX[:1]),
        (LUMINEX, '"Program","xPONENT","","INTELLIFLEX"\n', "csv", LUMINEX),
        (MSD, "FileName :\tA.txt\nPlate #  :\\t1\n", "txt", MSD[:1]),
        (MSD, "FileName :\tA.txt\nPlate #  :\t1\n", "txt", MSD),
        (
            [DESIGN_AND_ANALYSIS],
            "Results\nInstrument Type\tQuantStudio(TM) 7 Flex System\n",
            "xlsx",
            [Vendor.APPBIO_QUANTSTUDIO],
        ),
        ([DESIGN_AND_ANALYSIS], "Results\nInstrument Type\tQuantStudio™ 5 System\n", "xlsx", [DESIGN_AND_ANALYSIS]),
        ([DESIGN_AND_ANALYSIS], "Results\n", "xlsx", [Vendor.APPBIO_QUANTSTUDIO, DESIGN_AND_ANALYSIS]),
        ([Vendor.BMG_MARS], "anything", "csv", [Vendor.BMG_MARS]),
    ],
)
def test_siblings_are_told_apart_by_a_word_and_kept_together_without_one(claiming, head, extension, left):
    assert settle_siblings(claiming, head=head, extension=extension) == left


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("results.txt", "[Results 1]\nName\tValue\na\t1.5\nb\t2.5\nc\t3.5\nd\t4.5\n"),
        ("results.csv", "[Results 1]\nName,Value\na,1.5\nb,2.5\nc,3.5\nd,4.5\n"),
        ("samples.csv", "Plate ID,Sample name,Cq\nP1,a,21.5\nP1,b,22.5\nP1,Lunatic,23.5\nP1,d,24.5\n"),
    ],
)
def test_a_section_or_a_column_that_many_have_is_no_vendors_word(name, text, tmp_path):
    path = tmp_path / name
    path.write_text(text)

    found = read(path)

    assert "vendor_candidates" not in found.file
    assert found.warnings == []


def test_a_workbook_of_cycles_with_sample_names_is_none_of_lunatic(tmp_path):
    rows = [["Well", "Sample Name", "Cq"], *([f"A{n}", f"Lunatic {n}", 20.5 + n] for n in range(1, 9))]
    path = tmp_path / "cycles.xlsx"
    path.write_bytes(workbook({"Sheet1": rows}))

    assert "vendor_candidates" not in read(path).file


def test_a_workbook_is_opened_once_for_all_who_ask(tmp_path):
    path = tmp_path / "results.xlsx"
    written = openpyxl.Workbook()
    written.active.title = "Results"
    written.active.append(["Sample", None, 1.5])
    written.save(path)

    with shared_workbook(path):
        first, second = openpyxl.load_workbook(path, read_only=True), openpyxl.load_workbook(path)
        rows = list(first["Results"].iter_rows(max_row=1, values_only=True))

    assert first is second
    assert rows == [("Sample", None, 1.5)]
    assert openpyxl.load_workbook(path) is not first


def test_siblings_are_told_apart_by_the_sheet_behind_one_of_notes(tmp_path):
    workbook = openpyxl.Workbook()
    workbook.active.title = "Notes"
    workbook.active.append(["Measured for the stability study"])
    workbook.create_sheet("Sample Setup").append(["Instrument Type", "QuantStudio 7 Flex System"])
    workbook.create_sheet("Results").append(["Well", "CT"])
    path = tmp_path / "export.xlsx"
    workbook.save(path)

    with shared_workbook(path) as opened:
        head = opened.describe()

    assert settle_siblings([DESIGN_AND_ANALYSIS], head=head, extension="xlsx") == [Vendor.APPBIO_QUANTSTUDIO]


@pytest.mark.parametrize("sheet", ["Target_Call", "Target Call"])
def test_calls_of_diomni_are_recognised_by_their_sheet(sheet, tmp_path):
    names = ["Well", "Omit", "Sample", "Sample type", "Target", "Reporter", "Call", "Cq", "Amp score"]
    rows = [[f"A{n}", "No", f"S{n}", "Unknown", "RNase P", "FAM", "Present", 23.125 + n, 1.31] for n in range(1, 5)]
    head = [["Software name", "Diomni"], ["Block Type", "96-Well 0.2-mL Block"], ["File Name", "a.eds"]]
    head += [["Run End Date/Time", "2026-03-14 10:22:31"], []]
    path = tmp_path / "calls.xlsx"
    path.write_bytes(workbook({sheet: [*head, names, *rows]}))

    found = read(path)

    assert found.file["recognised_as"] == "thermo-fisher-diomni"
    assert found.run["target"] == "RNase P"
    assert found.run["well_count"] == 4
