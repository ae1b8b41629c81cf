"""MATLAB: variables as scipy writes them, in both notations, and what is no such file."""

import io

import numpy as np
import pytest
from scipy.io import savemat

from processing.processors.matlab import read
from processing.readings import Kind, Unreadable
from processing.registry import choose_type
from tests.processing.here import documents, read_here

VARIABLES = {"time": np.arange(10.0), "signal": np.arange(10.0) ** 2, "operator": "Ann", "laser": {"nm": 532.0}}


def write(variables, **options):
    written = io.BytesIO()
    savemat(written, variables, **options)
    return written.getvalue()


@pytest.mark.parametrize("options", [{}, {"do_compression": True}])
def test_variables_are_curves_and_facts(options, tmp_path):
    data = write(VARIABLES, **options)

    output = read_here(read, tmp_path / "a.mat", data)

    assert choose_type(filename="a.dat", head=data, instrument_type="generic").name == "matlab"
    (curve,) = documents(output, Kind.CURVE)
    assert (curve["x"]["label"], curve["y"]["label"], curve["series"][0]["y"][-1]) == ("time", "signal", 81)
    assert output.run["array_names"] == ["laser.nm", "operator", "signal", "time"]
    assert (output.file["operator"], output.file["signal_max"]) == ("Ann", 81)


def test_the_older_notation_is_read_by_its_name(tmp_path):
    data = write({"x": np.arange(12.0).reshape(3, 4)}, format="4")

    assert choose_type(filename="a.mat", head=data, instrument_type="generic").name == "matlab"
    assert read_here(read, tmp_path / "a.mat", data).file["x_max"] == 11


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("options", [{}, {"do_compression": True}])
def test_a_file_that_was_cut_off_is_refused(options, share, tmp_path):
    data = write({"x": np.random.default_rng(1).random(500)}, **options)

    with pytest.raises(Unreadable):
        read_here(read, tmp_path / "a.mat", data[: int(len(data) * share)])


def test_variables_that_would_fill_the_memory_are_refused_before_they_are_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("processing.processors.matlab.MAX_BYTES", 100)

    with pytest.raises(Unreadable, match="larger than"):
        read_here(read, tmp_path / "a.mat", write(VARIABLES))
