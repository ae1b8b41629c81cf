"""Bruker RAW of diffractometers and VAMAS of surface analysis: made here, as no real file may be had."""

import struct

import pytest

from processing.processors.diffraction.bruker_raw import read as read_bruker_raw
from processing.processors.vamas import read as read_vamas
from processing.readings import Kind, Unreadable, Unrecognised
from processing.recognition.unread_formats import find_unread_format
from processing.registry import choose_type
from tests.processing.here import documents, read_here, the

COUNTS = [10.0, 20.0, 400.0, 30.0]


def bruker_raw(counts=COUNTS, *, state=1, scans=1) -> bytes:
    head = bytearray(712)
    head[:8] = b"RAW1.01\0"
    struct.pack_into("<II", head, 8, state, scans)
    head[16:26], head[26:36] = b"03/14/26\0\0", b"09:26:53\0\0"
    head[36:41], head[326:332], head[608:610] = b"Jenny", b"quartz", b"Cu"
    one = bytearray(304)
    struct.pack_into("<II", one, 0, 304, len(counts))
    struct.pack_into("<d", one, 16, 20.0)
    struct.pack_into("<d", one, 176, 0.02)
    struct.pack_into("<f", one, 192, 0.5)
    struct.pack_into("<dIII", one, 240, 1.5406, 0, 4, 40)
    return bytes(head) + (bytes(one) + bytes(40) + struct.pack(f"<{len(counts)}f", *counts)) * scans


def test_a_scan_of_a_diffractometer_has_its_angles_and_facts(tmp_path):
    output = read_here(read_bruker_raw, tmp_path / "scan.raw", bruker_raw(scans=2), zone="Europe/Berlin")

    curve = the(output, Kind.CURVE)
    assert [series["y"] for series in curve["series"]] == [COUNTS, COUNTS]
    assert curve["series"][0]["x"] == [20, 20.02, 20.04, 20.06]
    assert (output.run["analyst"], output.run["sample_id"], output.run["anode"]) == ("Jenny", "quartz", "Cu")
    assert (output.run["wavelength_angstrom"], output.run["counting_time_s"]) == (1.5406, 0.5)
    assert (output.file["two_theta_at_max_deg"], output.file["max_counts"]) == (20.04, 400)
    assert output.acquired_at.isoformat() == "2026-03-14T08:26:53+00:00"
    assert choose_type(filename="scan.raw", head=bruker_raw(), instrument_type="generic").name == "bruker-raw"


def test_a_measurement_that_was_aborted_is_said(tmp_path):
    output = read_here(read_bruker_raw, tmp_path / "scan.raw", bruker_raw(state=3))

    assert output.warnings == ["The measurement was aborted."]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (bruker_raw()[:-4], "ends before the last"),
        (bruker_raw()[:800], "ends before scan 1"),
        (bruker_raw([1.0, float("nan")]), "no counts"),
        (bruker_raw([1.0, -7.0]), "no counts"),
        (bruker_raw(scans=0), "no scan"),
    ],
    ids=["cut off", "no range", "no number", "below nothing", "empty"],
)
def test_a_damaged_scan_is_refused(tmp_path, data, said):
    with pytest.raises(Unreadable, match=said):
        read_here(read_bruker_raw, tmp_path / "scan.raw", data)


def vamas(*, scan_mode="REGULAR", values=(5, 9, 7), greatest=9, end="end of experiment") -> str:
    head = ["VAMAS Surface Chemical Analysis Standard Data Transfer Format 1988 May 4", "Institute", "Axis Ultra"]
    head += ["Jenny", "Oxides", "1", "a comment", "NORM", scan_mode, "1", "0", "0", "0", "0", "0", "1"]
    block = ["C 1s/3", "wafer 7", "2026", "3", "14", "9", "26", "53", "1", "0", "XPS", "Al", "1486.6", "150", "0", "0"]
    block += ["0", "0", "FAT", "20", "1", "4.5", "0", "300", "700", "0", "0", "C", "1s", "-1"]
    scanned = ["binding energy", "eV"]
    block += [*scanned, "280", "0.5", "1"] if scan_mode == "REGULAR" else ["2", *scanned]
    block += ["intensity", "d", "pulse counting", "0.1", "3", "0", "0", "0", "0", "0", str(len(values))]
    block += ["5", str(greatest)] if scan_mode == "REGULAR" else ["280", "290", "5", str(greatest)]
    block += map(str, values)
    return "\r\n".join([*head, *block, end, ""])


def test_a_spectrum_of_a_surface_has_its_energies_and_facts(tmp_path):
    output = read_here(read_vamas, tmp_path / "wafer.vms", vamas())

    (curve,) = documents(output, Kind.CURVE)
    assert (curve["title"], curve["x"]["label"], curve["x"]["unit"]) == ("C 1s/3", "Binding energy", "eV")
    assert (curve["y"]["label"], curve["y"]["unit"]) == ("Intensity", "counts")
    assert curve["series"][0]["label"] == "C 1s/3"
    assert (curve["series"][0]["x"], curve["series"][0]["y"]) == ([280, 280.5, 281], [5, 9, 7])
    assert (output.run["technique"], output.run["analyst"], output.run["sample_id"]) == ("XPS", "Jenny", "wafer 7")
    assert output.acquired_at.isoformat() == "2026-03-14T08:26:53+00:00"
    assert output.warnings == []


