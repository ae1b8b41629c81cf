"""AnIML documents, and Raman spectra in Renishaw WDF."""

import base64
import struct

import pytest

from processing.processors import animl
from processing.processors.spectra import wdf
from processing.readings import Unreadable
from tests.processing.here import read_here
from tests.processing.techniques import FOLDER, list_curves, list_tables, name_type, needs_techniques, read_technique

ENCODED = base64.b64encode(struct.pack("<3f", 0.5, 1, 0.25)).decode()
ANIML = (
    '<AnIML xmlns="urn:org:astm:animl:schema:core:draft:0.90" version="0.90"><ExperimentStepSet>'
    '<ExperimentStep name="Scan"><Technique name="UV/Vis"/><Method><Device><Name>UV-1</Name></Device></Method>'
    '<Result><SeriesSet name="Spectrum" length="{length}">'
    '<Series name="Wavelength" dependency="independent" seriesType="Float32"><AutoIncrementedValueSet>'
    "<StartValue><F>220</F></StartValue><Increment><F>5</F></Increment></AutoIncrementedValueSet>"
    '<Unit label="nm"/></Series><Series name="Absorbance" dependency="dependent" seriesType="Float32">{values}'
    '<Unit label="AU"/></Series></SeriesSet></Result></ExperimentStep></ExperimentStepSet></AnIML>'
)
INDIVIDUAL = "<IndividualValueSet><F>0.5</F><F>1</F><F>0.25</F></IndividualValueSet>"


@pytest.mark.parametrize("values", [INDIVIDUAL, f"<EncodedValueSet>{ENCODED}</EncodedValueSet>"])
def test_animl_values_stand_against_their_independent_series(tmp_path, values):
    output = read_here(animl.read, tmp_path / "a.animl", ANIML.format(length=3, values=values))

    (curve,) = list_curves(output)
    assert (curve["series"][0]["x"], curve["series"][0]["y"]) == ([220, 225, 230], [0.5, 1, 0.25])
    assert (curve["x"]["unit"], curve["y"]["unit"]) == ("nm", "AU")
    assert list_tables(output)[0]["rows"][1] == [225, 1]
    assert (output.run["technique"], output.run["instrument_model"]) == ("UV/Vis", "UV-1")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (ANIML.format(length=4, values=INDIVIDUAL), "Absorbance announces 4 values and holds 3"),
        (ANIML.format(length=3, values=INDIVIDUAL.replace("0.25", "x")), "The values of Absorbance are damaged"),
        (ANIML.format(length=3, values=INDIVIDUAL)[:400], "The XML is damaged, or ends too early"),
        ("<AnIML/>", "It holds no experiment"),
    ],
)
def test_animl_that_is_not_whole_is_refused(tmp_path, text, sentence):
    with pytest.raises(Unreadable, match=sentence):
        read_here(animl.read, tmp_path / "a.animl", text)


def build_wdf(heights: list[float], *, points: int) -> bytes:
    header = bytearray(512)
    struct.pack_into("<4sIQ", header, 0, b"WDF1", 1, 512)
    struct.pack_into("<IQQ", header, 0x3C, points, 1, 1)
    struct.pack_into("<f", header, 0x9C, 20_000)
    header[0xF0:0xF7] = b"Quartz\0"
    x = struct.pack(f"<2I{points}f", 1, 1, *range(points))
    y = struct.pack(f"<{len(heights)}f", *heights)
    blocks = [struct.pack("<4sIQ", mark, 0, 16 + len(data)) + data for mark, data in ((b"DATA", y), (b"XLST", x))]
    return bytes(header) + b"".join(blocks)


def test_wdf_spectra_stand_against_their_shift(tmp_path):
    output = read_here(wdf.read, tmp_path / "a.wdf", build_wdf([3, 9, 4], points=3))

    (curve,) = list_curves(output)
    assert (curve["title"], curve["series"][0]["y"], curve["x"]["unit"]) == ("Quartz", [3, 9, 4], "1/cm")
    assert output.run["laser_nm"] == 500
    assert name_type(tmp_path / "a.wdf") == "wdf"


def test_wdf_that_lacks_numbers_or_blocks_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="announces 5 numbers; the block DATA holds fewer"):
        read_here(wdf.read, tmp_path / "a.wdf", build_wdf([3, 9, 4], points=5))
    with pytest.raises(Unreadable, match="ends within one of its blocks"):
        read_here(wdf.read, tmp_path / "a.wdf", build_wdf([3, 9, 4], points=3)[:-4])


@needs_techniques
def test_real_files_have_the_numbers_of_the_reference_libraries():
    raman = read_technique(FOLDER / "spectra" / "sp.wdf")
    spectrum = read_technique("animl/generated_uvvis.animl").run

    assert (raman.run["points"], raman.run["measurement_type"], raman.run["spectra"]) == (1015, "single", 1)
    assert raman.run["laser_nm"] == pytest.approx(532.2500935076091, rel=1e-6)
    assert raman.run["x_first"] == pytest.approx(2787.514404296875, rel=1e-6)
    assert raman.run["y_max"] == pytest.approx(1863.2559814453125, rel=1e-6)
    assert (spectrum["points"], spectrum["x_at_y_max"], spectrum["y_max"]) == (21, 260, 0.85)
