"""Texts of vendors as other settings, spreadsheets and people write them: the same numbers, or a word about it."""

import csv
import io
from datetime import UTC, datetime

import openpyxl
import pytest
from allotropy.parsers.utils.timestamp_parser import TimestampParser
from dateutil import parser  # type: ignore[import-untyped]

from processing.processors import generic
from processing.processors.asm import reader
from processing.processors.asm.forms import list_forms
from processing.processors.asm.timestamps import known_times
from processing.processors.asm.workbook_forms import list_workbook_forms
from processing.processors.asm.writing_style import WritingStyle
from processing.readings import Input, Unreadable
from tests.processing.here import read_here
from tests.samples.instruments import vi_cell, workbook

VI_CELL = "beckman-vi-cell-blu"
VISIONLITE = "Sample Name,500 nm   [A],600 nm   [A]\nx, 0.027, 0.040\n"


def rows_of(text):
    return list(csv.reader(io.StringIO(text)))


def written(rows, **dialect):
    kept = io.StringIO()
    csv.writer(kept, lineterminator="\n", **dialect).writerows(rows)
    return kept.getvalue()


def with_semicolons(text):
    rows = [
        [cell.replace(".", ",") if cell.replace(".", "").isdigit() else cell for cell in row] for row in rows_of(text)
    ]
    return written(rows, delimiter=";").encode()


def padded(text):
    rows = rows_of(text)
    return written([*(row + [""] * 3 for row in rows), [""] * (len(rows[0]) + 3)]).encode()


def shown(output):
    return {artefact.name: artefact.data for artefact in output.artefacts if artefact.name != "asm.json"}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: b"\xef\xbb\xbf" + text.encode(), id="marked UTF-8"),
        pytest.param(lambda text: text.encode("utf-16"), id="UTF-16"),
        pytest.param(lambda text: text.encode("utf-16-le"), id="UTF-16 without a mark"),
        pytest.param(lambda text: text.replace("\n", "\r").encode(), id="line ends of old Macintoshes"),
        pytest.param(lambda text: written(rows_of(text), quoting=csv.QUOTE_ALL).encode(), id="all cells quoted"),
        pytest.param(with_semicolons, id="semicolons and decimal commas"),
        pytest.param(padded, id="rows of one width"),
        pytest.param(lambda text: (text + "\n\n").encode(), id="empty lines at its end"),
    ],
)
def test_a_text_written_otherwise_says_the_same(change, tmp_path):
    usual = read_here(generic.read, tmp_path / "export.csv", vi_cell())

    found = read_here(generic.read, tmp_path / "export.csv", change(vi_cell()))

    assert found.file["recognised_as"] == VI_CELL
    assert shown(found) == shown(usual)
    assert found.acquired_at == usual.acquired_at


@pytest.mark.parametrize("above", ["Assay of Monday\n", "\n\n", "# Assay of Monday\n\n"])
def test_what_people_write_above_an_export_is_left_out_and_said(above, tmp_path):
    usual = read_here(generic.read, tmp_path / "export.csv", vi_cell())

    found = read_here(generic.read, tmp_path / "export.csv", above + vi_cell())

    assert found.file["recognised_as"] == VI_CELL
    assert shown(found) == shown(usual)
    assert ("“Assay of Monday” above the export is left out." in found.warnings) == bool(above.strip())


def test_a_table_with_the_ending_of_another_kind_of_text_is_recognised(tmp_path):
    found = read_here(generic.read, tmp_path / "export.txt", vi_cell())

    assert found.file["recognised_as"] == VI_CELL
    assert found.run["sample_id"] == ["CLB001", "CLB002"]


def test_an_instrument_with_a_type_reads_the_other_forms_too(tmp_path):
    found = read_here(reader.read, tmp_path / "export.csv", with_semicolons(vi_cell()), instrument_type=VI_CELL)

    assert found.run["sample_id"] == ["CLB001", "CLB002"]
    assert found.file["decimal_comma"] is True


