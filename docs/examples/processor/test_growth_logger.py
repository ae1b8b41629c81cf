import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from growth_logger import is_growth_log
from growth_logger_reading import read

from processing.readings import Input, Unreadable

SAMPLE = Path(__file__).with_name("sample.gro")


def given(path: Path) -> Input:
    return Input(path, path.name, "growth-logger", ZoneInfo("Europe/Berlin"))


def test_a_log_becomes_facts_a_curve_and_a_plate():
    output = read(given(SAMPLE))

    assert output.run["strain"] == "E. coli K-12"
    assert output.acquired_at.isoformat() == "2026-03-14T09:26:53+01:00"
    curve, plate = (json.loads(artefact.data) for artefact in output.artefacts)
    assert curve["series"][1]["y"] == [0.05, None, 0.079]
    assert plate["wells"]["A1"]["values"] == [0.051, 0.064, 0.081]
    assert output.warnings == ["1 readings hold no number (OVR)."]


def test_a_log_without_readings_says_so(tmp_path):
    path = tmp_path / "empty.gro"
    path.write_text("GROWTH-LOGGER 1\nstarted: 2026-03-14 09:26:53\n\nwell,minute,od600\n")

    with pytest.raises(Unreadable, match="holds no readings"):
        read(given(path))


def test_a_log_is_told_by_its_first_bytes():
    assert is_growth_log(SAMPLE.read_bytes())
