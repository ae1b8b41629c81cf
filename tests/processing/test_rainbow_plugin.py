"""The optional plug-in of docs/examples/rainbow, over a real file of a mass spectrometer."""

import sys
from importlib import import_module
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from processing.readings import Input, Unreadable
from tests.processing.techniques import FOLDER, list_curves, needs_techniques

PLUGIN = Path(__file__).parents[2] / "docs" / "examples" / "rainbow"
DATA = FOLDER / "mass-spectrometry" / "carotenoid_extract.d" / "MSD1.MS"


@pytest.fixture
def plugin(monkeypatch):
    pytest.importorskip("rainbow", reason="rainbow-api is optional")
    monkeypatch.syspath_prepend(str(PLUGIN))
    yield import_module("rainbow_reading"), import_module("rainbow_types")
    for name in ("rainbow_reading", "rainbow_types"):
        sys.modules.pop(name)


def given(path: Path) -> Input:
    return Input(path, path.name, "agilent-data", ZoneInfo("UTC"))


@needs_techniques
def test_a_real_run_has_the_chromatogram_that_its_file_holds(plugin):
    reading, types = plugin

    output = reading.read_agilent(given(DATA))

    total, spectrum = list_curves(output)
    points = dict(zip(total["series"][0]["y"], total["series"][0]["x"], strict=True))
    assert types.AGILENT.signature(DATA.read_bytes()[:8192])
    assert (output.run["scans"], output.run["channels"], total["series"][0]["points"]) == (2534, 841, 2534)
    assert (max(points), points[max(points)]) == (78352, pytest.approx(24.85665))
    assert (total["series"][0]["x"][0], total["series"][0]["x"][-1]) == (
        pytest.approx(0.0791667),
        pytest.approx(44.97287),
    )
    assert (spectrum["x"]["label"], spectrum["style"]) == ("m/z", "sticks")


def test_a_folder_without_its_data_is_refused(plugin, tmp_path):
    reading, types = plugin
    header = tmp_path / "_HEADER.TXT"
    header.write_text("$$ Version: 01.00\n$$ Acquired Name: a\n")

    assert types.WATERS.signature(header.read_bytes())
    with pytest.raises(Unreadable, match="no data have arrived"):
        reading.read_waters(given(header))
