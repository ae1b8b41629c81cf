"""Rows that are missing, moved or joined: lists, plates, names and elements tell; whole ones say nothing."""

import pytest

from processing.doubts.markup import list_markup_doubts
from processing.doubts.texts import list_text_doubts
from processing.processors import microarray
from processing.processors.jcamp.reader import read as read_jcamp
from processing.processors.mass_spectrometry import peak_lists
from processing.readings import Unreadable
from tests.processing.here import read_here

LETTERS = "ABCDEFGH"
DYES = ("FAM", "VIC", "ABY")
HEAD = "\t" + "\t".join(map(str, range(1, 13))) + "\n"


def row(letter, *, label="OD"):
    return "\t".join([letter, *(f"{ord(letter) * 31 + n}" for n in range(12)), label]) + "\n"


def plate(name, letters=LETTERS, *, label="OD"):
    return f"{name}\n{HEAD}" + "".join(row(letter, label=label) for letter in letters) + "\n"


def crossed(outer, inner):
    return "Sample,Target,Value,Flag\n" + "".join(
        f"{one},{other},{place * place}.{len(other)}5,ok\n"
        for place, (one, other) in enumerate((one, other) for one in outer for other in inner)
    )


SAMPLES = crossed([f"Sample {letter}" for letter in LETTERS], DYES)
BY_DYE = crossed(DYES[:2], [f"{letter}0{n}" for letter in LETTERS for n in (1, 2)])
TABLE = "Time,Source,Plate,Well,Volume,Found\n" + "".join(f"1{n}:00,S{n},P1,A{n},10{n},0.{n}\n" for n in range(1, 6))
MEASURED = "Sample;Name;Amount\n" + "".join(f"{n};P-{n};0,10{n}\n" for n in range(10, 30))
WELLS = "Well\tSpots\tKind\n" + "".join(f"{letter}{n}\t{n}7\tx\n" for letter in LETTERS for n in range(1, 5))
PLATES = plate("First") + plate("Second") + plate("Third")
PEAKS = "<Peaks>" + "<Peak><Size>35</Size><Area>0.5</Area></Peak>" * 5 + "</Peaks>"


def told(text, folder):
    path = folder / "export.txt"
    path.write_text(text)
    return " ".join([*list_text_doubts(path, []), *list_markup_doubts(path)])


@pytest.mark.parametrize(
    "text",
    [
        SAMPLES,
        BY_DYE,
        TABLE,
        MEASURED,
        WELLS,
        PLATES,
        PEAKS,
        plate("First", LETTERS[:7]) + plate("Second", LETTERS[:7]) + "Remarks of Ann\n",  # what nobody measured
        MEASURED.replace("0,1020", "n/a"),
        MEASURED.replace("0,1020", ">1050"),
        PEAKS.replace("<Area>0.5</Area>", "<Area>0.5</Area>" * 2),
    ],
)
def test_nothing_is_said_of_whole_ones(tmp_path, text):
    assert told(text, tmp_path) == ""


@pytest.mark.parametrize(
    ("whole", "old", "new", "said"),
    [
        (SAMPLES, "Sample C,VIC,49.35,ok\n", "", "there are 2 rows for “Sample C”, and 3 for all others"),
        (SAMPLES, "Sample H,VIC,484.35,ok\nSample H,ABY,529.35,ok\n", "", "there are 1 rows for “Sample H”"),
        (BY_DYE, BY_DYE[BY_DYE.index("VIC,F02") :], "", "there are 11 rows for “VIC”, and 16 for all others"),
        (TABLE, "Found\n", "Found", "names and the first row of their table"),
        (MEASURED, "0,1020", "0,error", "“0,error” in line 12 stands in the place of a number"),
        (MEASURED, "0,1010", "lost", "“lost” in line 2 stands in the place of a number"),
        (WELLS, "D2\t27\tx\n", "\tChanges of Ann\t\n", "stands within a list of wells, and names none"),
        (plate("First") + plate("Second"), row("H"), "", "The plate in line 2 has rows A to G only"),
        (plate("Only"), row("A") + row("B"), "", "has rows C to H only"),
        (PLATES, f"Second\n{HEAD}", f"Second{HEAD}", "has a name before the numbers of columns"),
        (PLATES, f"Second\n{HEAD}{row('A')}", "Second\n", "Row B of a plate in line 13 has no row above it"),
        (PEAKS, "</Area></Peak><Peak><Size>35</Size>", "</Area>", "One “Peak” has “Area” twice, all others once"),
    ],
)
def test_what_is_missing_moved_or_joined_is_told(tmp_path, whole, old, new, said):
    damaged = whole.replace(old, new, 1)

    assert damaged != whole
    assert said in told(damaged, tmp_path)


