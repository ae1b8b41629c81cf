"""Damage of texts that shows in them, whoever read them; and real texts, of which nothing is said."""

from pathlib import Path

import pytest

from processing.doubts.texts import list_text_doubts
from tests.samples.expected import TECHNIQUES

ROWS = [f"{number},{number / 7:.4f},{number / 3:.3f},A{number},ok" for number in range(100, 130)]
TABLE = "Sample,OD,Ratio,Well,Flag\r\n" + "\r\n".join(ROWS) + "\r\n"
IN_PLACE = "“{}” in line {} stands in the place of a number: those around it are numbers."
REAL = [path for path in TECHNIQUES.parent.rglob("*.*") if path.is_file()] if TECHNIQUES.exists() else []


def doubts(tmp_path: Path, content: str | bytes) -> list[str]:
    path = tmp_path / "export.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(list_text_doubts(path))


def test_nothing_is_said_of_a_whole_text_with_or_without_an_end(tmp_path):
    assert doubts(tmp_path, TABLE) == []
    assert doubts(tmp_path, TABLE.removesuffix("\r\n")) == []
    assert doubts(tmp_path, TABLE.encode("utf-16")) == []
    assert doubts(tmp_path, TABLE.replace("OD", "Größe in µm²").encode("cp1252")) == []


@pytest.mark.parametrize(
    ("whole", "damaged"),
    [("105", "10\x005"), ("A105", "A1\x0e05"), ("106", "10\x90"), ("15.1429", "15.1\u20742\u0074")],
)
def test_characters_that_stand_in_no_text_are_told(tmp_path, whole, damaged):
    (said, *_) = doubts(tmp_path, TABLE.replace(whole, damaged, 1))

    assert said.startswith("It holds characters that stand in no text (")


def test_bytes_of_another_encoding_are_told(tmp_path):
    assert doubts(tmp_path, TABLE.replace("OD", "Größe").encode().replace(b"110,15", b"110\xac15"))
    assert doubts(tmp_path, TABLE.encode().replace(b"15.7143", b"15.\xb7143"))
    assert doubts(tmp_path, TABLE.encode("utf-16-le").join([b"\xff\xfe", b""]).replace(b"O\0D\0", b"O\0D\x44"))


@pytest.mark.parametrize("broken", ["15.7p43", "1u.7143", "15n7143", "15..143", "15.714s", "-p.7143"])
def test_a_broken_number_among_numbers_is_told_with_its_place(tmp_path, broken):
    said = doubts(tmp_path, TABLE.replace("15.7143", broken))

    assert said == [f"1 cells look like broken numbers (“{broken}” in line 12): the file may be damaged."]


@pytest.mark.parametrize(
    "flagged", ["<15.714", "15.714*", "15.7 %", "OVRFLW", "", "-", "2022-03-04", '"1,234.5"', "12:30:15", "1e-05"]
)
def test_what_people_write_among_numbers_is_not_broken(tmp_path, flagged):
    assert doubts(tmp_path, TABLE.replace("15.7143", flagged)) == []


@pytest.mark.parametrize("damaged", [TABLE.replace(",36.667", ""), TABLE.replace("\r\n110,", "110,")])
def test_a_row_that_lost_or_won_cells_is_told(tmp_path, damaged):
    (said,) = doubts(tmp_path, damaged)

    assert "cells, unlike those around it" in said


@pytest.mark.parametrize("end", [TABLE[:-12], TABLE[: TABLE.rindex("A129")]])
def test_an_end_in_the_middle_of_a_row_is_told(tmp_path, end):
    assert doubts(tmp_path, end) == [
        "Its last line is shorter than those before it and has no end: the file may be cut off."
    ]


CYCLES = "Cycle,Well,Rn\r\n" + "".join(
    f"{cycle},A{name},{cycle / 7:.3f}\r\n" for name in "xy" for cycle in range(1, 41)
)
PLATE = "".join(f"{letter},{','.join(f'0.{letter_code}{place}' for place in range(12))}\r\n"
                for letter_code, letter in enumerate("ABCDEFGH"))  # fmt: skip


@pytest.mark.parametrize(
    ("whole", "lost", "said"),
    [(CYCLES, ["17,Ax,2.429", "18,Ax,2.571"], "19 follows 16"), (PLATE, ["D,"], "Row E follows row C")],
)
def test_lines_that_are_gone_from_those_that_are_counted_are_told(tmp_path, whole, lost, said):
    kept = [line for line in whole.splitlines(keepends=True) if not line.startswith(tuple(lost))]

    assert doubts(tmp_path, whole) == []
    (told,) = doubts(tmp_path, "".join(kept))
    assert told.startswith(said)


