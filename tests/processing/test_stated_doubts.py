"""What tables state of themselves: averages, even steps, names and widths; whole ones say nothing."""

import struct

import pytest

from processing.doubts.texts import list_text_doubts
from processing.processors.mass_spectrometry import peak_lists
from processing.processors.spectra import spc
from tests.processing.here import read_here

GROUPS = [
    (sample, target, 20 + n * 1.25 + k) for n, sample in enumerate("pqrs") for k, target in enumerate(["GA", "B2"])
]
CYCLES = "Well,Sample,Target,Cq,Cq Mean\n" + "".join(
    f"{letter}{n * 2 + place + 1:02},{sample},{target},{cycle + place * 0.5:.4f},{cycle + 0.25:.4f}\n"
    for letter in "A"
    for n, (sample, target, cycle) in enumerate(GROUPS)
    for place in (0, 1)
)
COPIES = [1405.31, 1377.02, 1398.57, 1411.95, 1362.4, 1390.15]
AVERAGED = f"Run,Well,Note,Total,Copies\n,,Average,,{sum(COPIES) / 6:.2f}\n" + "".join(
    f"first,A{n},,20{n}17,{copies}\n" for n, copies in enumerate(COPIES, start=1)
)
SPECTRUM = "Wavelength,Absorbance\n" + "".join(f"{nm},0.{nm * 37 % 997:03}\n" for nm in range(300, 360, 2))
FACTS = "Image;2023-0012;\n" + "".join(f"Named ({n} cells/ml);{n}.45E6;\n" for n in range(12))
BLOCKS = "Experiment: 7\n" + "".join(
    f"\nPart {n}: absorbance\nWell,Value\n" + "".join(f"A{k},0.{n}{k}5\n" for k in range(1, 7)) for n in range(3)
)
READS = "Results\n\t1\t2\t3\n" + "".join(
    f"{x}\t190\t22{n}\t23\t504,531\n\t12\t14\t-5\tBlank\n" for n, x in enumerate("ABC")
)
PICKED = "Plate,Volume,Moved,Left,Cycle,Error\n" + "".join(f"S{n},100,{n % 2},{n}7,4{n},\n" for n in range(1, 7))
PADDED = "Name,,,one,,\n" + "".join(f"Fact {n},,,{n}.5,,\n" for n in range(6)) + "Height,,,9.5,,\nOn,,,a,,\nOff,,,b,,\n"
COUNTED = ",1,2,3,4,5\n" + "".join(f"{x},,{n},{n}0,,\n" for n, x in enumerate("ABCDEFGH", start=1))


def told(text, folder):
    path = folder / "export.txt"
    path.write_text(text)
    return " ".join(list_text_doubts(path))


def exchange(text, one, other, size=4):
    lines = text.splitlines(keepends=True)
    here, there = lines[one : one + size], lines[other : other + size]
    return "".join([*lines[:one], *there, *lines[one + size : other], *here, *lines[other + size :]])


@pytest.mark.parametrize(
    "text",
    [
        CYCLES,
        CYCLES.replace(
            "A01,p,GA,20.0000,20.2500\nA02,p,GA,20.5000,20.2500", "A01,p,GA,31.2500,20.5000\nA02,p,GA,20.5000,20.5000"
        ),
        AVERAGED,
        SPECTRUM,
        FACTS,
        BLOCKS,
        READS,
        PICKED,
        PADDED,
        COUNTED,
        PICKED.replace("S3,100,1,", "S3,OVRFLW,1,"),  # which readers tell
        PICKED.replace("37,43,", "37,43,Error"),  # which stands where it should
    ],
)
def test_nothing_is_said_of_whole_tables(tmp_path, text):
    assert not told(text, tmp_path)


@pytest.mark.parametrize(
    ("whole", "damaged", "said"),
    [
        (CYCLES, CYCLES.replace("A05,q,GA,21.2500,21.5000\n", ""), "The average in line 6 is not that of its rows"),
        (AVERAGED, AVERAGED.replace("first,A4,,20417,1411.95\n", ""), "The average in line 2 is not that of its rows"),
        (AVERAGED, AVERAGED.rpartition("first")[0], "The average in line 2 is not that of its rows"),
        (SPECTRUM, exchange(SPECTRUM, 5, 20), "338 follows 306"),
        (FACTS, FACTS.replace("3.45E6;", "").replace("4.45E6;", ""), "Lines 5 to 6 have 2 cells, unlike those around"),
        (BLOCKS, BLOCKS.replace("Part 1: absorbance\n", ""), "The table in line 12 has no title above it"),
        (READS, READS.replace("Blank", "Bla", 1), "“Bla” in line 4 is the name of no other row of its plate"),
        (PICKED, PICKED.replace("S3,100,1,", "S3,100,error,"), "“error” in line 4 stands in the place of a number"),
        (
            PICKED.replace(",", ";"),
            PICKED.replace(",", ";").replace("100;1;37", "100;0,error;37"),
            "“0,error” in line 4",
        ),
    ],
)
def test_what_does_not_fit_is_told(tmp_path, whole, damaged, said):
    assert damaged != whole
    assert said in told(damaged, tmp_path)


def test_rows_that_lost_a_cell_below_the_names_are_told(tmp_path):
    rows = [f"c{n},{n}.5,{2 * n}.5,," for n in range(1, 10)]
    damaged = [row.replace(".5,", ",", 1).replace(",", "", 1) if n < 2 else row for n, row in enumerate(rows)]

    assert "Lines 2 to 3 alone have 4 cells" in told("\n".join(["id,one,two,,", *damaged, ""]), tmp_path)
    assert not told("\n".join(["id,one,two,,", *rows, ""]), tmp_path)


def test_a_point_before_the_first_spectrum_is_told(tmp_path):
    spectra = "ITOL=1\n345.1 237 3\nBEGIN IONS\nTITLE=one\nPEPMASS=500.1\n100.1 7\n200.2 9\nEND IONS\n"
    path = tmp_path / "export.mgf"
    for text, count in ((spectra, 1), (spectra.replace("345.1 237 3\n", ""), 0)):
        said = read_here(peak_lists.read_mgf, path, text).warnings
        assert sum("before the first spectrum" in one for one in said) == count


def test_a_log_elsewhere_is_told(tmp_path):
    points = 600
    end = spc.HEADER_BYTES + spc.SUBHEADER_BYTES + 4 * points
    header = bytearray(spc.HEADER_BYTES)
    struct.pack_into("<BBBbiddi", header, 0, 0, 0x4B, 2, spc.FLOATS_EXPONENT, points, 400.0, 999.0, 1)
    struct.pack_into("<i", header, spc.LOG_AT, end)
    values = struct.pack(f"<{points}f", *(1000.5 + n for n in range(points)))
    whole = bytes(header) + bytes(spc.SUBHEADER_BYTES) + values + struct.pack("<5i", 80, 4096, 64, 0, 0) + bytes(60)
    path = tmp_path / "export.spc"
    for content, count in ((whole, 0), (whole[:1512] + whole[1000:], 1)):
        said = read_here(spc.read, path, content).warnings
        assert sum("Its log is not where" in one for one in said) == count
