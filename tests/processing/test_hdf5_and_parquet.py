"""HDF5, NeXus and Parquet: trees, tables and the plots that files name; links that lead out of a file."""

import json

import h5py
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from processing.doubts.file_bytes import list_byte_doubts
from processing.processors import parquet
from processing.processors.hdf5 import reader as hdf5
from processing.readings import Kind, Unreadable
from tests.processing.here import documents, read_here
from tests.processing.techniques import (
    FILES,
    FOLDER,
    find_wrong_facts,
    list_files,
    needs_techniques,
    read_technique,
)

IN_THE_TABLE = ("columns", "metadata", "reads", *(f"entry/{name}" for name in ("I_of_q/I", "I_of_q/Idev", "I_of_q/Q")))
NAMES = dict.fromkeys((*IN_THE_TABLE, "entry/detector_image/counts"), "")
REAL = list_files("hdf5/", "parquet/", "diffraction/xrdml_918-16_10_ref.nxs")


@needs_techniques
@pytest.mark.parametrize("name", REAL)
def test_facts_of_real_files_are_those_of_h5py_and_pyarrow(name):
    assert find_wrong_facts(read_technique(FOLDER / name), FILES[name]["facts"], names=NAMES) == {}


@needs_techniques
@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.9, 0.999])
def test_a_file_of_which_the_end_is_missing_is_refused(name, share, tmp_path):
    whole = (FOLDER / name).read_bytes()
    cut = tmp_path / (FOLDER / name).name
    cut.write_bytes(whole[: int(len(whole) * share)])

    with pytest.raises(Unreadable):
        read_technique(cut)


def read_made(path, fill):
    with h5py.File(path, "w") as file:
        fill(file)
    return read_here(hdf5.read, path.with_suffix(".copy"), path.read_bytes())


def rows_of(output):
    (contents,) = [table for table in documents(output, Kind.TABLE) if table["title"] == "Contents"]
    return {row[0]: row[1:] for row in contents["rows"]}


def test_the_plot_that_nexus_names_comes_first(tmp_path):
    def fill(file):
        file.attrs["default"] = "entry"
        entry = file.create_group("entry")
        entry.attrs.update({"NX_class": "NXentry", "default": "second"})
        for name in ("first", "second"):
            data = entry.create_group(name)
            data.attrs.update({"NX_class": "NXdata", "signal": "counts", "axes": ["angle"]})
            data["counts"], data["angle"] = [3.0, 9.0, 1.0], [10.0, 20.0, 30.0]
            data["angle"].attrs["units"] = "deg"

    output = read_made(tmp_path / "a.nxs", fill)

    first, second = documents(output, Kind.CURVE)
    assert (first["title"], second["title"]) == ("entry/second", "entry/first")
    assert first["x"] == {"label": "angle", "unit": "deg"}
    assert (first["series"][0]["x"], first["series"][0]["y"]) == ([10, 20, 30], [3, 9, 1])
    assert (output.run["format"], output.file["counts_max"]) == ("NeXus", 9)