def test_a_word_among_the_counts_of_a_plate_is_told(tmp_path):
    damaged = plate("Only", label="Count").replace(str(ord("C") * 31 + 5), "error")

    assert "“error” in line 5 stands in the place of a number" in told(damaged, tmp_path)


def test_lines_of_a_plate_that_lost_a_cell_are_told(tmp_path):
    shorter = "".join(row(letter).replace("\t", "", 1) if letter in "CD" else row(letter) for letter in LETTERS)

    assert "of a plate has 13 cells, and most others have 14" in told(f"Only\n{HEAD}{shorter}\n", tmp_path)


def spectrum(number, masses):
    points = "".join(f"{mass} 12.5\n" for mass in masses)
    return f"BEGIN IONS\nTITLE=Scan {number}\nPEPMASS=500.1\nRTINSECONDS={number}\n{points}END IONS\n"


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (spectrum(4, (100.5, 200.5, 150.5)), "The masses of scan Scan 4 do not rise"),
        (spectrum(4, (100.5, 200.5, 200.5)), "The masses of scan Scan 4 do not rise"),
        (spectrum(2, (100.5, 200.5)), "Scan Scan 2 stands in it twice"),
    ],
)
def test_spectra_that_are_out_of_order_or_there_twice_are_told(tmp_path, last, said):
    whole = "".join(spectrum(number, (100.5, 200.5, 300.5)) for number in range(1, 4))

    assert read_here(peak_lists.read_mgf, tmp_path / "whole.mgf", whole.encode()).warnings == []
    (warning,) = read_here(peak_lists.read_mgf, tmp_path / "a.mgf", (whole + last).encode()).warnings
    assert warning.startswith(said)


def test_lines_of_a_spectrum_that_changed_places_are_told(tmp_path):
    lines = [f"{100 + 3 * n} {n} {n + 1} {n + 2}\n" for n in range(12)]
    moved = [*lines[:3], lines[8], *lines[4:8], lines[3], *lines[9:]]
    head = "##TITLE=A\n##JCAMP-DX=4.24\n##DATA TYPE=RAMAN SPECTRUM\n##XUNITS=1/CM\n##YUNITS=COUNTS\n##FIRSTX=100\n"
    head += "##LASTX=135\n##NPOINTS=36\n##XFACTOR=1\n##YFACTOR=1\n##XYDATA=(X++(Y..Y))\n"

    assert read_here(read_jcamp, tmp_path / "a.jdx", f"{head}{''.join(lines)}##END=\n".encode()).warnings == []
    (warning,) = read_here(read_jcamp, tmp_path / "b.jdx", f"{head}{''.join(moved)}##END=\n".encode()).warnings
    assert "out of order" in warning


def test_spots_without_the_names_of_their_columns_are_refused(tmp_path):
    spots = "".join(f"1\t{n}\t1\t{n}5\n" for n in range(1, 5))

    with pytest.raises(Unreadable, match="there is no line of names"):
        read_here(microarray.read_gpr, tmp_path / "a.gpr", f'ATF\t1.0\n1\t4\n"Type=GenePix"\n{spots}'.encode())


CELLS = "Well,Live,Dead,Size,Viability,All\n" + "".join(f"P{n},1{n}0,{n}7,{n}.53,9{n}.50,2{n}7\n" for n in range(1, 8))


def test_the_only_dash_of_a_column_of_numbers_is_told(tmp_path):
    assert "“-” in line 5 " in told(CELLS.replace("4.53", "-"), tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        CELLS.replace("4.53", "-").replace("5.53", "-"),  # as lists have for what is none by nature
        CELLS.replace("47,4.53", "-,-"),
        CELLS.replace("94.50", "-").replace("96.50", "good"),
    ],
)
def test_dashes_that_lists_have_are_not_told(text, tmp_path):
    assert told(text, tmp_path) == ""


@pytest.mark.parametrize(
    "text",
    [
        CELLS.replace("4.53", "OVRFLW"),
        "Time,Signal\n" + "".join(f"{n},{n}.5\n" if n != 15 else "15,#DIV/0!\n" for n in range(30)),
    ],
)
def test_the_only_word_for_too_much_in_a_column_of_numbers_is_told(text, tmp_path):
    path = tmp_path / "export.txt"
    path.write_text(text)

    (said,) = list_text_doubts(path, [])

    assert said.endswith("stands in the place of a number: those around it are numbers.")
    assert list(list_text_doubts(path, [f"1 value holds no number ({said.split('”')[0][1:]})."])) == []


def test_a_dash_that_its_reader_told_is_not_told_again(tmp_path):
    path = tmp_path / "export.txt"
    path.write_text(CELLS.replace("4.53", "-"))

    assert list(list_text_doubts(path, ["1 value of size holds no number (-)."])) == []
