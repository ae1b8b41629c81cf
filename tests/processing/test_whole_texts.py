"""Whole texts as instruments and people write them, of which no damage is told, beside what is told of damaged ones."""

import json
import timeit
from time import process_time

import openpyxl
import pytest

from processing.confined.job import paused_collector
from processing.doubts.curves import list_doubts
from processing.doubts.endings import list_ending_doubts
from processing.doubts.texts import list_text_doubts
from processing.formats.curve import Axis, Curve, Series
from processing.processors.columns.reader import read
from processing.readings import Kind
from tests.processing.here import read_here
from tests.processing.reading import read as read_in_child

NUMBERS = list(range(1, 13))
PLATE = "\t" + "\t".join(map(str, NUMBERS)) + "\n"
TIMES = [*range(0, 600, 30), *range(640, 1240, 30)]  # a pause of 40 s
SAMPLES = "Sample;Weight (g)\n" + "".join(f"S{n};0.{n}57\n" for n in range(1, 9))
DILUTED = "Name,Dilution,Result\n" + "".join(f"S{n},{n}0,0.{n}3\n" for n in range(1, 9))
KINETIC = "Time;T;A1;A2\n" + "".join(f"{30 * n};37.{n % 2};1.{n}11;1.{n}52\n" for n in range(10, 20))
SCAN = "".join(f"{n / 10:8.4f}{n / 7:10.4f}{n / 3:10.4f}\n" for n in range(1, 12))
QC = "Well\tSpots\tArea\tKind\r\n" + "".join(f"A{n}\t{n}7\t{n}.5\tx\r\n" for n in range(1, 5))
LEFT_OUT = "Name;Pos.;Dilution;Comment;Flag\n" + "".join(f"S{n};{n};10{';;!' if n % 4 else ''}\n" for n in range(1, 20))
UNEVEN = "Name,A,B,C,D\n" + "".join(f"S{n},1.5,2.{n},9.{n}{',3.5' if n * n % 7 > 1 else ''}\n" for n in range(10, 90))
SPACED = "".join(f"{n}.0 {n}.5 {n}.25 {n}.7\n" for n in range(10, 20))
AREAS = "Sample\tArea\n" + "".join(f"P{n}\t{n}57\n" for n in range(1, 9))


def rows(letters):
    return "".join(f"{letter}\t" + "\t".join(f"{n}.5" for n in NUMBERS) + "\n" for letter in letters)


def peaks(name, count, numbers=True):
    found = "".join(f"{n if numbers else f'P{n}'}\t{n}.25\tx\n" for n in range(1, count + 1))
    return f"Sample {name}\nPeak\tArea\tUnit\n{found}\n"


def told(text, folder):
    path = folder / "export.csv"
    path.write_bytes(text.encode())
    return " ".join(list_text_doubts(path, []))


