"""What vendors' own programs store, read by a library: the same numbers as by our own readers, where both can."""

import numpy as np
import pytest

from datasets.models import Dataset
from processing.processors.mass_spectrometry import mzxml
from processing.processors.own_formats import reader, tables, traces
from processing.processors.own_formats.description import read_parameters
from processing.processors.own_formats.reader import read
from processing.processors.spectra import opus, wdf
from processing.readings import Unreadable, Unrecognised
from processing.registry import choose_type
from tests.processing.arrivals import arrived, artefacts_of, document, done
from tests.processing.here import read_here
from tests.processing.techniques import FOLDER, list_curves, list_tables, needs_techniques

COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
THERMO = b"\x01\xa1F\0i\0n\0n\0i\0g\0a\0n\0"
ATF = 'ATF\t1.0\n0\t3\n"Time (s)"\t"Trace #1 (pA)"\t"Trace #2 (pA)"\n0\t1\t-1\n0.5\t2.5\t-2\n1\t4\t-3.25\n'


def real(name):
    return (FOLDER / name).read_bytes()


def series_of(output):
    return [(one["label"], one["x"], one["y"]) for curve in list_curves(output) for one in curve["series"]]


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("run.raw", THERMO),
        ("DAD1A.ch", b"\x03179"),
        ("scan.raw", b"RAW4.00\0"),
        ("scan.raw", b"RAW \0\0\0\1"),
        ("film.spa", b"Spectral Data File\r\n\0"),
        ("film.sp", b"PEPE2D constant interval DataSet\0"),
        ("film.jws", COMPOUND),
        ("cell.abf", b"ABF2\0"),
        ("cell.txt", b"ATF\t1.0\n"),
        ("cell.smr", b"\x09\x00(C) CED 87"),
        ("cv.mpr", b"BIO-LOGIC MODULAR FILE\x1a\0"),
        ("dsc.ngb-ss3", b"PK\3\4"),
        ("plate.eds", b"PK\3\4"),
        ("film.lcd", COMPOUND),
    ],
)
def test_they_are_known_by_first_bytes_or_ending(name, head):
    assert choose_type(filename=name, head=head, instrument_type="generic").name == "own-format"


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("raw.csv", b"RAW material,lot\nA,1\n", "generic"),
        ("plexus.csv", b"PLEXUS,1\n", "generic"),
        ("scan.raw", b"RAW1.01\0", "bruker-raw"),
        ("array.gpr", b'ATF\t1.0\n24\t48\n"Type=GenePix Results 3"\n', "gpr"),
        ("t200.bme", COMPOUND, "generic"),
    ],
)
def test_what_others_read_stays_theirs(name, head, kind):
    assert choose_type(filename=name, head=head, instrument_type="generic").name == kind


@needs_techniques
@pytest.mark.parametrize("name", ["sp.wdf", "brukeropus_file.0", "BF_lo_01_soil_cal.1"])
def test_spectra_are_those_of_our_own_readers(tmp_path, name):
    theirs = read_here(read, tmp_path / name, real(f"spectra/{name}"))
    ours = read_here(wdf.read if name.endswith("wdf") else opus.read, tmp_path / name, real(f"spectra/{name}"))

    _, x, y = series_of(theirs)[0]
    _, own_x, own_y = series_of(ours)[0]
    np.testing.assert_allclose(x, own_x, rtol=1e-6)
    np.testing.assert_array_equal(y, own_y)
    same = ("acquired_at", "sample_id", "manufacturer", "serial_number")
    told = {key: ours.run[key] for key in same if key in ours.run}
    assert {key: theirs.run.get(key) for key in told} == told
    assert theirs.acquired_at.replace(microsecond=0) == ours.acquired_at.replace(microsecond=0)
    assert theirs.warnings == []


@needs_techniques
def test_a_run_of_spectra_is_shown_as_an_mzml_is(tmp_path):
    output = read_here(read, tmp_path / "MSD1.MS", real("mass-spectrometry/carotenoid_extract.d/MSD1.MS"))

    (total,) = [one for one in series_of(output) if one[0] == "Total ion current"]
    highest = int(np.argmax(total[2]))
    assert (total[2][highest], total[1][highest]) == (
        78496,
        pytest.approx(24.85665, abs=1e-4),
    )  # as the file says; its peaks: 78352
    assert (output.run["spectra"], output.run["ms_level"]) == (2534, 1)
    assert (output.run["manufacturer"], output.run["software"]) == ("Agilent", "ChemStation")
    assert "openreadout" not in str(output.run)
    assert output.warnings == []