def test_a_spectrum_is_called_by_its_species_too_where_its_name_does_not_say_it(tmp_path):
    (curve,) = documents(read_here(read_vamas, tmp_path / "a.vms", vamas().replace("C 1s/3", "Survey 3")), Kind.CURVE)

    assert curve["title"] == "Survey 3 C 1s"


def test_a_missing_end_is_said(tmp_path):
    assert read_here(read_vamas, tmp_path / "wafer.vms", vamas(end="")).warnings[0].startswith("Its last line")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (vamas(greatest=8), "beyond"),
        (vamas(values=(5, "x", 7)), "should hold a number"),
        (vamas()[:300], "ends before"),
    ],
    ids=["beyond", "word", "cut off"],
)
def test_damaged_spectra_are_refused(tmp_path, text, said):
    with pytest.raises(Unreadable, match=said):
        read_here(read_vamas, tmp_path / "wafer.vms", text)


def test_an_irregular_scan_has_its_energies_among_its_numbers(tmp_path):
    text = vamas(scan_mode="IRREGULAR", values=(280, 5, 283, 9, 290, 7))

    (curve,) = documents(read_here(read_vamas, tmp_path / "wafer.vms", text), Kind.CURVE)

    assert (curve["x"]["label"], curve["x"]["unit"], curve["y"]["label"]) == ("Binding energy", "eV", "Intensity")
    assert (curve["series"][0]["x"], curve["series"][0]["y"]) == ([280, 283, 290], [5, 9, 7])


LEFT_OUT = [*range(1, 8), 9, 12, *range(29, 33)]  # time, technique, source, species, abscissa, variables


def shortened(entries, *, is_first_whole=True) -> str:
    """Two blocks, of which the second, or both, say only what is not to be left out."""
    lines = vamas().split("\r\n")
    head, block, end = lines[:11], lines[16:-2], lines[-2:]
    comment, energies, signal = block[9], block[12:27], block[-14:]
    short = ["C 1s/4", "wafer 8", comment, *energies, *signal]
    count = -len(entries) if entries == LEFT_OUT else len(entries)
    first = block if is_first_whole else short
    return "\r\n".join([*head, str(count), *map(str, entries), "0", "0", "0", "2", *first, *short, *end])


@pytest.mark.parametrize(
    "entries", [LEFT_OUT, [item for item in range(1, 41) if item not in LEFT_OUT]], ids=["exclusion", "inclusion"]
)
def test_what_later_blocks_leave_out_is_as_in_the_first(tmp_path, entries):
    output = read_here(read_vamas, tmp_path / "wafer.vms", shortened(entries))

    curves = documents(output, Kind.CURVE)
    assert [curve["title"] for curve in curves] == ["C 1s/3", "C 1s/4"]
    assert [curve["series"][0]["x"] for curve in curves] == [[280, 280.5, 281]] * 2
    assert [curve["series"][0]["y"] for curve in curves] == [[5, 9, 7]] * 2
    assert (output.run["technique"], output.run["source"]) == ("XPS", "Al")
    assert output.run["sample_id"] == ["wafer 7", "wafer 8"]
    assert output.warnings == []


@pytest.mark.parametrize("entries", [[41], [0]])
def test_a_list_of_what_no_block_says_is_refused(tmp_path, entries):
    with pytest.raises(Unreadable, match="never say"):
        read_here(read_vamas, tmp_path / "wafer.vms", shortened(entries))


def test_a_shortened_block_that_is_cut_off_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="ends before"):
        read_here(read_vamas, tmp_path / "wafer.vms", shortened(LEFT_OUT)[:-60])


def test_blocks_that_say_nowhere_what_their_axis_is_are_refused(tmp_path):
    with pytest.raises(Unreadable):
        read_here(read_vamas, tmp_path / "wafer.vms", shortened(LEFT_OUT, is_first_whole=False))


def test_a_mode_that_is_not_read_is_left_with_the_reason(tmp_path):
    with pytest.raises(Unrecognised, match="MAPPING"):
        read_here(read_vamas, tmp_path / "wafer.vms", vamas(scan_mode="MAPPING"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("_FUNC001.DAT", "Waters"),
        ("MSScan.bin", "MassHunter"),
        ("analysis.tdf_bin", "Bruker"),
        ("batch 3.wiff.scan", "SCIEX"),
    ],
)
def test_a_format_that_is_not_read_is_called_by_its_name(name, said):
    known = find_unread_format(name, b"")

    assert known is not None
    assert said in known.title


def test_other_files_are_no_format_that_is_not_read():
    assert find_unread_format("notes.txt", b"Thermo") is None
