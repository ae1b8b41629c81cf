"""What other laboratories write without a fault: read as the usual form, or doubted where nothing tells."""

import pytest
from allotropy.parser_factory import Vendor

from processing.processors import generic
from processing.processors.asm.endings import list_missing_parts
from processing.processors.asm.repairs import repair_well_counts
from processing.processors.asm.writing_style import WritingStyle
from processing.processors.thermal.reader import read as read_thermal
from tests.processing.here import read_here
from tests.processing.techniques import list_tables, name_type
from tests.samples.instruments import vi_cell

NETZSCH = (
    '"#EXPORTTYPE:DATA ALL"\n"#MTYPE:TG"\n"#IDENTITY:Zinc ""B"""\n\n'
    '"##Temp./°C";"Time/min";"Mass/%"\n" 27.5";" 0.0";"99.5"\n" 28.5";" 0.5";"98.25"\n'
)
SOFTMAX_PLATE = (
    "##BLOCKS= 1\nPlate:\tP1\t1.3\tPlateFormat\tEndpoint\tAbsorbance\tRaw\tFALSE\t1\t\t\t\t\t\t1\t450\t1\t3\t6\t1\t2\n"
    "\tTemperature(¡C)\t1\t2\t3\t\n{rows}\n~End\nOriginal Filename: P1\tDate Last Saved: 1/2/2023 9:00:00 AM\n"
)
EMPTY_ROW = "\t\t\t\t\t\n"


@pytest.mark.parametrize("sign", ["µ", "μ"])
def test_both_signs_for_micro_are_read(sign, tmp_path):
    usual = read_here(generic.read, tmp_path / "export.csv", vi_cell())

    found = read_here(generic.read, tmp_path / "export.csv", vi_cell().replace("µ", "μ").replace("μ", sign))

    assert any(b"diameter" in one.data for one in usual.artefacts)
    assert [one.data for one in found.artefacts] == [one.data for one in usual.artefacts]


def test_quoted_commas_before_three_digits_are_doubted_where_nothing_tells():
    assert WritingStyle('A,"53,678"\nB,100\n').unclear_number == "53,678"
    assert WritingStyle('A,"53,678"\nB,0.25\n').unclear_number == ""
    assert WritingStyle('A,"1,053,678"\nB,"53,678"\n').unclear_number == ""


def test_a_quoted_export_of_netzsch_is_read_as_a_bare_one(tmp_path):
    output = read_here(read_thermal, tmp_path / "a.txt", NETZSCH)

    (table,) = list_tables(output)
    assert name_type(tmp_path / "a.txt") == "thermal-text"
    assert (table["title"], table["rows"]) == ('Zinc "B"', [[27.5, 0, 99.5], [28.5, 0.5, 98.25]])


@pytest.mark.parametrize(
    ("stated", "wells_read", "repaired"),
    [(8, "A1 A2 A3 B1 B2 B3", 6), (96, "A1 A2 A3 B1 B2 B3", 96), (16, "A1 B1 C1 D1", 16), (0, "A1 B1", 6)],
)
def test_a_count_of_wells_that_no_plate_has_becomes_that_of_a_full_one(stated, wells_read, repaired):
    wells = [{"sample document": {"well location identifier": well}} for well in wells_read.split()]
    aggregate = {"plate well count": {"value": stated, "unit": "#"}, "measurement document": wells}

    repair_well_counts(aggregate)

    assert aggregate["plate well count"]["value"] == repaired


@pytest.mark.parametrize(
    ("rows", "is_told"),
    [
        pytest.param("\t25\t0.1\t0.2\t0.3\t\n\t\t0.4\t0.5\t0.6\t\n", False, id="as many as the plate has"),
        pytest.param(EMPTY_ROW + "\t25\t0.1\t0.2\t0.3\t\n", False, id="the first of them empty"),
        pytest.param(2 * EMPTY_ROW + "\t25\t0.1\t0.2\t0.3\t\n", True, id="more"),
        pytest.param(EMPTY_ROW + "\t25\t0.1\t0.2\t0.3\t\n\n" + EMPTY_ROW + "\t\t0.4\t\t\t\n", False, id="two reads"),
        pytest.param(2 * "\t25\t0.1\t0.2\t0.3\t\n" + EMPTY_ROW + 2 * "\t30\t0.4\t\t\t\n", False, id="as a spreadsheet"),
    ],
)
def test_a_softmax_plate_with_other_rows_than_its_format_is_told(rows, is_told):
    said = list(
        list_missing_parts(Vendor.MOLDEV_SOFTMAX_PRO, SOFTMAX_PLATE.format(rows=rows).encode(), encoding="utf-8")
    )

    assert bool(said) == is_told
    assert not is_told or "3 rows" in said[0]
