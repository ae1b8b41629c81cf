"""Plates of vendors' exports: all rows of 1,536 wells, wells counted once, words among their numbers."""

import pytest

from processing.processors import generic
from processing.processors.asm.facts import facts_of
from processing.processors.asm.wide_plates import count_row, name_row
from processing.readings import Kind
from tests.processing.here import read_here, the
from tests.samples.expected import FOLDER, needs_real_exports

HEAD = """Software version: ImmunoSpot 7.0.{version}
Counted: Tue Oct 03 15:12:21 2023; Authenticated user: 'LAB\\me'
Analyzer Serial number: S6UNIV-01-1234; Computer name: pc1
E:\\Plates\\one.txt

Assay:\t1
Sensitivity: 160

"""
IMAGES = FOLDER.parent / "vendors/revvity_kaleido/optical_imaging_endpoint_single_plate_example_01.csv"
ROWS = [name_row(row) for row in range(32)]


def counts(row: int) -> list[int]:
    return [1000 + 48 * row + column for column in range(48)]


def older(rows: list[str]) -> str:
    """As version 7.0.30 writes a plate."""
    numbers = "".join(f"{column:>6}" for column in range(1, 49))
    lines = [f"{letters:<2}" + "".join(f"{count:>6}" for count in counts(row)) for row, letters in enumerate(rows)]
    head = "\t\t\tUnprocessed Data\n\n\tC.T.L.\t\t\tImmunoSpot  Plate Code = P1\n"
    return HEAD.format(version="30.5") + head + numbers + "\n\n" + "\n".join(lines) + "\n\n"


def newer(rows: list[str]) -> str:
    """As version 7.0.38 writes one."""
    numbers = "\t".join(map(str, range(1, 49)))
    lines = ["\t".join([letters, *map(str, counts(row))]) for row, letters in enumerate(rows)]
    plate = "\n".join(["\tSpot Counts", "", f"\t{numbers}", "\t____", "", *lines, "\t____"])
    return HEAD.format(version="38.8") + f"\n{plate}\n\n"


@pytest.mark.parametrize("write", [older, newer])
def test_all_rows_of_1536_wells_of_immunospot_are_read(write, tmp_path):
    found = read_here(generic.read, tmp_path / "plate.txt", write(ROWS).replace("\n", "\r\n"))

    plate = the(found, Kind.PLATE)
    assert found.file["recognised_as"] == "ctl-immunospot"
    assert found.run["well_count"] == found.run["plate_format"] == 1536
    assert plate["wells"]["AF48"]["value"] == counts(31)[-1]
    assert plate["wells"]["AA1"]["value"] == counts(26)[0]
    assert not found.warnings


@pytest.mark.parametrize(("row", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (31, "AF"), (51, "AZ"), (52, "BA")])
def test_rows_behind_z_have_two_letters(row, name):
    assert name_row(row) == name
    assert count_row(name) == row


@pytest.mark.parametrize(
    ("wells", "spots", "count"),
    [
        ("A1 A2 B1 B2", "1 1 1 1", 4),  # the only spot of each
        ("A1 A1 A2 A2", "1 2 1 2", 2),
        ("A1 A2 B1", "1 2 13", 6),  # the wells' own numbers, by which people look for them, too
    ],
)
def test_spots_of_wells_are_no_wells(wells, spots, count):
    samples = [
        {"sample document": {"well location identifier": well, "location identifier": spot}}
        for well, spot in zip(wells.split(), spots.split(), strict=True)
    ]

    facts = facts_of("plate reader", {"plate reader document": [{"measurement document": samples}]})

    assert facts.as_json()["well_count"] == count


@needs_real_exports
@pytest.mark.parametrize("word", ["-", "OVRFLW"])
def test_a_word_in_a_plate_of_kaleido_costs_one_number_and_no_table(word, tmp_path):
    """The first line looks as if a person had written it, and the plan of the plate is full of “-”."""
    whole = IMAGES.read_bytes()
    usual = read_here(generic.read, tmp_path / IMAGES.name, whole)

    found = read_here(generic.read, tmp_path / IMAGES.name, whole.replace(b",54.2498097006,", f",{word},".encode()))

    assert found.run == usual.run
    assert [one.name for one in found.artefacts] == [one.name for one in usual.artefacts]
    assert any(said.endswith(f"({word}): E7.") for said in found.warnings)
