"""How names and sentences are written on pages."""

import pytest

from dashboard.templatetags.words import breakable


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("2026_refold/raw/t045.jdx", ["2026_", "refold/", "raw/", "t045.", "jdx"]),
        ("from 0.45 to 1.5 mg", ["from 0.45 to 1.5 mg"]),
        ("plate_1.csv", ["plate_", "1.", "csv"]),
        ("a__b//c", ["a__", "b//", "c"]),
    ],
)
def test_a_name_ends_its_lines_behind_separators_and_not_within_a_number(name, lines):
    assert breakable(name) == "<wbr>".join(lines)
