"""What exports write around and into their columns: blocks, preambles, dates, limits."""

import json

import pytest

from processing.processors.columns.reader import read
from processing.readings import Kind
from processing.registry import choose_type
from tests.processing.here import documents, read_here, the
from tests.samples.instruments import csv

PREAMBLE = "Instrument,UV 3000\nOperator,Ann\nDate,2024-03-07\nTime,16:05:33\nSample,caffeine\nSlit (nm),2.0\n"
SCAN = "Wavelength (nm),Absorbance (AU)\n" + "".join(f"{200 + step},{step / 10}\n" for step in range(6))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "scan.csv"


@pytest.mark.parametrize("between", ["", "\n"])
def test_names_and_words_above_a_table_of_two_columns_are_facts(between, path):
    output = read_here(read, path, PREAMBLE + between + SCAN, zone="Europe/Berlin")

    assert the(output, Kind.CURVE)["series"][0]["points"] == 6
    said = {key: output.run[key] for key in ("instrument_model", "analyst", "sample_id", "measured_from")}
    assert said == {
        "instrument_model": "UV 3000", "analyst": "Ann", "sample_id": "caffeine",
        "measured_from": "2024-03-07T15:05:33Z",
    }  # fmt: skip
    assert output.file["slit_nm"] == 2
    assert output.acquired_at.isoformat() == "2024-03-07T15:05:33+00:00"


def test_a_preamble_of_colons_says_who_and_when(path):
    text = "# Operator: Ann\n# Date: 14.03.2026 09:26\n# Remark: none\n" + SCAN

    output = read_here(read, path, text)

    assert (output.run["analyst"], output.run["measured_from"]) == ("Ann", "2026-03-14T09:26:00Z")


def test_every_block_of_a_text_is_a_table_with_its_title(path):
    blocks = "".join(f"Block {n}: {n}60 nm\nWell,Value\nA1,0.{n}\nA2,0.5\nA3,0.6\n\n" for n in (1, 2, 3))

    tables = documents(read_here(read, path, "Experiment: X\n\n" + blocks), Kind.TABLE)

    assert [table["title"] for table in tables] == ["Block 1: 160 nm", "Block 2: 260 nm", "Block 3: 360 nm"]
    assert [table["rows"][0] for table in tables] == [["A1", 0.1], ["A1", 0.2], ["A1", 0.3]]


def test_blocks_of_other_widths_are_tables_of_their_own(path):
    text = SCAN + "\nPeak,Height,Area\na,1,2\nb,3,4\n"

    output = read_here(read, path, text)

    assert the(output, Kind.TABLE)["rows"] == [["a", 1, 2], ["b", 3, 4]]
    assert the(output, Kind.CURVE)["series"][0]["points"] == 6


def test_a_short_table_above_a_long_one_is_read_too(path):
    text = "Peak,Height,Area\na,1,2\nb,3,4\n\n" + SCAN

    output = read_here(read, path, text)

    assert the(output, Kind.TABLE)["rows"] == [["a", 1, 2], ["b", 3, 4]]
    assert the(output, Kind.CURVE)["series"][0]["points"] == 6


def test_american_dates_are_an_axis_when_one_of_them_shows_what_the_month_is(path):
    days = ["1/2/2023 9:00 AM", "1/2/2023 9:00 PM", "1/12/2023 12:00 AM", "1/13/2023 12:30 PM"]
    rows = [["Date", "T (°C)"], *[[day, 20 + step] for step, day in enumerate([*days, "2/3/2023 1:05 PM"])]]

    output = read_here(read, path, csv(rows))

    assert the(output, Kind.CURVE)["series"][0]["x"][:3] == [0, 12, 231]
    assert (output.run["measured_from"], output.run["measured_to"]) == ("2023-01-02T09:00:00Z", "2023-02-03T13:05:00Z")


def test_dates_that_may_be_either_stay_words(path):
    rows = [["Date", "T (°C)"], *[[f"{step}/2/2023 9:00 AM", 20 + step] for step in range(1, 7)]]

    output = read_here(read, path, csv(rows))

    assert output.acquired_at is None
    assert the(output, Kind.TABLE)["rows"][0][0] == "1/2/2023 9:00 AM"


def test_hours_with_am_and_pm_are_an_axis(path):
    rows = [
        ["Time", "OD"],
        *[[f"{hour}:30 {half}", 1] for hour, half in [(10, "AM"), (11, "AM"), (12, "PM"), (1, "PM")]],
    ]

    assert the(read_here(read, path, csv(rows)), Kind.CURVE)["series"][0]["x"] == [10.5, 11.5, 12.5, 13.5]


