"""Columns of text and workbooks: curves, plates and tables, and what is none of them."""

import pytest

from processing.processors.columns.reader import NoTable, read
from processing.readings import Kind, Unreadable
from tests.processing.here import documents, read_here, the
from tests.samples.instruments import csv, workbook


@pytest.fixture
def path(tmp_path):
    return tmp_path / "scan.csv"


def test_a_steady_first_column_of_numbers_makes_a_curve(path):
    rows = [["Wavelength (nm)", "Absorbance (AU)"], *[[400 + step, step / 10] for step in range(6)]]

    curve = the(read_here(read, path, csv(rows)), Kind.CURVE)

    assert curve["x"] == {"label": "Wavelength", "unit": "nm"}
    assert curve["y"] == {"label": "Absorbance", "unit": "AU"}
    assert curve["series"] == [
        {"label": "Absorbance", "x": [400, 401, 402, 403, 404, 405], "y": [0, 0.1, 0.2, 0.3, 0.4, 0.5], "points": 6}
    ]


def test_semicolons_come_with_decimal_commas(path):
    text = "Time [s];Signal [mV]\n" + "".join(f"0,{step};{step},5\n" for step in range(6))

    curve = the(read_here(read, path, text), Kind.CURVE)

    assert (curve["series"][0]["x"][1], curve["series"][0]["y"][1], curve["x"]["unit"]) == (0.1, 1.5, "s")


def test_tabs_and_blanks_separate_too(path):
    for separator in ("\t", "   "):
        text = "".join(f"{step}{separator}{step * step}\n" for step in range(6))
        assert the(read_here(read, path, text), Kind.CURVE)["series"][0]["y"] == [0, 1, 4, 9, 16, 25]


def test_a_preamble_is_skipped(path):
    text = (
        "Instrument,Cary 60\nOperator,Ann\n\n" + csv([["nm", "A", "B"], *[[step, 1, 2] for step in range(6)]]).decode()
    )

    curve = the(read_here(read, path, text), Kind.CURVE)

    assert [series["label"] for series in curve["series"]] == ["A", "B"]


def test_units_in_a_row_of_their_own_are_units(path):
    rows = [["Time", "Pressure"], ["s", "MPa"], *[[step, step] for step in range(6)]]

    curve = the(read_here(read, path, csv(rows)), Kind.CURVE)

    assert (curve["x"]["unit"], curve["y"]["unit"]) == ("s", "MPa")


def test_columns_of_different_units_are_drawn_apart(path):
    rows = [["Time (s)", "UV (mAU)", "Cond (mS/cm)"], *[[step, step, step] for step in range(6)]]

    assert [curve["y"]["unit"] for curve in documents(read_here(read, path, csv(rows)), Kind.CURVE)] == ["mAU", "mS/cm"]


def test_a_cell_without_a_number_is_a_gap(path):
    rows = [["Time (s)", "A"], [0, 1], [1, "OVRFLW"], [2, ""], [3, 4], [4, 5], [5, 6]]

    assert the(read_here(read, path, csv(rows)), Kind.CURVE)["series"][0]["y"] == [1, None, None, 4, 5, 6]


def test_words_make_a_table(path):
    rows = [["Sample", "Viability (%)"], *[[f"CLB00{step}", 90.5 + step] for step in range(6)]]

    table = the(read_here(read, path, csv(rows)), Kind.TABLE)

    assert table["columns"] == [{"name": "Sample", "unit": None}, {"name": "Viability", "unit": "%"}]
    assert table["rows"][0] == ["CLB000", 90.5]
    assert table["total_rows"] == 6


def test_numbers_that_are_identifiers_stay_text(path):
    rows = [["Code", "Count"], *[[f"00{step}", 10 + step] for step in range(6)]]

    assert the(read_here(read, path, csv(rows)), Kind.TABLE)["rows"][1] == ["001", 11]


def test_a_numbered_list_is_no_curve(path):
    rows = [["No.", "Count"], *[[step, 10 - step] for step in range(1, 7)]]

    assert documents(read_here(read, path, csv(rows)), Kind.CURVE) == []


def test_the_first_rows_of_a_long_table_are_kept_and_all_are_counted(path):
    rows = [["Sample", "Count"], *[[f"s{step}", step] for step in range(6000)]]

    table = the(read_here(read, path, csv(rows)), Kind.TABLE)

    assert (len(table["rows"]), table["total_rows"]) == (5000, 6000)


