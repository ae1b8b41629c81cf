"""Tables and lists of one text that are alike, but for one; plates that lost the numbers of their columns."""

import pytest

from processing.doubts.texts import list_text_doubts
from processing.doubts.widths import Widths

ROWS = "ABCDEFGH"
NUMBERS = list(range(1, 13))


def block(name, rows=6):
    return (
        f"Block {name}\nWell,Value,Unit\n"
        + "".join(f'"{n}(1,A{n})",1.{n}{name},AU\n' for n in range(1, rows + 1))
        + "\n"
    )


def listed(skipped=()):
    wells = (f"{row}{number}" for row in ROWS for number in NUMBERS)
    return "".join(f"{n}\t{well}\tS{n}\tx\n" for n, well in enumerate(wells, 1) if well not in skipped)


def planned(skipped=(), left_out=()):
    return f"Number\tWell\tSample\tKind\n{listed(skipped)}\nNumber\tWell\tFound\tKind\n{listed(left_out)}\n"


def plate(letters=ROWS, *, delimiter=",", has_numbers=True):
    head = [delimiter.join(["", *map(str, NUMBERS)])] if has_numbers else []
    lines = [delimiter.join([letter, *(f"{n}.5{place}" for n in NUMBERS)]) for place, letter in enumerate(letters)]
    return "\n".join([*head, *lines]) + "\n\n"


SECTIONS = "Export of Ann\n" + "".join(f"[Part {n}]\nWell\tName\tUnit\n1\tS1\tAU\n2\tS2\tAU\n\n" for n in "abcd")
LIST = "".join(f"S{n},{n}1.25,{n}2.5,3{n}.75,9{n}8,{n}\n" for n in range(10, 30))
SPOTS = plate(delimiter=" ")


def told(text, folder):
    path = folder / "export.csv"
    path.write_text(text)
    return " ".join(list_text_doubts(path))


@pytest.mark.parametrize(
    "text",
    [
        block(1) + block(2) + block(3),
        block(1) + block(2, 4),  # none of two is odd
        block(1) + block(2, 4) + block(3, 5),
        planned(),
        planned(left_out=("C5",)),  # what was found is less than was planned
        planned(skipped=("C5", "F7")),
        plate() + plate(),
        plate() + "Layout\n" + plate().replace(".5", ""),
        SECTIONS,
        LIST,
        SPOTS,
    ],
)
def test_what_is_alike_is_not_doubted(text, tmp_path):
    assert told(text, tmp_path) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (block(1) + block(2, 4) + block(3), "The table in line 11 has 4 rows, and all 2 others"),
        (block(1, 7) + block(2) + block(3), "The table in line 2 has 7 rows, and all 2 others"),
        (planned(skipped=("C5",)), "lacks C5, which all others of this file have"),
        (planned(skipped=("C5", "C6")), "lacks C5, C6, which"),
        (plate() + "Second\n" + plate(has_numbers=False), "has no numbers of columns above it"),
        (SPOTS.replace(SPOTS.split("\n")[4] + "\n", ""), "Of the plate in line 1 row"),
        (SECTIONS.replace("[Part b]\n", ""), "has no name above it, as all others have"),
        (LIST + LIST.splitlines(keepends=True)[5], "Line 21 is the same as line 6"),
    ],
)
def test_what_is_unlike_its_siblings_is_told(text, said, tmp_path):
    assert said in told(text, tmp_path)


def test_the_first_two_rows_in_one_line_are_told():
    rows = ["Name,A,B", "S1,1.5,2.5S2,3.5,4.5", "S3,1.5,2.5", "S4,1.5,2.5", "S5,1.5,2.5", ""]

    assert Widths(rows, [3, 5, 3, 3, 3, 1], ",").find_joined_row() == 1


@pytest.mark.parametrize(
    ("last", "odd"),
    [
        ("A4,1.5,2.5,3.5", 4),  # the name is gone
        ("A4,delta,1.5,2.5", None),  # the last number is
        ("A4,delta,,1.5", None),
    ],
)
def test_a_cell_lost_in_the_middle_of_the_last_row_is_told(last, odd):
    rows = ["Well,Name,A,B,C", *(f"A{n},{name},1.5,2.5,3.5" for n, name in enumerate(("alpha", "bravo", "charlie")))]

    assert Widths([*rows, last], [5, 5, 5, 5, 4], ",").find_shifted_row() == odd