def test_where_every_form_fails_the_first_says_why(tmp_path):
    with pytest.raises(Unreadable):
        read_here(reader.read, tmp_path / "export.csv", "nothing;of\nthe,kind\n", instrument_type=VI_CELL)


def test_two_programs_that_find_the_same_are_asked_about_and_what_they_find_is_shown(tmp_path):
    found = read_here(generic.read, tmp_path / "export.csv", VISIONLITE)

    assert found.file["vendor_candidates"] == ["thermo-fisher-genesys-on-board", "thermo-fisher-visionlite"]
    assert not {"recognised_as", "vendor", "degraded"} & found.file.keys()
    assert "find the same in it: choose which" in found.warnings[0]
    assert found.run["wavelength_nm"] == [500, 600]
    assert "software" not in found.run
    assert any(b"0.027" in data for data in shown(found).values())


def test_two_programs_that_find_different_things_share_nothing(tmp_path):
    first = read_here(generic.read, tmp_path / "export.csv", VISIONLITE)
    other = read_here(generic.read, tmp_path / "export.csv", VISIONLITE.replace("0.027", "0.028"))

    assert generic.find_common([first, other]) is None
    assert generic.find_common([first, first]) is not None


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Ct\tdelta\n39,814\t0,219\n1.234,5\t-3,383\n", "Ct\tdelta\n39.814\t0.219\n1234.5\t-3.383\n"),
        ("n;value\n1;<22,500\n2;0,5 %\n", "n;value\n1;<22.500\n2;0.5 %\n"),
        ("Version\t1.3\n" + "A1\t0,25\n" * 4, "Version\t1.3\n" + "A1\t0.25\n" * 4),
        ('cells,viability\n"1,234",96.5\n', 'cells,viability\n"1234",96.5\n'),
        ("cells\tviability\n1,234\t96.5\n", "cells\tviability\n1234\t96.5\n"),
        ("cells\tarea\n1,234,567\t9\n", "cells\tarea\n1234567\t9\n"),
        ("Blank 504,531\t504,531\nA1\t24.5\n", "Blank 504,531\t504,531\nA1\t24.5\n"),  # wavelengths
        ('wells,value\n"1,2",0.5\n', 'wells,value\n"1,2",0.5\n'),
        ("well,value\n1,2\n3,4\n", "well,value\n1,2\n3,4\n"),
        ("wells\tvalue\n1,2\t0.5\n", "wells\tvalue\n1,2\t0.5\n"),
        ("Sample\tvalue\nA 1,5\t0.5\n", "Sample\tvalue\nA 1,5\t0.5\n"),
    ],
)
def test_numbers_are_written_with_a_point_where_the_text_shows_what_its_commas_are(text, plain):
    assert WritingStyle(text).write_plainly() == plain


def test_a_comma_that_may_be_of_decimals_or_of_thousands_is_told(tmp_path):
    text = "Ct\tdelta\n39,814\t12,219\n"
    path = tmp_path / "export.txt"
    path.write_text(text)

    form = next(list_forms(Input(path, path.name, "", UTC)))

    assert WritingStyle(text).write_plainly() == text
    assert "“39,814”" in form.warnings[0]


@pytest.mark.parametrize(
    ("text", "is_day_first"),
    [
        ("Date,05/04/2024\nDate,13/04/2024\n", True),
        ("Date,05/04/2024\nDate,04/13/2024\n", False),
        ("Date,05/04/2024\n", False),
        ("Date;05/04/2024\nA1;0,5\n", True),
        ("Date\t05/04/2024 1:10 PM\nA1\t0,5\n", False),
        ("Path\t24-10-16 15-09-52\nDate\t05/04/2024\n", False),
    ],
)
def test_the_order_of_day_and_month_is_that_of_all_dates_of_the_file(text, is_day_first):
    assert WritingStyle(text).is_day_first is is_day_first


