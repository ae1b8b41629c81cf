"""Plain tables in which names stand twice, units behind numbers, and a word among them."""

import json

import pytest

from processing.processors.columns.reader import read
from processing.readings import Kind
from tests.processing.here import read_here, the

NAMES = "Sample,Signal,Ratio\n"
ROWS = [f"S{place},{place * 1.25:.2f},{place / 8:.3f}\n" for place in range(1, 11)]


def table(tmp_path, text):
    output = read_here(read, tmp_path / "export.csv", text)
    return the(output, Kind.TABLE), output.warnings


def test_names_that_stand_in_a_table_again_are_no_row_of_it(tmp_path):
    text = NAMES + "".join(ROWS[:5]) + NAMES + "".join(ROWS[5:])

    found, warnings = table(tmp_path, text)

    assert all(isinstance(row[1], int | float) for row in found["rows"])
    assert warnings == ["The names of its columns stand in it 2 times: they were read once."]


def test_a_unit_behind_every_number_becomes_that_of_the_column(tmp_path):
    text = NAMES + "".join(row.replace("\n", " mM\n") for row in ROWS[:9]) + "S10,12.5,n.d.\n"

    found, warnings = table(tmp_path, text)

    assert found["columns"][2] == {**found["columns"][2], "name": "Ratio", "unit": "mM"}
    assert found["rows"][0][2] == 0.125
    assert warnings == []


def test_a_unit_that_is_not_that_of_the_name_stays_where_it_is(tmp_path):
    text = NAMES.replace("Ratio", "Ratio (µM)") + "".join(row.replace("\n", " mM\n") for row in ROWS)

    found, _ = table(tmp_path, text)

    assert found["rows"][0][2] == "0.125 mM"


@pytest.mark.parametrize("word", ["7.50 AU", "broken"])
def test_a_word_that_makes_a_column_text_is_told(tmp_path, word):
    found, warnings = table(tmp_path, NAMES + "".join(ROWS).replace("7.50", word))

    assert json.dumps(word) in json.dumps(found["rows"])
    assert warnings == [f"The column “Signal” is read as text: “{word}” is no number."]


@pytest.mark.parametrize("word", ["OVRFLW", "*****", ">4.000", "Masked", "#N/A", "-", ""])
def test_a_word_for_no_number_stays_as_it_is_written_among_numbers(tmp_path, word):
    found, warnings = table(tmp_path, NAMES + "".join(ROWS).replace("7.50", word))

    assert found["rows"][5][1] in (word, None)
    assert found["rows"][6][1] == 8.75
    assert warnings == []


def written(numbers):
    return "Sample;Cells\n" + "".join(f"S{place};{number}\n" for place, number in enumerate(numbers))


def test_a_comma_that_may_be_of_thousands_is_told(tmp_path):
    _, warnings = table(tmp_path, written(["63,000", "70,100", "77,200", "84,300", "91,400"]))

    assert len(warnings) == 1
    assert warnings[0].startswith("Whether “63,000” has decimals or thousands behind its comma")


@pytest.mark.parametrize(
    ("numbers", "first"),
    [(["0,063", "70,100", "77,200", "84,300"], 0.063), (["63,000", "70,100", "1,977,200", "84,300"], 63000)],
)
def test_what_other_numbers_tell_of_the_comma_is_believed(tmp_path, numbers, first):
    found, warnings = table(tmp_path, written([*numbers, "5"]))

    assert found["rows"][0][1] == first
    assert warnings == []
