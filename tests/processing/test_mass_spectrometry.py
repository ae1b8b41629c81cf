"""mzML: ion curves, stored chromatograms, the most intense spectrum of each level."""

import base64
import gzip
import zlib
from xml.etree.ElementTree import ParseError

import pytest

from processing.processors.mzml import arrays, numpress
from processing.processors.mzml.reader import read
from processing.readings import Kind, Unreadable, Unrecognised
from processing.recognition import signatures
from tests.processing.here import documents, read_here, the
from tests.samples.instruments import mzml, mzml_array, mzml_spectrum

SPECTRA = (
    '<spectrumList count="4">'
    + mzml_spectrum("scan=1", level=1, minutes=0.1, mz=[100, 200], heights=[10, 20])
    + mzml_spectrum("scan=2", level=1, minutes=0.2, mz=[100, 200], heights=[50, 60])
    + mzml_spectrum("scan=3", level=2, minutes=0.25, mz=[80], heights=[7])
    + mzml_spectrum("scan=4", level=1, minutes=0.3, mz=[100, 200], heights=[1, 2])
    + "</spectrumList>"
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.mzML"


def curves(output):
    return {curve["title"]: curve for curve in documents(output, Kind.CURVE)}


def test_spectra_make_a_total_ion_and_a_base_peak_curve(path):
    curve = curves(read_here(read, path, mzml(SPECTRA)))["Total ion current and base peak"]

    assert curve["x"] == {"label": "Retention time", "unit": "min"}
    assert [series["y"] for series in curve["series"]] == [[30, 110, 3], [20, 60, 2]]


def test_the_most_intense_spectrum_of_each_level_is_shown_as_sticks(path):
    found = curves(read_here(read, path, mzml(SPECTRA)))

    first, second = (found[f"Most intense spectrum of MS level {level}"] for level in (1, 2))
    assert (first["style"], first["series"][0]["label"], first["series"][0]["y"]) == ("sticks", "scan=2", [50, 60])
    assert second["series"][0]["x"] == [80]


def test_facts_are_counted_and_the_instrument_is_named_through_its_group(path):
    run = read_here(read, path, mzml(SPECTRA, started="2026-03-14T09:26:53Z", model="Q Exactive")).run

    assert (run["spectra"], run["ms_level"], run["ms1_spectra"], run["ms2_spectra"]) == (4, [1, 2], 3, 1)
    assert (run["instrument_model"], run["serial_number"], run["polarity"]) == ("Q Exactive", "SN-7", "positive")
    assert run["measured_from"] == "2026-03-14T09:26:53Z"


def test_scans_are_listed_with_their_highest_points_and_the_run_has_its_times(path):
    output = read_here(read, path, mzml(SPECTRA))

    table = the(output, Kind.TABLE)
    assert [column["name"] for column in table["columns"]] == [
        "Scan", "MS level", "Retention time", "Points", "Total ion current", "Base peak m/z", "Base peak intensity",
    ]  # fmt: skip
    assert table["rows"][1:3] == [["scan=2", 1, 0.2, 2, 110, 200, 60], ["scan=3", 2, 0.25, 1, 7, 80, 7]]
    run = output.run
    assert (run["time_first"], run["time_last"], run["time_unit"]) == (0.1, 0.3, "min")
    assert (run["tic_max"], run["time_at_tic_max"]) == (110, 0.2)


def test_times_of_several_units_are_in_that_of_the_first(path):
    body = SPECTRA.replace('value="0.3" unitAccession="UO:0000031"', 'value="18" unitAccession="UO:0000010"')

    output = read_here(read, path, mzml(body))

    assert (output.run["time_unit"], output.run["time_first"], output.run["time_last"]) == ("min", 0.1, 0.3)
    assert curves(output)["Total ion current and base peak"]["series"][0]["x"] == [0.1, 0.2, 0.3]


def test_spectra_of_light_are_none_of_masses(path):
    light = mzml_spectrum("scan=5", level=1, minutes=0.4, mz=[254, 280], heights=[900, 800])
    light = light.replace("MS:1000511", "MS:1000804").replace("MS:1000514", "MS:1000617")
    body = SPECTRA.replace('count="4"', 'count="5"').replace("</spectrumList>", light + "</spectrumList>")

    output = read_here(read, path, mzml(body))

    assert (output.run["spectra"], output.run["ms1_spectra"], output.run["ms_level"]) == (5, 3, [1, 2])
    assert output.run["spectra_of_light"] == 1
    assert output.run["tic_max"] == 110


def test_a_start_without_an_offset_is_the_instruments_own_time(path):
    output = read_here(read, path, mzml("", started="2026-03-14T09:26:53"), zone="Europe/Berlin")

    assert output.acquired_at.isoformat() == "2026-03-14T08:26:53+00:00"
    assert output.file == {"assumed_time_zone": "Europe/Berlin"}


def test_stored_chromatograms_are_drawn(path):
    body = (
        '<chromatogramList count="1"><chromatogram id="SRM 1"><binaryDataArrayList>'
        + mzml_array("MS:1000595", [1, 2, 3], compressed=False, unit="UO:0000010")
        + mzml_array("MS:1000515", [5, 9, 4])
        + "</binaryDataArrayList></chromatogram></chromatogramList>"
    )

    output = read_here(read, path, mzml(body))

    curve = curves(output)["Chromatograms"]
    assert (curve["x"]["unit"], curve["series"][0]["label"], curve["series"][0]["y"]) == ("s", "SRM 1", [5, 9, 4])
    assert (output.run["spectra"], output.run["chromatograms"]) == (0, 1)


def test_an_array_that_unpacks_without_end_is_refused(path, monkeypatch):
    monkeypatch.setattr(arrays, "MOST_BYTES", 1000)
    body = mzml_spectrum("scan=1", level=1, minutes=0, mz=[1] * 300, heights=[0] * 300)

    with pytest.raises(Unreadable, match="unpacks to more than"):
        read_here(read, path, mzml(body))


def test_half_a_document_is_an_error(path):
    with pytest.raises(ParseError):
        read_here(read, path, mzml(SPECTRA)[:2000])


def test_other_xml_is_no_mzml(path):
    with pytest.raises(Unreadable, match="no mzML"):
        read_here(read, path, "<plates/>")


@pytest.mark.parametrize(
    ("accession", "content", "values"),
    [
        ("MS:1002312", bytes([64, 127, 64, 0, 0, 0, 0, 0, 80, 195, 0, 0, 68, 197, 0, 0, 136]), [100, 101, 102, 103]),
        ("MS:1002313", bytes([0x71, 0x7F, 0x50, 0x01]), [1, 15, 256]),
        ("MS:1002314", bytes([64, 143, 64, 0, 0, 0, 0, 0]) + bytes([0x00, 0x00, 0xB5, 0x02]), [0, 1]),
    ],
)
@pytest.mark.parametrize("is_zipped", [False, True])
def test_arrays_packed_with_numpress_are_read(accession, content, values, is_zipped, path):
    number = {"MS:1002312": "MS:1002746", "MS:1002313": "MS:1002747", "MS:1002314": "MS:1002748"}[accession]
    name, data = (number, zlib.compress(content)) if is_zipped else (accession, content)
    packed = (
        f'<binaryDataArray><cvParam accession="{name}"/><cvParam accession="MS:1000515"/>'
        f"<binary>{base64.b64encode(data).decode()}</binary></binaryDataArray>"
    )
    times = mzml_array("MS:1000595", list(range(len(values))), unit="UO:0000010")
    text = mzml(f'<chromatogramList count="1"><chromatogram id="TIC">{times}{packed}</chromatogram></chromatogramList>')

    (curve,) = documents(read_here(read, path, text), Kind.CURVE)

    assert curve["series"][0]["y"] == pytest.approx(values, abs=2e-3)


def test_differences_below_zero_are_kept():
    content = bytes([64, 127, 64, 0, 0, 0, 0, 0]) + (50_000).to_bytes(4, "little") + (50_500).to_bytes(4, "little")

    assert numpress.linear(content + bytes([0xEC, 0xE8]))[2:] == pytest.approx([101.96, 102.92])


def test_a_packed_file_is_read_as_it_is(tmp_path):
    data = gzip.compress(mzml(SPECTRA).encode())

    assert signatures.is_mzml(data[:8192])
    assert read_here(read, tmp_path / "run.mzML.gz", data).run["spectra"] == 4


def test_a_profile_spectrum_is_a_line(path):
    text = mzml(SPECTRA.replace("positive scan", "").replace("MS:1000130", "MS:1000128"))

    assert curves(read_here(read, path, text))["Most intense spectrum of MS level 1"]["style"] == "line"


def test_a_packed_file_that_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("processing.processors.mzml.elements.MOST_UNPACKED_BYTES", 1_000_000)
    data = gzip.compress(mzml("<a/>" * 1_000_000).encode())

    with pytest.raises(Unrecognised, match="unpacks to more than"):
        read_here(read, tmp_path / "run.mzML.gz", data)


def test_arrays_and_spectra_that_are_not_all_there_are_told(path):
    array = mzml_array("MS:1000515", [5, 9, 4])
    length = len(array.partition("<binary>")[2].partition("</binary>")[0])
    stated = array.replace("<binaryDataArray", f'<binaryDataArray encodedLength="{length}"', 1)
    body = f'<chromatogramList count="1"><chromatogram id="SRM 1">{stated}</chromatogram></chromatogramList>'

    def told(text):
        return " ".join(read_here(read, path, mzml(text)).warnings)

    assert not told(body)
    assert "1 of its arrays are longer or shorter" in told(body.replace(f'"{length}"', f'"{length + 64}"'))
    assert "Of 3 chromatograms that it announces 1 are there." in told(body.replace('count="1"', 'count="3"'))