def test_links_to_other_files_are_listed_and_not_followed(tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as other:
        other["value"] = 42

    def fill(file):
        file["outside"] = h5py.ExternalLink(str(tmp_path / "secret.h5"), "/value")
        file["round"] = file["/"]
        layout = h5py.VirtualLayout(shape=(1,), dtype="i8")
        layout[0] = h5py.VirtualSource(str(tmp_path / "secret.h5"), "value", shape=())
        file.create_virtual_dataset("borrowed", layout)

    output = read_made(tmp_path / "a.h5", fill)

    assert rows_of(output)["outside"][0] == "link to another file"
    assert rows_of(output)["borrowed"][4:] == [None] * 5
    assert output.warnings == [
        "Links to other files are listed and not followed: 1.",
        "Datasets whose values stand in other files: 1.",
    ]


def test_datasets_of_rows_are_tables(tmp_path):
    rows = np.array([(b"A1", 0.5), (b"A2", np.nan)], dtype=[("well", "S2"), ("od", "f8")])

    output = read_made(tmp_path / "a.h5", lambda file: file.create_dataset("reads", data=rows))

    assert documents(output, Kind.TABLE)[0]["rows"] == [["A1", 0.5], ["A2", None]]
    assert output.file["reads_rows"] == 2


def test_what_would_fill_the_memory_is_described_and_not_read(tmp_path):
    def fill(file):
        file.create_dataset("huge", shape=(1_000_000, 1_000_000), dtype="f8", chunks=(1, 1000))

    assert rows_of(read_made(tmp_path / "a.h5", fill))["huge"][:3] == ["dataset", "1000000 x 1000000", "float64"]


def write_table(path, columns, **more):
    pyarrow.parquet.write_table(pyarrow.table(columns), path, **more)
    return path.read_bytes()


def test_columns_of_numbers_are_curves_over_one_that_grows(tmp_path):
    columns = {"t": [0.0, 1.0, 2.0], "od": [0.1, None, 0.3], "well": ["A1", "A1", "A1"]}

    output = read_here(parquet.read, tmp_path / "b.parquet", write_table(tmp_path / "a.parquet", columns))

    (curve,) = documents(output, Kind.CURVE)
    assert curve["series"][0]["y"] == [0.1, None, 0.3]
    rows, described = documents(output, Kind.TABLE)
    assert rows["rows"][1] == [1, None, "A1"]
    assert described["rows"] == [
        ["t", "double", 0, 2, 0],
        ["od", "double", 0.1, 0.3, 1],
        ["well", "string", None, None, None],
    ]


def test_a_table_of_many_rows_is_measured_whole_and_shown_in_part(tmp_path):
    data = write_table(tmp_path / "a.parquet", {"n": list(range(200_000))}, row_group_size=50_000)

    output = read_here(parquet.read, tmp_path / "b.parquet", data)

    assert (output.file["rows"], output.file["n_max"]) == (200_000, 199_999)
    assert len(documents(output, Kind.TABLE)[0]["rows"]) == 5000


def test_bytes_that_were_changed_are_refused(tmp_path):
    data = bytearray(write_table(tmp_path / "a.parquet", {"n": list(range(5000))}))
    data[-200:-150] = bytes(50)

    with pytest.raises((Unreadable, OSError)):
        read_here(parquet.read, tmp_path / "b.parquet", bytes(data))


def test_numbers_of_half_precision_are_numbers(tmp_path):
    values = pyarrow.array(np.array([1.5, 2.5, 0.5], dtype=np.float16))
    pyarrow.parquet.write_table(pyarrow.table({"half": values}), tmp_path / "half.parquet")

    output = read_here(parquet.read, tmp_path / "a.parquet", (tmp_path / "half.parquet").read_bytes())

    assert (output.file["half_min"], output.file["half_max"]) == (0.5, 2.5)


def test_whole_numbers_beyond_those_of_floats_are_numbers(tmp_path):
    moments = [1_700_000_000_000_000_001 + 10**9 * number for number in range(3)]
    table = pyarrow.table({"time_ns": moments, "count": pyarrow.array([1, 2, 2**63], pyarrow.uint64())})
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet")

    output = read_here(parquet.read, tmp_path / "copy.parquet", (tmp_path / "rows.parquet").read_bytes())

    assert output.file["count_max"] == 2**63
    (curve,) = documents(output, Kind.CURVE)
    assert curve["series"][0]["y"] == pytest.approx([1, 2, 2**63])


def test_the_index_of_a_data_frame_is_the_axis(tmp_path):
    described = json.dumps({"index_columns": ["minutes"]})
    table = pyarrow.table({"signal": [1.0, 2.0, 3.0], "minutes": [10, 20, 30]})
    pyarrow.parquet.write_table(table.replace_schema_metadata({"pandas": described}), tmp_path / "rows.parquet")

    output = read_here(parquet.read, tmp_path / "copy.parquet", (tmp_path / "rows.parquet").read_bytes())

    (curve,) = documents(output, Kind.CURVE)
    assert (curve["x"]["label"], curve["series"][0]["label"]) == ("Minutes", "signal")
    assert curve["series"][0]["x"] == [10, 20, 30]


@pytest.mark.parametrize("said", ["no JSON", "[]", '{"index_columns": null}', '{"index_columns": [{"kind": "range"}]}'])
def test_an_index_that_says_no_column_changes_nothing(tmp_path, said):
    table = pyarrow.table({"minutes": [10, 20, 30], "signal": [1.0, 2.0, 3.0]})
    pyarrow.parquet.write_table(table.replace_schema_metadata({"pandas": said}), tmp_path / "rows.parquet")

    output = read_here(parquet.read, tmp_path / "copy.parquet", (tmp_path / "rows.parquet").read_bytes())

    (curve,) = documents(output, Kind.CURVE)
    assert curve["series"][0]["x"] == [10, 20, 30]


def test_room_that_the_library_left_at_the_end_of_a_file_is_no_damage(tmp_path):
    path = tmp_path / "scan.nxs"
    with h5py.File(path, "w") as file:
        file["entry/counts"] = np.arange(30)
        file["entry/counts"].attrs["units"] = "counts"
        file["entry/angle"] = np.linspace(5, 60, 30)
        file["entry/angle"].attrs["axis"] = 1
    whole = path.read_bytes()

    assert whole.endswith(bytes(512))
    assert list(list_byte_doubts(path)) == []
    path.write_bytes(whole[:2000] + bytes(len(whole)))
    assert "are zeros" in " ".join(list_byte_doubts(path))
