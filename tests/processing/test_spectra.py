"""SPC and OPUS spectra."""

import struct

import numpy as np
import pytest

from processing.processors.spectra import opus, spc
from processing.readings import Unreadable
from processing.recognition.analytical_signatures import is_opus, is_spc
from processing.registry import choose_type
from tests.processing.here import read_here
from tests.processing.reading import read as read_in_child
from tests.processing.techniques import FOLDER, list_curves, needs_techniques, read_technique

MORNING = 2026 << 20 | 3 << 16 | 14 << 11 | 9 << 6 | 26


def build_spc(ordinates: bytes, *, count: int, flags: int = 0, exponent: int = -128, order: str = "<") -> bytes:
    version = 0x4B if order == "<" else 0x4C
    head = struct.pack(f"{order}BBBbiddiBBBBi", flags, version, 4, exponent, count, 4000, 400, 1, 1, 2, 0, 0, MORNING)
    header = head.ljust(88, b"\0") + b"Polystyrene".ljust(130, b"\0")
    return header.ljust(512, b"\0") + bytes(32) + ordinates


def build_parameters(**values) -> bytes:
    content = b""
    for name, value in values.items():
        packed = {int: (0, "<i"), float: (1, "<d")}.get(type(value))
        body = struct.pack(packed[1], value) if packed else value.encode() + b"\0" * (2 - len(value) % 2)
        content += name.encode() + b"\0" + struct.pack("<2H", packed[0] if packed else 2, len(body) // 2) + body
    return (content + b"END\0" + bytes(4)).ljust(200, b"\0")


def build_opus(ordinates: list[float], *, announced: int, highest: float) -> bytes:
    status = build_parameters(
        NPT=announced, FXV=4000.0, LXV=400.0, DXU="WN", MXY=highest, MNY=min(ordinates), CSF=1.0,
        DAT="14/03/2026", TIM="09:26:53.000 (GMT+1)",
    )  # fmt: skip
    data = struct.pack(f"<{len(ordinates)}f", *ordinates)
    blocks = [(0x100F, data), (0x101F, status), (0xA0, build_parameters(SNM="Polystyrene"))]
    position, directory, body = 24 + 12 * len(blocks), b"", b""
    for kind, content in blocks:
        directory += struct.pack("<iii", kind, len(content) // 4, position + len(body))
        body += content
    return b"\x0a\x0a\xfe\xfe" + struct.pack("<d3i", 920622.0, 24, 40, len(blocks)) + directory + body


@pytest.mark.parametrize(
    ("ordinates", "fields"),
    [
        (struct.pack("<3f", 0.5, 1.0, 0.25), {}),
        (struct.pack(">3f", 0.5, 1.0, 0.25), {"order": ">"}),
        (struct.pack("<3i", 2**29, 2**30, 2**28), {"exponent": 2}),
        (struct.pack("<3h", 2**13, 2**14, 2**12), {"exponent": 2, "flags": 1}),
    ],
)
def test_spc_numbers_are_floats_or_fractions_of_a_power(tmp_path, ordinates, fields):
    output = read_here(spc.read, tmp_path / "a.spc", build_spc(ordinates, count=3, **fields))

    (curve,) = list_curves(output)
    assert (curve["series"][0]["x"], curve["series"][0]["y"]) == ([4000, 2200, 400], [0.5, 1, 0.25])
    assert (curve["x"]["unit"], curve["y"]["unit"], curve["title"]) == ("1/cm", "AU", "Polystyrene")
    assert output.run["measured_from"] == "2026-03-14T09:26:00Z"


def test_spc_that_ends_too_early_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="announces 4 points; the file ends before the last"):
        read_here(spc.read, tmp_path / "a.spc", build_spc(bytes(12), count=4))


def test_opus_spectra_stand_against_their_axis_with_sample_and_time(tmp_path):
    output = read_here(opus.read, tmp_path / "a.0", build_opus([0.5, 1.0, 0.25], announced=3, highest=1.0))

    (curve,) = list_curves(output)
    assert (curve["series"][0]["x"], curve["series"][0]["y"]) == ([4000, 2200, 400], [0.5, 1, 0.25])
    assert (output.run["sample_id"], output.acquired_at.isoformat()) == ("Polystyrene", "2026-03-14T08:26:53+00:00")
    assert output.warnings == []


def test_opus_numbers_that_break_what_the_file_says_of_them_are_warned_of(tmp_path):
    output = read_here(opus.read, tmp_path / "a.0", build_opus([0.5, 9.0, 0.25], announced=3, highest=1.0))

    assert output.warnings == ["Absorbance: the highest value is 9, and should be 1."]


def test_opus_that_lacks_points_or_blocks_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="It announces 5 points and holds 3"):
        read_here(opus.read, tmp_path / "a.0", build_opus([0.5, 1.0, 0.25], announced=5, highest=1.0))
    with pytest.raises(Unreadable, match="ends before the last of its blocks"):
        read_here(opus.read, tmp_path / "a.0", build_opus([0.5, 1.0, 0.25], announced=3, highest=1.0)[:-8])


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"BM", b"MM\0*", b"OK,1,2\n", b"\0K", b"AM radio log of the day\n"])
def test_what_only_has_the_version_of_spc_is_no_spc(start):
    assert not is_spc(start.ljust(600, b"\0"))
    assert not is_spc((start + b"words, 1, 2\n" * 60)[:600])
    assert not is_opus(start)