SCAN = "Wavelength,A\n" + "".join(f"{200 + 2 * place},{place / 7:.4f}\n" for place in range(60))
CLOCKED = "Time,OD,pH\n" + "".join(f"{12 + place // 4:02}:{place % 4 * 15:02}:00,0.1,7\n" for place in range(40))
VALUES = "".join(f";0.{place:03}" for place in range(24))
GRID = ";".join(["", *map(str, range(1, 25))]) + "\n" + "".join(f"{letter}{VALUES}\n" for letter in "ABCDEFGHIJKLMNOP")


@pytest.mark.parametrize(
    ("whole", "piece", "instead", "said"),
    [
        (SCAN, "240,2.8571", "2.8571", "Line 22 is no row like those around it"),
        (SCAN, "240,2.8571", "240$2.8571", "Line 22 is no row like those around it"),
        (SCAN, "302,7.2857\n", "", "304 follows 300"),
        (SCAN, "302,7.2857", "3022,7.2857", "3022 follows 300"),
        (SCAN, ",8.4286\n", ",8.4\n", ""),
        (SCAN[:-1], ",8.4286", ",8.4", "Its last line is shorter"),
        (CLOCKED, "15:15:00,0.1,7\n15:30:00,0.1,7\n", "", "15:45:00 follows 15:00:00"),
        (GRID, "0.023\nO;0.000;0.001", "0.001", "Line 15 has 47 cells"),
        (GRID, "\nO;0.000;0.001;", ";", "Line 15 has 47 cells"),
    ],
)
def test_what_breaks_the_order_of_rows_is_told(tmp_path, whole, piece, instead, said):
    place = whole.rindex(piece)

    assert doubts(tmp_path, whole) == []
    told = doubts(tmp_path, whole[:place] + instead + whole[place + len(piece) :])
    assert [text.startswith(said) for text in told] == [True] * bool(said)


@pytest.mark.parametrize(
    "text",
    [
        "Point,A\n" + "1,0.5\n2,0.5\n3,0.5\n" * 9,
        SCAN + "\n" + SCAN,
        SCAN + "60\n" + SCAN.partition("\n")[2],
        CLOCKED.replace("Time,OD,pH\n", "")
        + "".join(f"{hour % 24:02}:{minute:02}:00,0.1,7\n" for hour in range(22, 30) for minute in (0, 15, 30, 45)),
        "t,A\n" + "".join(f"{place},1\n" for place in (*range(13), 24, 48, 96)),
    ],
)
def test_blocks_midnights_and_uneven_steps_are_no_damage(tmp_path, text):
    assert doubts(tmp_path, text) == []


LINES = [f"{letter}\t" + "0.1\t" * 12 + "450" + "\r\n" + "\t" + "9\t" * 12 + "Conc" for letter in "ABCDEFGH"]
MATRIX = "\t" + "\t".join(map(str, range(1, 13))) + "\r\n" + "\r\n".join(LINES) + "\r\n"


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        (MATRIX.replace(LINES[3] + "\r\n", ""), "Row E follows row C"),
        (MATRIX.replace(LINES[3], LINES[3].partition("\r")[0]), "Of row D there are not 2 lines"),
        (
            "Name,,,,,,\t".replace(",", "\t") + "\t" * 6 + "\r\n" + MATRIX.replace(LINES[3] + "\r\n", ""),
            "Row E follows",
        ),
        (MATRIX.partition("G\t")[0], "The plate at its end has no rows behind F"),
        (MATRIX.replace("D\t0.1\t", "D\t"), "Line 8 has 13 cells"),
    ],
)
def test_a_plate_that_lacks_rows_or_lines_is_told(tmp_path, damaged, said):
    assert doubts(tmp_path, MATRIX) == []
    assert any(text.startswith(said) for text in doubts(tmp_path, damaged))


def test_wells_that_people_leave_empty_are_not_missed(tmp_path):
    rows = [f"{number},{'ABCDEFGH'[number // 12]}{number % 12 + 1},0.5\r\n" for number in range(96) if number != 40]

    assert doubts(tmp_path, "".join(rows)) == []


def test_a_page_of_html_and_a_wide_first_row_that_break_off_are_told(tmp_path):
    page = "<html><body><table><tr><td>1</td></tr></table></body></html>\n"
    wide = "nm\t" + "\t".join(f"A{place}" for place in range(40)) + "\n"

    assert doubts(tmp_path, page) == []
    assert doubts(tmp_path, page[:40]) == ["It is a page of HTML without an end: the file may be cut off."]
    assert doubts(tmp_path, wide + "300" + "\t0.005" * 40) == []
    assert len(doubts(tmp_path, wide + "300" + "\t0.005" * 12)) == 1
    assert len(doubts(tmp_path, TABLE + 'Note,"Plate\r\n')) == 1


def test_a_text_whose_beginning_was_overwritten_is_still_one(tmp_path):
    assert doubts(tmp_path, b"A\xf4\x7f\x05\x06\x02\xca\x81" + TABLE.encode()[8:]) != []


