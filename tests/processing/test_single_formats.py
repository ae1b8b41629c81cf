"""Diffractograms, microarrays, molecules and phenotype plates: real files, made ones, and copies that are cut off."""

import struct

import pytest

from processing.processors import microarray, molfile, omnilog
from processing.processors.columns import reader as columns
from processing.processors.diffraction import xrdml
from processing.readings import Kind, Unreadable
from tests.processing.here import documents, read_here, the
from tests.processing.techniques import (
    FILES,
    FOLDER,
    find_wrong_facts,
    list_files,
    needs_techniques,
    read_technique,
    type_of,
)

NAMES = {"max F635 Median": "max_F635_Median", "max F532 Median": "max_F532_Median"}
REAL = list_files("diffraction/XRD", "microarray/", "plate/", "nmr/indometacin_structure.mol")


@needs_techniques
@pytest.mark.parametrize("name", REAL)
def test_facts_of_real_files_are_right(name):
    assert find_wrong_facts(read_technique(FOLDER / name), FILES[name]["facts"], names=NAMES) == {}


@needs_techniques
@pytest.mark.parametrize("name", [name for name in REAL if not name.endswith(".gpr")])  # which does not count its rows
@pytest.mark.parametrize("share", [0.1, 0.4, 0.7, 0.95])
def test_a_file_of_which_the_end_is_missing_is_refused(name, share, tmp_path):
    whole = (FOLDER / name).read_bytes()
    cut = tmp_path / (FOLDER / name).name
    cut.write_bytes(whole[: int(len(whole) * share)])

    with pytest.raises((Unreadable, AssertionError)):
        read_technique(cut)


SCAN = """<?xml version="1.0"?><xrdMeasurements xmlns="http://www.xrdml.com/XRDMeasurement/{version}">
<xrdMeasurement><scan status="{status}" scanAxis="Gonio">
<header><startTimeStamp>2026-03-14T09:26:53+01:00</startTimeStamp>
</header><dataPoints><positions axis="2Theta" unit="deg">{positions}</positions>
<positions axis="Omega" unit="deg"><commonPosition>5</commonPosition></positions>{counts}</dataPoints></scan>
</xrdMeasurement></xrdMeasurements>"""
RANGE = "<startPosition>10</startPosition><endPosition>12</endPosition>"
FACTORS = "<beamAttenuationFactors>1 10 1</beamAttenuationFactors>"


def read_scan(path, *, positions=RANGE, counts="<intensities>1 5 2</intensities>", version="1.5", status="Completed"):
    text = SCAN.format(positions=positions, counts=counts, version=version, status=status)
    return read_here(xrdml.read, path / "a.xrdml", text)


@pytest.mark.parametrize("version", ["1.0", "1.5", "2.2"])
def test_counts_stand_over_the_angle(version, tmp_path):
    output = read_scan(tmp_path, version=version)

    assert the(output, Kind.CURVE)["series"][0]["x"] == [10, 11, 12]
    assert (output.file["max_counts"], output.file["two_theta_at_max_deg"]) == (5, 11)
    assert output.acquired_at.isoformat() == "2026-03-14T08:26:53+00:00"


def test_counts_are_multiplied_by_what_attenuated_the_beam(tmp_path):
    output = read_scan(tmp_path, counts=f"<counts>1 5 2</counts>{FACTORS}", status="Aborted")

    assert the(output, Kind.CURVE)["series"][0]["y"] == [1, 50, 2]
    assert output.warnings == ["Scan 1 was not completed."]


@pytest.mark.parametrize(
    "wrong",
    [
        {"positions": "<listPositions>1 2</listPositions>"},
        {"counts": "<intensities>1 x 2</intensities>"},
        {"counts": f"<counts>1 2</counts>{FACTORS}"},
        {"counts": ""},
    ],
)
def test_scans_that_contradict_themselves_are_refused(wrong, tmp_path):
    with pytest.raises(Unreadable):
        read_scan(tmp_path, **wrong)


def test_counts_of_each_second_are_called_so(tmp_path):
    output = read_scan(tmp_path, counts='<intensities unit="cps">1 5 2</intensities>')

    assert the(output, Kind.CURVE)["y"] == {"label": "Intensity", "unit": "counts/s"}


