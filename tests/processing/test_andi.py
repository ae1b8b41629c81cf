"""ANDI chromatography and mass spectrometry in NetCDF."""

import h5py
import numpy as np
import pytest
from scipy.io import netcdf_file

from processing.processors.andi import read
from processing.readings import Unreadable, Unrecognised
from tests.processing.here import read_here
from tests.processing.reading import read as read_in_child
from tests.processing.techniques import FOLDER, list_curves, list_tables, needs_techniques, read_technique


@pytest.fixture
def write(tmp_path):
    """write(attributes, name=(dimension, numbers), …) makes a NetCDF file."""

    def make(attributes, **variables):
        path = tmp_path / "run.cdf"
        with netcdf_file(path, "w") as dataset:
            for name, value in attributes.items():
                setattr(dataset, name, value)
            for dimension, numbers in variables.values():
                if dimension not in dataset.dimensions:
                    dataset.createDimension(dimension, len(numbers))
            for name, (dimension, numbers) in variables.items():
                dataset.createVariable(name, "f8", (dimension,))[:] = np.array(numbers, dtype=float)
        return path.read_bytes()

    return make


def test_a_chromatogram_is_drawn_against_its_sampling_interval(tmp_path, write):
    data = write(
        {"detector_unit": "mAU", "retention_unit": "seconds", "sample_name": "S1"},
        ordinate_values=("point_number", [0.0, 2.0, 1.0]),
        actual_delay_time=("one", [1.0]),
        actual_sampling_interval=("one", [0.5]),
    )

    output = read_here(read, tmp_path / "a.cdf", data)

    (curve,) = list_curves(output)
    assert (curve["series"][0]["x"], curve["series"][0]["y"]) == ([1, 1.5, 2], [0, 2, 1])
    assert (curve["x"]["unit"], curve["y"]["unit"]) == ("s", "mAU")
    assert (output.run["sample_id"], output.run["x_at_y_max"]) == ("S1", 1.5)


def test_points_without_a_sampling_interval_are_refused(tmp_path, write):
    with pytest.raises(Unreadable, match="how much time lies between two points"):
        read_here(read, tmp_path / "a.cdf", write({}, ordinate_values=("point_number", [0.0, 2.0])))


def test_a_scan_that_points_outside_the_file_is_refused(tmp_path, write):
    data = write(
        {},
        scan_acquisition_time=("scan", [1.0]),
        total_intensity=("scan", [9.0]),
        scan_index=("scan", [0]),
        point_count=("scan", [5]),
        mass_values=("point", [100.0, 200.0]),
        intensity_values=("point", [4.0, 5.0]),
    )

    with pytest.raises(Unreadable, match="Scan 1 has points that are not in the file"):
        read_here(read, tmp_path / "a.cdf", data)


def test_netcdf_that_says_it_is_andi_and_lacks_what_that_holds_is_left_alone(tmp_path, write):
    with pytest.raises(Unrecognised, match="neither ANDI chromatography nor ANDI mass spectrometry"):
        read_here(read, tmp_path / "a.cdf", write({"aia_template_revision": "1.0"}, temperature=("time", [1.0])))


@needs_techniques
def test_a_real_liquid_chromatogram_has_its_points_and_peaks():
    found = read_in_child(FOLDER / "chromatography" / "agilent_hplc.cdf")

    assert (found.run["points"], found.run["peaks"], found.run["run_time"]) == (4651, 8, 1860)
    assert found.run["y_max"] == pytest.approx(119.02395629882812, rel=1e-6)
    assert found.run["y_first"] == pytest.approx(-0.07588416337966919, rel=1e-6)
    assert found.acquired_at.isoformat() == "2018-10-30T17:43:05+00:00"
    assert found.artefacts["peaks.json"].document["rows"][0][:2] == [196.0651, 186.812]


@needs_techniques
def test_a_real_gas_chromatography_run_has_all_its_scans():
    found = read_in_child(FOLDER / "chromatography" / "agilent-gcms.cdf")

    assert (found.run["spectra"], found.run["mass_points"], found.run["tic_max"]) == (6401, 157201, 5207687)
    assert (found.run["time_first"], found.run["time_at_tic_max"], found.run["mz_min"]) == (5.25, 117.895, 12)
    assert found.run["mz_max"] == pytest.approx(429.20001220703125, rel=1e-6)


@needs_techniques
@pytest.mark.parametrize("share", [0.01, 0.3, 0.9, 0.999])
@pytest.mark.parametrize("name", ["agilent_hplc.cdf", "agilent-gcms.cdf"])
def test_a_real_file_that_was_cut_off_is_not_read(tmp_path, name, share):
    data = (FOLDER / "chromatography" / name).read_bytes()

    with pytest.raises(Exception, match=r".+"):  # whatever the library says of it, told as damage
        read_here(read, tmp_path / name, data[: int(len(data) * share)])


@needs_techniques
def test_peaks_are_marked_where_the_file_has_them():
    (curve,) = list_curves(read_technique("chromatography/agilent_hplc.cdf"))

    assert len(curve["marks"]) == 8
    assert curve["marks"][0] == {"label": "Peak 1", "x": 196.0651, "area": 556.765, "bounds": [186.812, 220.812]}


def write_as_netcdf4(path, *, classic):
    """As a conversion does it: the same variables and attributes, dimensions as scales."""
    with netcdf_file(classic, "r", mmap=False) as old, h5py.File(path, "w") as new:
        new.attrs.update({name: np.bytes_(value) for name, value in old._attributes.items()})
        for name, variable in old.variables.items():
            kept = new.create_dataset(name, data=variable.data.astype(variable.data.dtype.newbyteorder("<")))
            kept.attrs.update({key: np.atleast_1d(value) for key, value in variable._attributes.items()})
        for name, length in old.dimensions.items():
            if name not in new:
                new.create_dataset(name, shape=(length or 0,), dtype="f4").make_scale(name)


@needs_techniques
@pytest.mark.parametrize("name", ["agilent_hplc.cdf", "agilent-gcms.cdf"])
def test_netcdf_4_is_read_as_classic_netcdf(name, tmp_path):
    classic = FOLDER / "chromatography" / name
    write_as_netcdf4(tmp_path / name, classic=classic)

    usual, found = read_in_child(classic), read_in_child(tmp_path / name)

    assert (found.run, found.acquired_at, found.warnings) == (usual.run, usual.acquired_at, [])
    assert {key: kept.data for key, kept in found.artefacts.items()} == {
        key: kept.data for key, kept in usual.artefacts.items()
    }


def test_netcdf_of_another_convention_is_its_variables(tmp_path, write):
    data = write(
        {"title": "Tank 3", "institution": "Pilot plant"},
        minutes=("minutes", [0, 1, 2]),
        temperature=("minutes", [20.5, 21, 23]),
        depth=("layer", [5, 5]),
    )

    output = read_here(read, tmp_path / "tank.nc", data)

    assert (output.run["format"], output.run["title"], output.run["variables"]) == ("NetCDF", "Tank 3", 3)
    (curve,) = list_curves(output)
    assert (curve["x"]["label"], curve["y"]["label"]) == ("minutes", "temperature")
    assert curve["series"][0]["y"] == [20.5, 21, 23]
    (table,) = list_tables(output)
    assert table["rows"][1] == ["temperature", "", "minutes", ">f8", "", 20.5, 23, 20.5, 23]