@pytest.mark.parametrize(
    ("stated", "is_day_first", "meant"),
    [
        ("05.11.2024 13:05:09", False, datetime(2024, 11, 5, 13, 5, 9, tzinfo=UTC)),
        ("2024-11-05 13:05:09", True, datetime(2024, 11, 5, 13, 5, 9, tzinfo=UTC)),
        ("11/05/2024 1:05:09 PM", False, datetime(2024, 11, 5, 13, 5, 9, tzinfo=UTC)),
        ("05/11/2024 13:05:09", True, datetime(2024, 11, 5, 13, 5, 9, tzinfo=UTC)),
        ("Dienstag, 5. November 2024 13:05:09", False, datetime(2024, 11, 5, 13, 5, 9, tzinfo=UTC)),
        ("5. Okt. 2024 13:05:09", False, datetime(2024, 10, 5, 13, 5, 9, tzinfo=UTC)),
        ("5 février 2024 13:05:09", False, datetime(2024, 2, 5, 13, 5, 9, tzinfo=UTC)),
        ("13:05:09", False, datetime(1970, 1, 1, tzinfo=UTC)),  # no day: no time
    ],
)
def test_a_date_is_what_its_writer_meant(stated, is_day_first, meant):
    with known_times(is_day_first=is_day_first):
        assert datetime.fromisoformat(TimestampParser(UTC).parse(stated)) == meant


def test_parsers_that_ask_dateutil_themselves_get_the_same():
    with known_times(is_day_first=False):
        assert parser.parse("05.11.2024 13:05").month == 11
        assert parser.parse("2024-11-05").month == 11
    assert parser.parse("05.11.2024").month == 5


def test_dates_that_only_the_country_explains_are_told(tmp_path):
    path = tmp_path / "export.txt"
    path.write_text("Date\t05/04/2024\nA1\t0,5\n")

    form = next(list_forms(Input(path, path.name, "", UTC)))

    assert form.is_day_first
    assert "read with the day first" in form.warnings[0]


def test_a_copy_is_gone_with_the_reading_and_the_file_keeps_its_name(tmp_path):
    path = tmp_path / "export.txt"
    path.write_bytes(b"\xef\xbb\xbf" + vi_cell().encode())

    copies = [form.given.path for form in list_forms(Input(path, path.name, "", UTC))]
    found = read_here(generic.read, path, path.read_bytes())

    assert [copy for copy in copies if copy.exists()] == [path]
    document = next(artefact.data for artefact in found.artefacts if artefact.name == "asm.json")
    assert b"export.txt" in document
    assert b"export.csv" not in document


def typed(text):
    """The cells of a text as a spreadsheet has them."""

    def cell(written):
        try:
            return float(written)
        except ValueError:
            return written or None

    return [[cell(written) for written in row] for row in rows_of(text)]


@pytest.mark.parametrize(
    "sheets",
    [
        pytest.param({"export": typed(vi_cell())}, id="saved as a workbook"),
        pytest.param({"Sheet1": [], "export": typed(vi_cell())}, id="behind an empty sheet"),
        pytest.param({"Notes": [["by", "Ann"], ["on", 3]], "export": typed(vi_cell())}, id="behind notes"),
    ],
)
def test_a_text_that_was_saved_as_a_workbook_is_recognised(sheets, tmp_path):
    usual = read_here(generic.read, tmp_path / "export.csv", vi_cell())

    found = read_here(generic.read, tmp_path / "export.xlsx", workbook(sheets))

    assert found.file["recognised_as"] == VI_CELL
    assert found.run["sample_id"] == usual.run["sample_id"]
    assert found.acquired_at == usual.acquired_at


def test_the_sheet_of_a_vendor_may_come_second(tmp_path):
    qubit = [["Run ID", "Assay Name", "Test Name"], ["1", "dsDNA", "first"]]
    written = workbook({"Empty": [], "Notes": [["by", "Ann"]], "Data": qubit})
    (tmp_path / "export.xlsx").write_bytes(written)

    copies = list_workbook_forms(tmp_path / "export.xlsx", folder=tmp_path / "copies")
    (tmp_path / "copies").mkdir()

    orders = [openpyxl.load_workbook(copy.path).sheetnames for copy in copies if copy.path.suffix == ".xlsx"]
    assert orders[:2] == [["Notes", "Data"], ["Data", "Notes"]]