def make_cel_4(*, cells=6):
    texts = (b"Cols=3\nRows=2\nDatHeader=x 03/14/26 09:26:53 y Chip.1sq z\n", b"Percentile", b"")
    strings = b"".join(struct.pack("<i", len(text)) + text for text in texts)
    rows = b"".join(struct.pack("<ffh", value, 1, 9) for value in range(cells))
    return struct.pack("<5i", 64, 4, 3, 2, 6) + strings + struct.pack("<iIIi", 2, 0, 0, 0) + rows


def test_binary_intensities_are_read(tmp_path):
    output = read_here(microarray.read_cel, tmp_path / "a.cel", make_cel_4(), zone="Europe/Berlin")

    assert (output.file["columns"], output.file["rows"], output.file["mean_intensity"]) == (3, 2, 2.5)
    assert (output.run["algorithm"], output.run["chip"]) == ("Percentile", "Chip")
    assert output.acquired_at.isoformat() == "2026-03-14T08:26:53+00:00"


def test_binary_intensities_that_are_cut_off_are_refused(tmp_path):
    with pytest.raises(Unreadable, match="ends before its cells"):
        read_here(microarray.read_cel, tmp_path / "a.cel", make_cel_4(cells=5))


def make_mol(atoms, bonds, *, properties=""):
    lines = [f"{x:10.4f}{0:10.4f}{0:10.4f} {element:<3} 0  0" for x, element in enumerate(atoms)]
    lines += [f"{first:3}{second:3}{kind:3}  0" for first, second, kind in bonds]
    return "\n".join(["name", "", "", f"{len(atoms):3}{len(bonds):3}  0  0 0 V2000", *lines, f"{properties}M  END", ""])


@pytest.mark.parametrize(
    ("atoms", "bonds", "properties", "formula"),
    [
        (["C"], [], "", "CH4"),
        (["C"] * 6, [(1, 2, 4), (2, 3, 4), (3, 4, 4), (4, 5, 4), (5, 6, 4), (6, 1, 4)], "", "C6H6"),
        (["N"], [], "M  CHG  1   1   1\n", "H4N"),
        (["C", "O", "O"], [(1, 2, 2), (1, 3, 1)], "M  CHG  1   3  -1\n", "CHO2"),
        (["S", "O", "O", "O", "O"], [(1, 2, 2), (1, 3, 2), (1, 4, 1), (1, 5, 1)], "", "H2O4S"),
        (["Na", "Cl"], [], "M  CHG  2   1   1   2  -1\n", "ClNa"),
    ],
)
def test_the_formula_counts_the_hydrogens_that_are_not_drawn(atoms, bonds, properties, formula, tmp_path):
    output = read_here(molfile.read, tmp_path / "a.mol", make_mol(atoms, bonds, properties=properties))

    assert output.run["formula"] == formula


def test_wells_of_a_phenotype_plate_are_curves_and_a_map(tmp_path):
    text = '{"csv_data": {"Plate Type": "PM02"}, "measurements": {"Hour": [0, 0.25], "B02": [1, 9], "A01": [3, 4]}}'

    output = read_here(omnilog.read, tmp_path / "a.json", text)

    assert [series["label"] for series in the(output, Kind.CURVE)["series"]] == ["A01", "B02"]
    assert the(output, Kind.PLATE)["wells"]["B2"]["value"] == 9


@pytest.mark.parametrize(
    "text", ['{"measurements": {"Hour": [0, 1], "A01": [3]}}', '{"measurements": {"Hour": [NaN]}}']
)
def test_plates_whose_wells_do_not_fit_their_hours_are_refused(text, tmp_path):
    with pytest.raises(Unreadable):
        read_here(omnilog.read, tmp_path / "a.json", text)


BIOLOG = """"Data File","D:\\A.D3E"
"Set up Time","8/28/2010 3:56:33 PM"
"Position","14-B"
"Plate Type","PM01-D"
"Strain Type",""
"Sample Number","3"
"Strain Name","AB1"
"Strain Number","0"
"Other",""
"Hour","A01","A02"
  0.000,   34,   18
  0.250,   35,   22
 10.000,   40,   25
"""


