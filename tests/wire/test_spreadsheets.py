import pytest

from wire.spreadsheets import to_cell


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+cmd|' /C calc'!A0", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-", "-1.5.5", "--1", "+1 (2)",
     "\uff1d1+1", "\uff20SUM(A1)"],
)  # fmt: skip
def test_text_that_a_spreadsheet_would_run_is_marked_as_text(text):
    assert to_cell(text) == f"'{text}"


@pytest.mark.parametrize("value", ["-1.5", "+3", "-1,5", "-2e-7", "1=1", "a-b", "", " =1", -1.5, 0, None, True])
def test_numbers_and_plain_text_stay_as_they_are(value):
    assert to_cell(value) == value
