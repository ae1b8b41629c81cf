"""Rows of a text that lost cells together, became one, stand twice or elsewhere; words among their numbers."""

import pytest

from processing.doubts.texts import list_text_doubts

ROWS = [f"{30 * number},{20 + number * 0.15:.2f},{101.2 - number * 0.02:.2f},{number}" for number in range(1, 25)]
TABLE = "\n".join(["Time,Temperature,Pressure,Count", *ROWS]) + "\n"
PLATE = "\t".join(["", *map(str, range(1, 13))]) + "\n"
PLATE += "".join(f"{row}\t" + "\t".join(f"0.{ord(row)}{n}" for n in range(10, 22)) + "\n" for row in "ABCDEFGH")
BLOCKS = "".join(
    f"Block {n}\nWell,Value\n" + "".join(f"A{m},{n}.{m}5\n" for m in range(1, 7)) + "\n" for n in (7, 8, 9)
)


def lose_cells(text, *lines):
    rows = text.split("\n")
    for line in lines:
        first, _, rest = rows[line].partition(",")
        rows[line] = f"{first},{rest.partition(',')[2]}"
    return "\n".join(rows)


def swap(text, one, other):
    rows = text.split("\n")
    rows[one], rows[other] = rows[other], rows[one]
    return "\n".join(rows)


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        (lose_cells(TABLE, 7, 8, 9), "Lines 8 to 10 have 3 cells"),
        (lose_cells(TABLE, 23, 24), "fewer cells"),
        (TABLE.replace(ROWS[4] + "\n", ROWS[4] + "," , 1), "unlike those around it"),
        (TABLE.replace(ROWS[4] + "\n", ROWS[4] + "\n" + ROWS[4] + "\n", 1), "are the same"),
        (swap(TABLE, 5, 15), "have changed places"),
        (swap(PLATE, 2, 6), "Line 3 is out of order"),
        (TABLE.replace("100.96", "error"), "“error” in line 13 stands in the place of a number"),
        (PLATE.replace("0.6716", "error"), "“error” in line 4 stands in the place of a number"),
        (PLATE.replace("\t7\t8\t9\t10\t11\t12\n", "\n"), "names 6 columns of a plate with more"),
        (BLOCKS[: -len("A5,9.55\nA6,9.65\n\n")], "Its last table has 4 rows"),
    ],
)  # fmt: skip
def test_rows_that_are_not_as_those_around_them_are_told(tmp_path, damaged, said):
    path = tmp_path / "export.csv"
    path.write_text(damaged)

    assert said in " ".join(list_text_doubts(path))


@pytest.mark.parametrize(
    "whole",
    [TABLE, PLATE, BLOCKS, TABLE.replace("100.96", "OVRFLW"), TABLE.replace(",101.18", ","), "a,b,c\n" + "0,0,0\n" * 9],
)
def test_nothing_is_said_of_whole_rows(tmp_path, whole):
    path = tmp_path / "export.csv"
    path.write_text(whole)

    assert list(list_text_doubts(path)) == []