def test_plates_in_the_text_of_their_own_program_are_read_one_after_the_other(tmp_path):
    path = tmp_path / "plates.csv"
    path.write_text(BIOLOG + BIOLOG.replace("PM01-D", "PM02-A").replace("   40", "   99"))

    output = read_technique(path)

    assert type_of(path).name == "omnilog"
    assert output.run["plate_type"] == ["PM01-D", "PM02-A"]
    assert str(output.acquired_at) == "2010-08-28 15:56:33+00:00"
    assert (output.run["strain"], output.run["sample_id"]) == ("AB1", "3")
    first, second = documents(output, Kind.CURVE)
    assert (first["title"], second["title"]) == ("Kinetics, PM01-D", "Kinetics, PM02-A")
    assert (first["x"]["unit"], first["series"][0]["x"]) == ("h", [0, 0.25, 10])
    assert [plate["wells"]["A1"]["value"] for plate in documents(output, Kind.PLATE)] == [40, 99]
    assert output.warnings == []


@pytest.mark.parametrize("lost", ['"Hour","A01","A02"\n', "   22\n", "  0.250,"])
def test_a_text_of_plates_that_lacks_a_part_is_refused(lost, tmp_path):
    with pytest.raises(Unreadable):
        read_here(omnilog.read, tmp_path / "plates.csv", BIOLOG.replace(lost, "", 1))


def test_rows_of_two_cells_above_a_wider_table_belong_to_none(tmp_path):
    above = "Operator,Jane\n" + "".join(f"Note {letter},words\n" for letter in "ABCDEFGH")
    rows = "".join(f"{hour},{hour + 1},{hour + 2}\n" for hour in range(4))

    output = read_here(columns.read, tmp_path / "a.csv", f"{above}Hour,A01,A02\n{rows}")

    assert output.run["analyst"] == "Jane"
    assert [series["label"] for series in the(output, Kind.CURVE)["series"]] == ["A01", "A02"]


def test_rows_of_spots_must_be_as_wide_as_they_count(tmp_path):
    text = 'ATF\t1.0\n1\t3\n"Type=GenePix Results 3"\n"Block"\t"F635 Median"\t"Flags"\n1\t548\t0\n1\t54\n'

    with pytest.raises(Unreadable, match="another number of columns"):
        read_here(microarray.read_gpr, tmp_path / "a.gpr", text)


@needs_techniques
def test_the_axes_of_five_dimensions_are_told():
    run = read_technique(FOLDER / "image" / "generated_5d.ome.tif").run

    assert (run["axes"], run["shape"]) == ("TCZYX", "2 x 2 x 3 x 48 x 64")
    assert (run["pixel_size_um"], run["z_step_um"]) == (0.325, 1.5)


V3000 = """
  made

  0  0  0     0  0            999 V3000
M  V30 BEGIN CTAB
M  V30 COUNTS 3 2 0 0 0
M  V30 BEGIN ATOM
M  V30 1 C 0 0 0 0
M  V30 2 C 1.5 0 0 0
M  V30 7 O 2.5 -
M  V30 1.25 0 0 CHG=-1
M  V30 END ATOM
M  V30 BEGIN BOND
M  V30 1 1 1 2
M  V30 2 1 2 7
M  V30 END BOND
M  V30 END CTAB
M  END
"""


def test_structures_of_the_third_version_are_read(tmp_path):
    output = read_here(molfile.read, tmp_path / "a.mol", V3000)

    assert (output.run["formula"], output.run["atoms"], output.run["bonds"]) == ("C2H5O", 3, 2)
    assert the(output, Kind.TABLE)["rows"][2] == [3, "O", 2.5, 1.25, 0, -1]


@pytest.mark.parametrize("line", ["M  V30 1 C 0 0 0 0\n", "M  V30 2 1 2 7\n", "M  V30 END CTAB\nM  END\n"])
def test_structures_of_the_third_version_that_lack_a_line_are_refused(line, tmp_path):
    with pytest.raises(Unreadable):
        read_here(molfile.read, tmp_path / "a.mol", V3000.replace(line, ""))