@pytest.mark.parametrize(("rows", "columns"), [(8, 12), (16, 24)])
def test_a_grid_of_wells_is_a_plate(rows, columns, path):
    grid = [
        ["", *range(1, columns + 1)],
        *[[chr(65 + row), *[row + column / 100 for column in range(columns)]] for row in range(rows)],
    ]
    grid[1][1] = "OVRFLW"

    plate = the(read_here(read, path, csv(grid)), Kind.PLATE)

    assert (plate["rows"], plate["columns"], len(plate["wells"])) == (rows, columns, rows * columns)
    assert plate["wells"]["A1"] == {"value": None, "note": "OVRFLW"}
    assert plate["wells"]["B2"] == {"value": 1.01}


def test_every_sheet_of_a_workbook_is_read(tmp_path):
    sheets = {
        "Spectrum": [["Wavelength (nm)", "A (AU)"], *[[400 + step, step / 10] for step in range(6)]],
        "Samples": [["Sample", "Conc (ng/µL)"], ["a", 1.5], ["b", 2]],
        "Empty": [],
    }

    output = read_here(read, tmp_path / "book.xlsx", workbook(sheets))

    assert [artefact.title for artefact in output.artefacts] == ["Spectrum", "Samples"]
    assert the(output, Kind.TABLE)["rows"] == [["a", 1.5], ["b", 2]]
    assert the(output, Kind.CURVE)["x"]["unit"] == "nm"


@pytest.mark.parametrize(
    ("mark", "head", "foot", "x", "y"),
    [
        (";", "sep=;\nTime (s);A (mAU)", "", ("Time", "s"), ("A", "mAU")),  # Excel's own first line
        ("|", "Time / min|Signal, mV", "", ("Time", "min"), ("Signal", "mV")),
        ("\t", "nm\tA\t", "", ("Wavelength", "nm"), ("A", None)),  # a delimiter too many
        (";", "cm-1;%T", "\nOperator;Ann\nRemark;fine\n", ("Wavenumber", "cm-1"), ("Transmittance", "%")),
        (";", "time_min;mass (mg)", "", ("time", "min"), ("mass", "mg")),
    ],
)
def test_dialects_of_exports_are_read(mark, head, foot, x, y, path):
    rows = "".join(f"{step / 2}{mark}{1.5 + step}\n" for step in range(6)).replace(".", ",")
    rows = rows.replace("\n", f"{mark}\n") if head.endswith(mark) else rows

    curve = the(read_here(read, path, f"{head}\n{rows}{foot}"), Kind.CURVE)

    assert [(curve[axis]["label"], curve[axis]["unit"]) for axis in ("x", "y")] == [x, y]
    assert curve["series"][0]["y"] == [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('n,"count"\na,"1,200"\nb,"11,300.5"\n', [1200, 11300.5]),
        ("n;Wert\na;1.234,5\nb;-2,5E-03\n", [1234.5, -0.0025]),
        ("n;Wert\na;1\u202f234,5\nb;95 %\n", [1234.5, 95]),
    ],
)
def test_numbers_of_other_countries_are_numbers(text, values, path):
    assert [row[1] for row in the(read_here(read, path, text), Kind.TABLE)["rows"]] == values


@pytest.mark.parametrize("times", [["00:00:00", "00:10:00", "00:20:00", "01:00:00"], ["0:00:00,5", "0:10:00,5"]])
def test_hours_of_an_experiment_make_an_axis(times, path):
    rows = [["Time", "OD600"], *[[time, place / 10] for place, time in enumerate([*times, "5:00:00", "6:00:00"])]]

    curve = the(read_here(read, path, csv(rows, delimiter=";")), Kind.CURVE)

    assert curve["x"] == {"label": "Time", "unit": "h"}
    assert curve["series"][0]["x"][-2:] == [5, 6]


@pytest.mark.parametrize("form", ["2026-03-14 09:{}:00", "14.03.2026 09:{}", "2026/03/14 09:{}:00.25"])
def test_moments_are_an_axis_and_a_time_of_acquisition(form, path):
    rows = [["Date", "T (°C)"], *[[form.format(10 + step), 20 + step] for step in range(6)]]

    output = read_here(read, path, csv(rows), zone="Europe/Berlin")

    assert output.acquired_at.isoformat()[:16] == "2026-03-14T08:10"
    assert (output.run["measured_to"][:16], output.file["assumed_time_zone"]) == ("2026-03-14T08:15", "Europe/Berlin")
    assert the(output, Kind.CURVE)["series"][0]["x"] == [0, 60, 120, 180, 240, 300]


