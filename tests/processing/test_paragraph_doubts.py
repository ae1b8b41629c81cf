"""Parts of a text between empty lines, lists that begin anew, paths, and documents with one margin: one is odd."""

import json

import pytest

from processing.doubts.markup import list_markup_doubts
from processing.doubts.texts import list_text_doubts
from processing.processors.mass_spectrometry import peak_lists
from tests.processing.here import read_here

WELLS = [f"{letter}{number}" for letter in "ABCDEFGH" for number in range(1, 13)]


def told(text, folder, name="export.txt"):
    path = folder / name
    path.write_text(text)
    return " ".join([*list_text_doubts(path), *list_markup_doubts(path)])


def spots(letters="ABCDEF", lost=""):
    lines = ["Data of a plate", "  \t1\t2\t3"]
    for letter in letters:
        rows = [f"{mark} \t {ord(letter)}{n}3 \t {n}17 \t 1{n}9" for n, mark in enumerate((letter, " ", " ", " "))]
        lines += [*(rows[:-1] if letter == lost else rows), ""]
    return "\n".join([*lines, "Comments\t", "The end\t"])


def blocks(names="ABC", bare=""):
    return "\n".join(
        line
        for name in names
        for line in (
            "Blck 243" if name == bare else f"Block {name}",
            *([] if name == bare else ["Well,Value"]),
            *(f"{name}{n},0.{n}{ord(name)}" for n in range(1, 5)),
            "",
        )
    )


def counted(count=96, values="7"):
    plate = "\n".join(["\t" + "\t".join(map(str, range(1, 13))), *("\t".join([x, *[values] * 12]) for x in "ABCDEFGH")])
    listed = "\n".join(f"{well}\t{n}\t0\t1" for n, well in enumerate(WELLS[:count]))
    return f"Layout\n{plate}\n\nSpots\n{plate}\n\nHistogram\nWell\tCount\tSmall\tLarge\n{listed}\n"


def cycles(lengths, starts):
    rows = [(well, n) for well, (start, end) in enumerate(zip(starts, lengths, strict=True)) for n in range(start, end)]
    return "Well\tCycle\tTarget\tRn\n" + "".join(f"{well + 1}\t{n}\tRNaseP\t0.{n}{well}1\n" for well, n in rows)


def paths(end=".xpt"):
    folder = "C:\\Data\\Of Ann\\"
    return f"Experiment File Path:\t{folder}One{end}\nProtocol File Path:\t{folder}Two.prt\n\nPlate\t1\n"


def facts(wide=False):
    rows = [f"Name {n};{n}.5;" for n in range(9)]
    return "\n".join([*rows[:1], "Operator;Ann;1.14;" if wide else "Operator;Ann;", *rows[1:]]) + "\n"


LISTED = "Name;Value\n" + "".join(f"GLC{n};  0.{n}7086\n" for n in range(10, 20))
PEAKS = "<Run>\n" + "".join(f"  <Peak>\n    <Size>{n}</Size>\n    <Area>0.{n}</Area>\n  </Peak>\n" for n in range(20))
SCANS = "S\t1\t1\nI\tRTime\t0.9\n" + "".join(f"82.{n}1 {n}.5\n" for n in range(10, 20))


@pytest.mark.parametrize(
    "text",
    [
        spots(),
        blocks(),
        blocks() + "\nRemarks,of Ann\nB1,0.5\n",
        counted(),
        counted(count=48, values=""),  # a plan, and what was measured of it
        cycles([41] * 6, [1] * 6),
        cycles([4, 4, 3, 4, 4, 4], [1] * 6),  # replicates
        cycles([4] * 6, [1, 1, 2, 1, 1, 1]),
        paths(),
        paths("").replace("Two.prt", "Two"),
        facts(),
        LISTED,
        f"{PEAKS}</Run>\n",
        f"{PEAKS}</Run>\n".replace("  ", "").replace("<Size>7<", "  <Size>7<"),
    ],
)
def test_whole_ones_say_nothing(text, tmp_path):
    assert told(text, tmp_path) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (spots(lost="C"), "Row C in line 13 has 3 lines"),
        (spots("ABCD")[:-40], "Row D in line 18 has 3 lines"),
        (spots(lost="A"), "Row A in line 3 has 3 lines"),
        (blocks(bare="C"), "has no names above it"),
        (counted(count=48), "ends with well 48 of 96"),
        (cycles([41] * 6, [1, 1, 2, 1, 1, 1]), "2 follows 40"),
        (cycles([41, 41, 40, 41, 41, 41], [1] * 6), "1 follows 39"),
        (cycles([4] * 8, [1, 1, 2, 1, 1, 1, 1, 1]), "2 follows 3"),
        (paths(""), "The path in line 1 ends with “One”"),
        (facts(wide=True), "Line 2 has 4 cells"),
        (LISTED.replace("0.137086\nGLC14;  0.14", "0.13  0.14"), "look like broken numbers"),
        (
            f"{PEAKS}</Run>\n".replace("    <Size>7</Size>\n ", " ", 1).replace("    <Area>0.7", "     <Area>0.7"),
            "margin",
        ),
    ],
)
def test_the_odd_one_is_told(text, said, tmp_path):
    assert said in told(text, tmp_path)


@pytest.mark.parametrize("moved", [True, False])
def test_masses_of_a_scan_that_went_back_are_told(moved, tmp_path):
    text = SCANS.replace("82.131 ", "82.191 ") if moved else SCANS

    found = read_here(peak_lists.read_ms1, tmp_path / "a.ms1", text.encode())

    assert any("out of order" in said for said in found.warnings) == moved
    assert json.loads(found.artefacts[0].data)


def test_qualities_of_bases_between_their_names_are_no_rows_of_a_table(tmp_path):
    text = "".join(f">ID{n} d\n" + 3 * ("30 " * 20 + "\n") for n in range(4))

    assert told(text, tmp_path, "a.qual") == ""