@pytest.mark.skipif(not REAL, reason="the real files lie beside the checkout of the developers only")
def test_nothing_is_said_of_real_files():
    said = {path.name: said for path in REAL if (said := list(list_text_doubts(path)))}

    assert said == {"Beckman_Vi-Cell-BLU_example01.csv": [IN_PLACE.format("ERROR", 8)]}  # which is so


HEADED = "Name\tvalue\tunit\tnote\n" * 3 + "Object Size\n" + MATRIX + "\nObject Area\n" + MATRIX
FIXED = "Well\tConc\tSignal\n" + "".join(f"A{place}\t{place * 50}.000\t{1500 + 37 * place}\n" for place in range(1, 9))
NAMED = "Block 1: A\nWell,Value\nA1,0.5\nA2,0.7\n\nBlock 2: B\nWell,Value\nA1,0.5\n"


@pytest.mark.parametrize(
    ("whole", "old", "new", "said"),
    [
        (MATRIX, LINES[7], "H\t0.1\t0.1\t0.1ature:\t450\r\n\t9", "Row H of the plate in line 1 has 4 cells for 12"),
        (MATRIX, "\t".join(map(str, range(1, 9))), "Height: 8 m", "The numbers of columns in line 1 do not begin"),
        (FIXED, "100.000\t1574\nA3\t150.000", "1", "“1” in line 3 has no decimals"),
    ],
)
def test_pieces_that_are_gone_from_plates_and_columns_are_told(tmp_path, whole, old, new, said):
    place = whole.rindex(old)

    assert doubts(tmp_path, whole) == []
    told = doubts(tmp_path, whole[:place] + new + whole[place + len(old) :])
    assert any(text.startswith(said) for text in told)


DECIMALS = "Well,OD\n" + "".join(f"A{place},0.{place}{place % 5}\n" for place in range(1, 9))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (NAMED.removesuffix("ue\nA1,0.5\n"), "Its last line is the beginning of one that stands above"),
        ("Sample,500 nm,600 nm\nx, 0.027, 0.", "Its last number has a point and nothing behind it"),
        ("Well,OD,Role\nA1,0.5,Blank\nA2,0.7,Blan", "Its last word is the beginning of one that stands above"),
        (DECIMALS + "A9,0.2", "Its last number has fewer decimals than those above it"),
        (TABLE + "130,18.5714,43.333\n", "Its last row has fewer cells than those before it"),
        (HEADED + "\nObject Perimeter\n", "It ends with the heading “Object Perimeter” and nothing below"),
    ],
)
def test_a_text_that_ends_in_the_middle_of_something_is_told(tmp_path, text, said):
    (told,) = doubts(tmp_path, text)

    assert told.startswith(said)


@pytest.mark.parametrize(
    "text",
    [
        TABLE + "Mean,17.1\n",
        "Well,OD,Sample\nA1,0.5,Mix 2\nA2,0.7,Mix",
        DECIMALS + "A9,0.20",
        DECIMALS.replace("0.50", "0.5") + "A9,0.2",
        HEADED + "\nExported by Ann\n",
        "\n".join([MATRIX.split("\n")[0], *(f"{letter}{LINES[0][1:]}" for letter in "AEIM")]),  # every fourth row
        FIXED.replace("A1\t50.000", "A1\t0"),
    ],
)
def test_feet_rows_that_were_not_measured_and_zeros_are_no_damage(tmp_path, text):
    assert doubts(tmp_path, text) == []


def test_a_last_number_that_breaks_off_in_a_small_table_is_told(tmp_path):
    table = ",A,B,C,D\n1,3.61,1.45,2.23,3.08\n2,4.10,4.58,3.60,1.67\n3,3.27,1.40,4.99,2.4"

    (said,) = doubts(tmp_path, table)
    assert "has no end" in said
    assert doubts(tmp_path, f"{table}7") == doubts(tmp_path, table.replace("4.58", "4.581")) == []


def test_a_point_that_became_a_slash_in_a_column_of_numbers_is_told(tmp_path):
    rows = [f"2/{day}/2021,S{day},1/{day},{90 + day}.0,{day}.25\n" for day in range(1, 9)]
    table = "Day,Sample,Dilution,Flow,Value\n" + "".join(rows)

    (said, *_) = doubts(tmp_path, table.replace("94.0", "94/0"))
    assert "“94/0” in line 5" in said
    assert doubts(tmp_path, table) == []


def test_a_point_that_became_a_sign_is_told_in_short_numbers_too(tmp_path):
    table = "Sample,Flow,Value\n" + "".join(f"S{n},{n}.5,1{n}.25\n" for n in range(1, 9))

    (said, *_) = doubts(tmp_path, table.replace("4.5", "4$5", 1))
    assert "“4$5” in line 5" in said