@pytest.mark.parametrize(
    "text",
    [
        "Sample;Weight",
        "Sample;Weight\n",
        SAMPLES.replace("\n", "\r"),  # of a Macintosh
        *(SAMPLES + foot for foot in ("---", "Page 1 of 1; printed", "Comment;tare 3", "Comment;S3 was wet")),
        *(KINETIC + foot for foot in ("Comment;well A3 had a bubble", "Printed 2024-03-05", "---", ";;;")),
        PLATE + rows("ABC") + "Stand: 05.03.2024   Seite 1/1",
        PLATE + rows("ABC") + "\n\n",  # a part of a plate, and an end
        PLATE + rows("ACEG"),  # every second row
        DILUTED.replace(",30,", ",1:10,"),
        DILUTED.replace(",50,", ",3/8,"),
        "Time,A1\n" + "".join(f"{time},0.{time}\n" for time in TIMES),
        "Sample 1  run 2\n\n" + "       x         y\n" + "".join(f"{line[:18]}\n" for line in SCAN.splitlines()),
        "Sample 1  run 2\n\n" + SCAN,
        "".join(peaks(name, count) for name, count in zip("ABCD", (5, 3, 5, 5), strict=True)),
        "".join(peaks(name, count) for name, count in zip("ABC", (5, 5, 3), strict=True)),
        peaks("A", 5) + peaks("B", 0) + peaks("C", 5),
        (peaks("A", 5) + peaks("B", 0) + peaks("C", 5)).replace("Unit\n\n", "Unit\nNo peaks found\n\n"),
        QC + "Note\tx\t\t\r\n\tInterp\t\t\r\n\tInterp\t\t",
        QC.replace("\r\n", "\r") + 'Disk\t5"\t5.25\tx\r' * 3 + "Made by Ann",
        LEFT_OUT,
        UNEVEN,
        SPACED + "Checked: J. Doe",
        AREAS.replace("557", "1’557"),  # noqa: RUF001  # Swiss thousands
        AREAS.replace("557", "1'557"),
    ],
)
def test_whole_texts_are_not_doubted(text, tmp_path):
    assert told(text, tmp_path) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SAMPLES.replace("\n", "\r") + "S9", "Its last line is shorter than those before it"),
        (KINETIC + "600;37", "Its last line is shorter"),
        (KINETIC + "600;37.0;1.", "Its last line is shorter"),
        (SAMPLES + "S", "Its last line is shorter"),
        (PLATE + rows("ABC"), "no rows behind C"),
        (DILUTED.replace("0.53", "0/53"), "“0/53” in line 6"),
        (DILUTED.replace(",30,", ",300,").replace(",40,", ",4:0,").replace(",50,", ",500,"), "“4:0” in line 5"),
        ("Time,A1\n" + "".join(f"{30 * n},0.{n}\n" for n in range(40) if n not in (20, 21)), "660 follows 570"),
        ("".join(peaks(n, count, numbers=False) for n, count in zip("ABC", (5, 3, 5), strict=True)), "has 3 rows"),
        (peaks("A", 5) + peaks("B", 5) + "Sample C\nPeak\tArea\tUnit\n", "has 0 rows"),
    ],
)
def test_damaged_ones_still_are(text, said, tmp_path):
    assert said in told(text, tmp_path)


def test_a_pause_is_no_gap_in_even_steps_and_two_curves_of_one_title_are_one_sentence():
    def draw(xs):
        return Curve("Scan", Axis("x"), Axis("y"), [Series("A", xs, [1] * len(xs))]).artefact("a.json")

    gap = [*range(30), *range(34, 60)]

    assert list(list_doubts([draw(TIMES)])) == []
    assert len(list(list_doubts([draw(gap), draw(gap)]))) == 1


def test_a_word_below_the_rows_that_are_shown_is_told_and_the_text_read(tmp_path):
    """It was looked for among those, and the file refused."""
    text = "min,mAU\n" + "".join(f"{n / 60:.5f},1.200\n" for n in range(6000)) + "Comment,well A3 had a bubble\n"

    output = read_here(read, tmp_path / "trace.csv", text)

    assert "The column “mAU” is read as text: a cell further below is no number." in output.warnings


def test_a_text_of_one_column_below_facts_with_commas_is_that_column(tmp_path):
    facts = "Device:,M200\nUser:,Ann\nDate:,5.3.2024\nTemperature: 25,1 C\nNote:,a cell, made of glass\n"

    output = read_here(read, tmp_path / "counts.txt", facts + "\nCounts\n" + "0\n7\n" * 500)

    curve = next(json.loads(one.data) for one in output.artefacts if one.kind == Kind.CURVE)
    assert (curve["y"]["label"], len(curve["series"][0]["y"])) == ("Counts", 1_000)
    assert output.warnings == []


def test_ends_of_many_tables_are_looked_at_in_time_that_grows_as_their_number():
    def spend(count):
        lines = "".join(f"Sample {n}\nPeak,Area,Unit\nP1,0.{n},x\nP2,1.{n},x\n\n" for n in range(count)).split("\n")
        widths = [line.count(",") + 1 for line in lines]
        with paused_collector():
            return min(
                timeit.repeat(lambda: list(list_ending_doubts(lines, widths, ",")), timer=process_time, number=1)
            )

    assert spend(16_000) < 30 * spend(2_000)  # eight times as many


def test_a_workbook_is_of_no_vendor_because_a_sheet_is_called_results(tmp_path):
    workbook = openpyxl.Workbook()
    workbook.active.title = "Results"
    for row in [["Sample", "Weight (g)"], *(["S1", 0.5], ["S2", 0.7], ["S3", 0.9])]:
        workbook.active.append(row)
    workbook.save(tmp_path / "weights.xlsx")

    found = read_in_child(tmp_path / "weights.xlsx")

    assert found.warnings == []
    assert not {"degraded", "vendor_candidates"} & found.file.keys()