def test_a_workbook_of_nobody_stays_its_tables(tmp_path):
    rows = [["Animal", "Weight (g)"], *[[f"mouse {number}", 20 + number] for number in range(6)]]

    found = read_here(generic.read, tmp_path / "notes.xlsx", workbook({"Sheet1": rows, "Sheet2": []}))

    assert "recognised_as" not in found.file
    assert found.artefacts


IMMUNOSPOT = (
    "Software version: ImmunoSpot 7.0.30.5\nCounted: Tue Oct 03 15:12:21 2023; Authenticated user: 'Ann'\n"
    "Analyzer Serial number: S6UNIV-01-1234; Computer name: bar123456\nE:\\Plates\\quux.txt\n"
    "Counting window size: 1024x1024\n\n\nAssay:\t1\nMin. SpotSize: 0.0025  Sq.mm\nMax. SpotSize: 12.6147  Sq.mm\n"
    "Spot Separation: 3.00\n\n\n\t\t\tUnprocessed Data\n\n\tC.T.L.\t\t\tImmunoSpot  Plate Code = P1\n"
    "      1     2     3\n\nA    93    88    32\nB    79    94   102\n\n"
).replace("\n", "\r\n")


@pytest.mark.parametrize("top", ["\r\n", "\r\n\r\n", "\t\t\r\n", "  \r\n", ",,\r\n"])
def test_empty_lines_before_the_first_words_say_nothing(top, tmp_path):
    usual = read_here(generic.read, tmp_path / "export.txt", IMMUNOSPOT)

    found = read_here(generic.read, tmp_path / "export.txt", top + IMMUNOSPOT)

    assert found.file["recognised_as"] == usual.file["recognised_as"] == "ctl-immunospot"
    assert any(b"12.6147" in data for data in shown(usual).values())
    assert shown(found) == shown(usual)
    assert found.warnings == usual.warnings


QUBIT = (
    "Run ID,Assay Name,Test Name,Test Date,Qubit® tube conc.,Units,Original sample conc.,Units,Sample Volume (µL),"
    "Dilution Factor,Std 1 RFU,Std 2 RFU,Std 3 RFU,Excitation,Emission,Green RFU,Far Red RFU\n"
    "R1,dsDNA,S1,12/12/2023 6:40:54 AM,30.4,ng/mL,6.08,ng/µL,1,200,7.8,1284.5,,Blue,Green,441.2,\n"
)
DPCR = (
    "sep=,\n"
    '"Plate ID","Well","Sample/NTC/Control","Type","Target (Name)","Conc. [cp/µL] (dPCR reaction)",'
    '"Partitions (Valid)","Partitions (Positive)","Partitions (Negative)","Threshold"\n'
    '"P1","A1","S1","Sample","FAM","86.32","25485","1778","23707","53.55"\n'
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_tabs_between_the_cells_of_a_csv_are_commas(encoding, tmp_path):
    usual = read_here(generic.read, tmp_path / "export.csv", QUBIT)

    found = read_here(generic.read, tmp_path / "export.csv", QUBIT.replace(",", "\t").encode(encoding))

    assert found.file["recognised_as"] == usual.file["recognised_as"] == "thermo-fisher-qubit4"
    assert shown(found) == shown(usual)


def test_the_line_that_a_spreadsheet_keeps_to_itself_is_not_needed(tmp_path):
    usual = read_here(generic.read, tmp_path / "export.csv", DPCR)

    found = read_here(generic.read, tmp_path / "export.csv", DPCR.removeprefix("sep=,\n"))

    assert found.file["recognised_as"] == usual.file["recognised_as"] == "qiacuity-dpcr"
    assert shown(found) == shown(usual)
    assert found.warnings == usual.warnings