def test_scans_side_by_side_have_an_abscissa_each(path):
    rows = [["Baseline", "", "Sample 1", ""], ["Wavelength (nm)", "Abs", "Wavelength (nm)", "Abs"]]
    rows += [[800 - step, 0.1, 700 - step if step < 4 else "", 0.2 if step < 4 else ""] for step in range(6)]

    (curve,) = documents(read_here(read, path, csv(rows)), Kind.CURVE)

    assert [(one["label"], one["points"], one["x"][0]) for one in curve["series"]] == [
        ("Baseline", 6, 800),
        ("Sample 1", 4, 700),
    ]


def test_every_plate_of_a_file_is_one_with_its_title(path):
    grid = [["", *range(1, 13)], *[[letter, *range(12)] for letter in "ABCDEFGH"]]

    plates = documents(read_here(read, path, csv([["OD 600"], *grid, [], ["OD 450"], *grid])), Kind.PLATE)

    assert [(plate["title"], len(plate["wells"])) for plate in plates] == [("OD 600", 96), ("OD 450", 96)]


def test_a_list_of_wells_is_a_plate(path):
    wells = [f"{row}0{column}" for row in "AB" for column in (1, 2, 3)]
    rows = [["Well", "Sample", "OD600 (AU)"], *[[well, "s", place / 10] for place, well in enumerate(wells)]]

    plate = the(read_here(read, path, csv(rows)), Kind.PLATE)

    assert (plate["rows"], plate["columns"], plate["quantity"], plate["unit"]) == (2, 3, "OD600", "AU")
    assert plate["wells"]["B3"] == {"value": 0.5, "sample": "s"}


@pytest.mark.parametrize("row_names", ["ABCDEFGH", range(1, 9)])
def test_a_list_of_rows_and_columns_is_a_plate(row_names, path):
    cells = [[name, column, 10 * row + column] for row, name in enumerate(row_names) for column in range(1, 13)]

    plate = the(read_here(read, path, csv([["Row", "Column", "OD600"], *cells])), Kind.PLATE)

    assert (plate["rows"], plate["columns"], plate["quantity"], len(plate["wells"])) == (8, 12, "OD600", 96)
    assert plate["wells"]["H12"] == {"value": 82}


def test_numbers_of_rows_and_columns_that_are_no_whole_plate_are_a_table(path):
    cells = [[row, column, row * column / 7] for row in range(1, 6) for column in range(1, 6)]

    found = read_here(read, path, csv([["Row", "Column", "Height"], *cells]))

    assert not documents(found, Kind.PLATE)


def test_a_list_of_several_plates_has_one_of_each(path):
    cells = [[plate, f"{row}{column}", plate / 2] for plate in (1, 2) for row in "AB" for column in (1, 2, 3)]

    plates = documents(read_here(read, path, csv([["Plate", "Well", "OD600"], *cells])), Kind.PLATE)

    assert [(plate["title"], plate["wells"]["B3"]["value"]) for plate in plates] == [("1: OD600", 0.5), ("2: OD600", 1)]


def test_long_numbers_of_plates_are_told_apart(path):
    cells = [[plate, f"{row}1", int(plate) % 10] for plate in (1234567.1, 1234568.1) for row in "ABCDEFGH"]

    plates = documents(read_here(read, path, csv([["Barcode", "Well", "OD600"], *cells])), Kind.PLATE)

    assert [plate["title"] for plate in plates] == ["1234567.1: OD600", "1234568.1: OD600"]


def test_a_workbook_may_say_other_things_above_its_table(tmp_path):
    rows = [["My report"], ["Operator", "Ann"], [], ["Time (s)", "A (mAU)"], *[[step / 2, step] for step in range(6)]]

    output = read_here(read, tmp_path / "book.xlsx", workbook({"S": rows}))

    assert the(output, Kind.CURVE)["x"] == {"label": "Time", "unit": "s"}


def test_sheets_that_are_not_read_are_told(tmp_path):
    sheets = {f"S{n}": [["Sample", "Conc (ng/µL)"], ["a", 1.5], ["b", 2]] for n in range(60)}

    output = read_here(read, tmp_path / "book.xlsx", workbook(sheets))

    assert len(output.artefacts) == 50
    assert output.warnings == ["The first 50 of 60 sheets are read."]


def test_prose_is_no_table(path):
    with pytest.raises(NoTable):
        read_here(read, path, "Dear colleague,\nthe lamp was changed\nthis morning.\n")


def test_bytes_are_no_text(path):
    with pytest.raises(Unreadable, match="This is not text"):
        read_here(read, path, bytes(range(256)) * 20)


