"""Rows of other widths, names below their rows, lines of another row, bases and pixels that stand alone."""

import numpy as np
import pytest

from processing.doubts.curves import has_hole
from processing.doubts.texts import list_text_doubts
from processing.processors.columns import reader as columns
from processing.processors.image.pixels import list_pixel_doubts
from processing.processors.sequencing import assemblies, fastq
from tests.processing.here import read_here

HEAD = "\t" + "\t".join(map(str, range(1, 13))) + "\n"
SERIES = ["Time,T,A1,A2,B1\n", *(f"0:{n}:00,37.{n * 7 % 10},0.{n}11,0.{n}12,0.{n}13\n" for n in range(10, 40))]
LABELS = ("Alpha", "Blank Alpha", "Log Alpha")


def lettered(letter):
    """A row of a plate with three lines."""
    numbers = "\t".join(f"{ord(letter) * 31 + n}" for n in range(12))
    return [f"{letter if n == 0 else ''}\t{numbers}\t{label}\n" for n, label in enumerate(LABELS)]


PLATE = ["Results\n", HEAD, *(line for letter in "ABCDEFGH" for line in lettered(letter))]
GRID = ["x;" + ";".join(map(str, range(1, 13))) + "\n"] + [
    f"{letter};" + ";".join(f"{ord(letter)}.{n}1" for n in range(10, 22)) + "\n" for letter in "ABCDEFGHIJKLMNOP"
]
GROUPS = ["Name,Well,Conc,Count\n"] + [
    line
    for n, group in enumerate(("Group 1", "Group 2"), 1)
    for line in (f"{group} (3),,{n}.5,9\n", *(f"{group},{well}{n},{n}.25,7\n" for well in "ABC"))
]


def told(lines, folder):
    path = folder / "export.csv"
    path.write_text("".join(lines))
    return " ".join(list_text_doubts(path))


def change(lines, changes):
    return [changes.get(number, line) for number, line in enumerate(lines)]


def swap(lines, one, other):
    return change(lines, {one: lines[other], other: lines[one]})


@pytest.mark.parametrize("lines", [SERIES, PLATE, GRID, GROUPS])
def test_nothing_is_said_of_whole_ones(lines, tmp_path):
    assert told(lines, tmp_path) == ""


@pytest.mark.parametrize("lines", [[*SERIES[:15], "0:25:00,door opened,,,\n", *SERIES[16:]], [*SERIES, "\n", *SERIES]])
def test_a_note_among_rows_and_a_second_table_are_none_of_them(lines, tmp_path):
    assert "have other numbers of cells" not in told(lines, tmp_path)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            change(
                SERIES,
                {
                    14: "0:23:00,37.1,0.2311,,0.2312,0.2313\n",
                    15: "0:24:00,37.8,0.2411,,0.2412,0.2413\n",
                    16: "0:25:00,0.2511,0.2512,0.2513\n",
                    17: "0:26:00,37.2,,0.2611,0.2612,0.2613\n",
                },
            ),
            "Lines 15 to 18 have other numbers of cells than those above and below",
        ),
        (swap(SERIES, 0, 1), "The names of the table in line 2 stand below its first row"),
        (swap(PLATE, 4, 5), "Lines of the plate near line 5 belong to another row"),
        (swap(GRID, 1, 9), "Line 2 is out of order among those around it"),
        (change(GROUPS, {1: ""}), "“Group 1” in line 2 has no row above it that counts it"),
    ],
)
def test_what_moved_is_told(lines, said, tmp_path):
    assert said in told(lines, tmp_path)


def test_a_table_of_words_and_numbers_without_names_is_told(tmp_path):
    rows = "".join(f"Sample {n},P1,OD,{n}.5,{n}.25,{n % 3},ok\n" for n in range(1, 9))
    spectra = "Name,Plate,Kind,350,351,352\n" + "".join(f"S{n},P1,OD,0.{n}3,0.{n}2,0.{n}1\n" for n in range(1, 9))
    whole, bare, numbers, steps = (
        read_here(columns.read, tmp_path / "export.csv", text).warnings
        for text in (
            f"Name,Plate,Kind,First,Second,Third,State\n{rows}",
            rows,
            "1.5,2.5,3.5,4.5,5.5,6.5\n" * 9,
            spectra,
        )
    )

    assert ([*whole], [*numbers], [*steps]) == ([], [], [])
    assert list(bare) == ["No line names the columns of the table in line 1: it may be missing."]


def phd(places):
    calls = "".join(f"a 20 {place}\n" for place in places)
    return (
        "BEGIN_SEQUENCE one\n\nBEGIN_COMMENT\n\nCHROMAT_FILE: one.ab1\n\nEND_COMMENT\n\n"
        f"BEGIN_DNA\n{calls}END_DNA\n\nEND_SEQUENCE\n"
    )


def test_bases_that_are_missing_among_all_others_are_told(tmp_path):
    places = [12 * n + n % 3 for n in range(1, 60)]
    whole, cut, sparse = (
        read_here(assemblies.read_phd, tmp_path / "one.phd", phd(chosen)).warnings
        for chosen in (places, [*places[:30], *places[39:]], [*places[:20], *places[24:40], *places[43:]])
    )

    assert (list(whole), list(sparse)) == ([], [])
    assert list(cut) == ["One base alone is called far behind the one above it: lines may be missing."]


def test_one_quality_far_above_all_others_is_told(tmp_path):
    plain = "@one\nACGTACGTAC\n+\n&0;;+:5;;9\n"
    whole, odd = (
        read_here(fastq.read, tmp_path / "one.fastq", text).warnings for text in (plain, plain.replace("5", "s"))
    )

    assert [*whole] == []
    assert list(odd) == ["One base alone has the quality 82, and all others 26 at most: the file may be damaged."]


def test_pixels_far_beyond_all_others_are_told_in_one_line_only():
    picture = np.full((40, 100), 900, "u2") + np.arange(100, dtype="u2")
    line, bead, hot = picture.copy(), picture.copy(), picture.copy()
    line.reshape(-1)[1_230:1_246] = np.arange(16, dtype="u2") * 4_001
    bead[12:15, 30:34] = 40_000
    hot[12, 30] = 40_000

    assert list_pixel_doubts(line) == [
        "A few pixels side by side are far beyond all others of their picture: the file may be damaged."
    ]
    assert [list_pixel_doubts(one) for one in (picture, bead, hot)] == [[], [], []]


def test_zeros_within_a_spectrum_brought_to_1_are_told():
    heights = [0.015 if 30 < n < 70 else 0.505 + 0.001 * n for n in range(100)]
    heights[90] = 1.0

    assert has_hole([*heights[:40], *[0.0] * 20, *heights[60:]])
    assert not has_hole(heights)