def test_decimal_commas_stand_beside_blanks_and_a_number_with_a_point(path):
    text = "Nr;Menge;Wert\n1;12,5;0,1\n2;;1.0\n3;13,75;\n4;;0,25\n"

    assert the(read_here(read, path, text), Kind.TABLE)["rows"] == [
        [1, 12.5, 0.1], [2, None, 1], [3, 13.75, None], [4, None, 0.25],
    ]  # fmt: skip


def test_decimal_commas_between_blanks_are_numbers(path):
    text = "".join(f"{step},0   0,{step}   {step},25\n" for step in range(6))

    series = the(read_here(read, path, text), Kind.CURVE)["series"]

    assert [one["y"][1] for one in series] == [0.1, 1.25]


def test_what_is_below_the_limit_stays_written_and_is_no_number(path):
    rows = [["Sample", "Lactate (mM)"], ["a", "<0.05"], ["b", 1.2], ["c", "n.d."], ["d", 2], ["e", ""]]

    table = the(read_here(read, path, csv(rows)), Kind.TABLE)

    assert [row[1] for row in table["rows"]] == ["<0.05", 1.2, "n.d.", 2, None]


def test_a_line_break_in_a_cell_stays(path):
    text = 'Sample,Note,n\na,"first\nsecond",1\nb,x,2\nc,y,3\n'

    assert the(read_here(read, path, text), Kind.TABLE)["rows"][0][1] == "first\nsecond"


WELLS = [f"{letter}{column}" for letter in "ABCDEFGH" for column in range(1, 13)]


@pytest.mark.parametrize("word", ["OVRFLW", "?????", ">4.000", "SAT", "-----"])
def test_a_word_in_a_plain_plate_is_told_with_its_well(word, tmp_path):
    rows = [["", *map(str, range(1, 13))], *([letter, *[f"0.{n}5" for n in range(1, 13)]] for letter in "ABCDEFGH")]
    rows[3][4] = word
    text = "\n".join(",".join(row) for row in rows) + "\n"

    found = read_here(read, tmp_path / "grid.csv", text)

    assert found.warnings == [f"No number but “{word}” stands in the plate: C4."]


@pytest.mark.parametrize("word", ["OVRFLW", "?????", "*****", ">4.000", "#REF!", "TNTC"])
def test_a_word_in_a_list_of_wells_is_a_well_without_a_number(word, tmp_path):
    values = [f"0.{n:03}" for n in range(100, 196)]
    values[40] = word
    text = "Well,OD\n" + "".join(f"{well},{value}\n" for well, value in zip(WELLS, values, strict=True))

    found = read_here(read, tmp_path / "list.csv", text)

    (plate,) = [json.loads(one.data) for one in found.artefacts if one.name.startswith("plate")]
    assert plate["wells"][WELLS[40]] == {"value": None, "note": word}
    assert len(plate["wells"]) == 96


POINTS = "".join(f"{100 + step}\t{step * 0.5}\n" for step in range(8))


def test_points_below_a_list_of_facts_and_a_word_alone_are_a_table(path):
    head = "TITLE\tS1\nDATA TYPE\tINFRARED SPECTRUM\nDATE\t2026/01/02\nXUNITS\t1/CM\nNPOINTS\t8\nXYDATA\n"

    output = read_here(read, path, head + POINTS)

    (curve,) = documents(output, Kind.CURVE)
    assert (curve["series"][0]["x"][0], curve["series"][0]["y"][-1]) == (100, 3.5)
    assert output.file["xunits"] == "1/CM"


def test_facts_that_end_with_an_equals_sign_are_facts_and_no_names_of_columns(path):
    head = "#Acq. time (s)=\t60\n#Laser=\t532.1\n#Instrument=\tLabRAM HR\n#Title=\tSMC1\n#AxisUnit[1]=\t1/cm\n"

    output = read_here(read, path, head + POINTS)

    assert output.run["instrument_model"] == "LabRAM HR"
    assert (output.run["rows"], output.file["acq_time_s"], output.file["laser"]) == (8, 60, 532.1)
    assert output.file["axisunit_1"] == "1/cm"
    assert "column_names" not in output.file


def test_the_mark_of_a_comment_is_no_part_of_a_name(path):
    output = read_here(read, path, "#Wave\t#Intensity\n" + POINTS)

    assert output.file["column_names"] == ["Wave", "Intensity"]


@pytest.mark.parametrize("name", ["a.dpt", "a.xye"])
def test_points_of_spectrometers_and_diffractometers_are_tables(name):
    assert choose_type(filename=name, head=POINTS.encode(), instrument_type="generic").name == "generic"