@needs_techniques
def test_real_spectra_have_the_numbers_that_the_reference_libraries_find():
    sulfate = read_in_child(FOLDER / "spectra" / "NDR0002.SPC").run
    resolutions = read_technique("spectra/resolutionPro.spc").run
    vertex = read_in_child(FOLDER / "spectra" / "brukeropus_file.0").run
    alpha = read_technique("spectra/BF_lo_01_soil_cal.1").run
    tensor = read_technique("spectra/issue81_A1.1.0").run

    assert (sulfate["points"], sulfate["y_max"], sulfate["measured_from"]) == (4069, 1, "2014-12-12T04:23:00Z")
    assert sulfate["x_last"] == pytest.approx(88.63693237304688, rel=1e-6)
    assert (resolutions["points"], resolutions["y_max"]) == (1557, 205)
    assert (vertex["points"], vertex["instrument_model"], vertex["scans"]) == (4927, "VERTEX 80V", 50)
    assert vertex["y_first"] == pytest.approx(0.008768923580646515, rel=1e-6)
    assert alpha["y_first"] == pytest.approx(0.12397846579551697, rel=1e-6)
    assert alpha["x_at_y_max"] == pytest.approx(813.7557793858009, rel=1e-6)
    assert (tensor["points"], tensor["sample_id"]) == (1866, "5_19;;test bruker;test")


@pytest.mark.parametrize("exponent", [-128, 128])
def test_a_short_spectrum_of_the_first_version_is_read(tmp_path, exponent):
    header = struct.pack("<BBhfffBBHBBBB", 0, 0x4D, exponent, 3, 400, 402, 1, 2, 2005, 3, 4, 5, 6).ljust(224, b"\0")
    data = header + bytes(32) + np.array([1, 5, 2], "<f4").tobytes()

    assert choose_type(filename="a.spc", head=data, instrument_type="generic").name == "spc"
    run = read_here(spc.read, tmp_path / "a.spc", data).run
    assert (run["points"], run["x_last"], run["y_max"], run["x_at_y_max"]) == (3, 402, 5, 401)
    assert run["measured_from"] == "2005-03-04T05:06:00Z"


def test_a_double_interferogram_is_spc():
    data = bytearray(build_spc(bytes(40), count=10))
    data[28] = 255

    assert choose_type(filename="a.spc", head=bytes(data), instrument_type="generic").name == "spc"


def test_spc_years_that_are_counted_from_1900_are_years(tmp_path):
    data = build_spc(struct.pack("<3f", 0.5, 1.0, 0.25), count=3)
    at = 32  # of the date
    early = data[:at] + struct.pack("<i", 115 << 20 | 3 << 16 | 14 << 11 | 9 << 6 | 26) + data[at + 4 :]

    assert read_here(spc.read, tmp_path / "a.spc", early).run["measured_from"] == "2015-03-14T09:26:00Z"


def test_spc_may_leave_the_count_of_points_to_each_spectrum():
    own_counts = 0x80 | 0x40 | 0x04

    assert is_spc(build_spc(b"", count=0, flags=own_counts))
    assert not is_spc(build_spc(b"", count=0))


@pytest.mark.parametrize(("places", "labels"), [((0, 1, 2.5), ["0", "1", "2.5"]), ((0, 0, 0), ["1", "2", "3"])])
def test_spectra_of_one_spc_are_called_by_their_place_where_each_has_its_own(tmp_path, places, labels):
    whole = bytearray(build_spc(struct.pack("<3f", 0.5, 1.0, 0.25), count=3, flags=4))
    struct.pack_into("<i", whole, 24, 3)
    spectrum = struct.pack("<BbHfffIIf4x", 0, -128, 0, *([0.0] * 3), 0, 0, 0) + struct.pack("<3f", 0.5, 1.0, 0.25)
    spectra = [bytearray(spectrum) for _ in places]
    for place, one in zip(places, spectra, strict=True):
        struct.pack_into("<f", one, 4, place)

    (curve,) = list_curves(read_here(spc.read, tmp_path / "a.spc", bytes(whole[:512]) + b"".join(spectra)))

    assert [series["label"] for series in curve["series"]] == labels