@needs_techniques
def test_spectra_of_several_levels_are_those_that_our_own_reader_finds(tmp_path):
    theirs = read_here(read, tmp_path / "test.mzXML", real("mass-spectrometry/test.mzXML"))
    ours = read_here(mzxml.read, tmp_path / "test.mzXML", real("mass-spectrometry/test.mzXML"))

    spectra = [one for one in series_of(theirs) if one[0].startswith("scan=")]
    assert theirs.run["ms_level"] == ours.run["ms_level"] == [1, 2]
    assert [one[1:] for one in spectra] == [one[1:] for one in series_of(ours)[-2:]]


@needs_techniques
def test_what_is_missing_at_the_end_of_a_run_is_said(tmp_path):
    whole = real("mass-spectrometry/carotenoid_extract.d/MSD1.MS")

    output = read_here(read, tmp_path / "MSD1.MS", whole[: len(whole) // 2])

    assert any("declares 2534 scans" in warning for warning in output.warnings)


@needs_techniques
def test_images_are_shown_as_tiff_is(tmp_path):
    output = read_here(read, tmp_path / "five.ome.tif", real("image/generated_5d.ome.tif"))

    assert output.run["channel"] == ["DAPI", "GFP"]
    assert (output.run["size_z"], output.run["size_c"], output.run["size_t"]) == (3, 2, 2)
    assert "software" not in output.run


@needs_techniques
def test_images_that_are_too_large_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "MOST_IMAGE_BYTES", 100)

    with pytest.raises(Unreadable, match="nothing that can be shown"):
        read_here(read, tmp_path / "five.ome.tif", real("image/generated_5d.ome.tif"))


def test_traces_of_one_unit_are_one_picture(tmp_path):
    output = read_here(read, tmp_path / "cell.atf", ATF)

    (curve,) = list_curves(output)
    assert [(one["x"], one["y"]) for one in curve["series"]] == [
        ([0, 0.5, 1], [1, 2.5, 4]),
        ([0, 0.5, 1], [-1, -2, -3.25]),
    ]
    assert (curve["x"]["unit"], curve["y"]["unit"]) == ("s", "pA")


def test_long_traces_are_cut_and_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(traces, "MOST_POINTS_OF_TRACE", 2)

    output = read_here(read, tmp_path / "cell.atf", ATF)

    assert len(list_curves(output)[0]["series"][0]["x"]) == 2
    assert any("3 points" in warning and "the first 2" in warning for warning in output.warnings)


def test_many_channels_are_read_within_the_room_of_all(tmp_path, monkeypatch):
    monkeypatch.setattr(traces, "MOST_POINTS", 4)

    output = read_here(read, tmp_path / "cell.atf", ATF)

    assert [len(one["x"]) for one in list_curves(output)[0]["series"]] == [2, 2]
    assert any("the first 2" in warning for warning in output.warnings)


def test_parameters_are_printable_text():
    given = {"a": {"value": "x\0y"}, "b": {"value": [1, "z\x07"]}, "c": {"value": 5, "unit": "nm"}}

    assert read_parameters(given) == [("a", "x y"), ("b", [1, "z"]), ("c_nm", 5)]


@needs_techniques
def test_a_table_of_many_rows_is_whole_as_a_dataset(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "MOST_LISTED", 10)
    monkeypatch.setattr(tables, "MAX_ROWS", 5)

    output = read_here(read, tmp_path / "G11.fcs", real("flow-cytometry/G11.fcs"))

    (table,) = list_tables(output)
    (dataset,) = output.datasets
    assert len(table["rows"]) == 5
    assert {len(column.values) for column in dataset.columns} == {table["total_rows"]}


@pytest.mark.parametrize(("name", "data"), [("a.jws", b"hello"), ("a.spa", b"hello"), ("a.sp", b"a,b\n1,2\n")])
def test_another_file_of_the_same_ending_is_kept(tmp_path, name, data):
    with pytest.raises(Unrecognised, match="no format that is known"):
        read_here(read, tmp_path / name, data)


def test_a_damaged_file_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(Unreadable) as refusal:
        read_here(read, tmp_path / "film.sp", b"PEPE2D constant interval DataSet file   \0" + b"\0" * 40)

    assert "hint" not in str(refusal.value)
    assert "perkinelmer-sp:" not in str(refusal.value)


@needs_techniques
@pytest.mark.django_db
def test_the_peaks_of_a_run_are_a_dataset():
    file = done(arrived("MSD1.MS", real("mass-spectrometry/carotenoid_extract.d/MSD1.MS")))

    (scans,) = [one for one in Dataset.objects.filter(source_file=file) if one.kind == "events"]
    assert file.status == "completed"
    assert scans.row_count == 95_471


@pytest.mark.django_db
def test_it_is_read_behind_the_walls():
    file = done(arrived("cell.atf", ATF.encode()))

    assert (file.status, file.warnings) == ("completed", [])
    assert file.metadata["format"] == "Axon Text File (ATF)"
    assert len(document(artefacts_of(file)["curves-1.json"])["series"]) == 2