@pytest.mark.parametrize("data", [b"PK\x03\x04 half", b"words"])
def test_a_broken_workbook_is_refused(data, tmp_path):
    with pytest.raises(Unreadable, match="no workbook, or a damaged one"):
        read_here(read, tmp_path / "book.xlsx", data)


def test_latin_text_is_read_as_such(path):
    rows = "Größe;Wert\n" + "".join(f"a{step};{step}\n" for step in range(6))

    output = read_here(read, path, rows.encode("latin-1"))

    assert the(output, Kind.TABLE)["columns"][0]["name"] == "Größe"
    assert output.run["encoding"] == "cp1252"


def test_the_minus_sign_of_printed_texts_is_one(path):
    rows = "".join(f"-0.{5 - step},-1.{step}e-6\n" for step in range(5))
    text = "E (V),I (A)\n" + rows.replace("-", "\N{MINUS SIGN}")

    curve = the(read_here(read, path, text), Kind.CURVE)

    assert curve["series"][0]["x"][0] == -0.5
    assert curve["series"][0]["y"][:2] == [-1e-06, -1.1e-06]


@pytest.mark.parametrize("ending", ["\r\r\n", "\n\n"])
def test_line_ends_that_were_written_twice_are_one(ending, path):
    text = ending.join(["x,y", *[f"{step},{step * step}" for step in range(6)]])

    assert the(read_here(read, path, text), Kind.CURVE)["series"][0]["y"] == [0, 1, 4, 9, 16, 25]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_text_without_a_mark_is_text(encoding, path):
    output = read_here(read, path, csv([["x", "y"], *[[step, step] for step in range(6)]]).decode().encode(encoding))

    assert output.run["encoding"] == encoding


def test_a_short_table_below_names_and_words_is_found(path):
    text = "Instrument,Nano 9\nOperator,Rosa\nRoom,B12\n,\nSample,Conc. (ng/uL),Ratio\nX1,12.5,1.85\nX2,13.75,1.91\n"

    output = read_here(read, path, text)

    assert the(output, Kind.TABLE)["rows"] == [["X1", 12.5, 1.85], ["X2", 13.75, 1.91]]
    assert output.run["analyst"] == "Rosa"


BLOCKS = "Run of Ann\n\nBlock 1: 260 nm\n{one}\nBlock 2: 280 nm\n{two}"
SMALL = "Well,Value\n" + "".join(f"A{n},0.{n}5\n" for n in range(1, 7))
LARGE = "Sample,A (mM),B (mM)\n" + "".join(f'"S{n}, again",{n}.25,{n}.5\n' for n in range(1, 7))


@pytest.mark.parametrize("text", [BLOCKS.format(one=SMALL, two=SMALL), BLOCKS.format(one=SMALL, two=LARGE)])
def test_lines_that_a_spreadsheet_filled_up_are_read_as_without(text, path):
    most = max(line.count(",") for line in text.replace(", again", "").splitlines())
    lines = text.splitlines()
    padded = [line + "," * (most - line.replace(", again", "").count(",")) for line in lines]

    usual, found = (read_here(read, path, "\n".join(one) + "\n") for one in (lines, padded))

    assert usual.run["table_count"] == 2
    assert (found.run, found.file, found.artefacts) == (usual.run, usual.file, usual.artefacts)


def test_a_list_with_empty_cells_is_left_as_it_is(path):
    text = "Name,Value\nS1,1.5\nS2,\n,\nS3,2.5\nS4,\nS5,3.5\nS6,4.5\n"

    table = the(read_here(read, path, text), Kind.TABLE)

    assert [row[0] for row in table["rows"]] == ["S1", "S2", "S3", "S4", "S5", "S6"]


def test_remarks_beside_what_was_measured_are_a_table_beside_its_curves(path):
    rows = [["Time (s)", "A (mAU)", "Remark"], *[[step, step / 4, "lamp on" if step == 3 else ""] for step in range(9)]]

    output = read_here(read, path, csv(rows))

    assert [series["label"] for series in the(output, Kind.CURVE)["series"]] == ["A"]
    assert the(output, Kind.TABLE)["rows"][3] == [3, 0.75, "lamp on"]


def test_a_small_table_that_is_one_by_its_empty_cells_only_stays_one(path):
    text = "Run 470,,\n3,3.27,1.4\n4,3.5,2.5\n5,3.1,2.2\n,,\nReport of Ann,,\n"

    assert read_here(read, path, text).artefacts
