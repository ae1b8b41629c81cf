"""mzML as datasets: the peaks of every scan, the scans, chromatograms."""

import numpy as np
import pytest

from processing.processors.mzml import peaks
from processing.processors.mzml.reader import read
from processing.readings import Column, Dataset
from tests.processing.here import read_here
from tests.samples.instruments import mzml, mzml_array, mzml_spectrum

SPECTRA = [
    ("scan=1", 1, 0.5, [100.25, 200.5], [10, 20]),
    ("scan=2", 2, 0.75, [80.125], [7]),
    ("scan=3", 1, 1.0, [100.0, 150.0, 200.0], [1, 2, 3]),
]


def document() -> str:
    shown = [mzml_spectrum(name, level=at, minutes=t, mz=mz, heights=h) for name, at, t, mz, h in SPECTRA]
    ion = '<selectedIon><cvParam accession="MS:1000744" name="selected ion m/z" value="445.34"/></selectedIon>'
    shown[1] = shown[1].replace("<binaryDataArrayList>", f"{ion}<binaryDataArrayList>")
    return mzml(f'<spectrumList count="3">{"".join(shown)}</spectrumList>')


def the_one(output, name: str) -> Dataset:
    (found,) = [one for one in output.datasets if one.name == name]
    return found


def rows_of(dataset: Dataset) -> list[tuple[object, ...]]:
    assert dataset.blocks is not None
    return [row for block in dataset.blocks for row in zip(*(part.tolist() for part in block), strict=True)]


def values_of(dataset: Dataset, name: str) -> object:
    (column,) = [one for one in dataset.columns if one.name == name]
    return column.values.tolist()


EVENTS = [
    (1, 1, 0.5, 100.25, 10), (1, 1, 0.5, 200.5, 20), (2, 2, 0.75, 80.125, 7),
    (3, 1, 1.0, 100.0, 1), (3, 1, 1.0, 150.0, 2), (3, 1, 1.0, 200.0, 3),
]  # fmt: skip


@pytest.mark.parametrize("block_rows", [1, 2, 4, 131_072])
def test_every_peak_is_a_row_with_its_scan_whatever_the_size_of_a_block(tmp_path, monkeypatch, block_rows):
    monkeypatch.setattr(peaks, "BLOCK_ROWS", block_rows)

    events = the_one(read_here(read, tmp_path / "run.mzML", document()), "events")

    assert [(one.name, str(one.type)) for one in events.columns] == [
        ("scan", "int64"), ("ms_level", "int64"), ("retention_time", "float64"), ("m/z", "float32"),
        ("intensity", "float32"),
    ]  # fmt: skip
    assert rows_of(events) == EVENTS


def test_blocks_are_never_larger_than_they_may_be(tmp_path, monkeypatch):
    monkeypatch.setattr(peaks, "BLOCK_ROWS", 2)

    events = the_one(read_here(read, tmp_path / "run.mzML", document()), "events")

    assert [len(block[0]) for block in events.blocks or ()] == [2, 2, 2]


def test_scans_are_a_table_of_their_own(tmp_path):
    scans = the_one(read_here(read, tmp_path / "run.mzML", document()), "scans")

    assert values_of(scans, "scan") == [1, 2, 3]
    assert values_of(scans, "precursor_mz") == [None, 445.34, None]
    assert values_of(scans, "total_ion_current") == [30, 7, 6]
    assert bytes(scans.columns[1].values.data) == b"scan=1scan=2scan=3"


@pytest.mark.parametrize(
    ("stored", "wanted"),
    [({"<f4"}, "float32"), ({"<f4", "<f8"}, "float64"), ({"<i4", "<i8"}, "int64"), ({"<f4", "<i4"}, "float64")],
)
def test_numbers_are_kept_in_the_narrowest_type_that_holds_them_all(stored, wanted):
    assert str(peaks.find_type(stored)) == wanted


def test_of_too_many_scans_there_is_no_dataset_and_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(peaks, "MOST_SCANS", 2)

    output = read_here(read, tmp_path / "run.mzML", document())

    assert output.datasets == []
    assert "peaks are not kept as data" in " ".join(output.warnings)


def test_more_chromatograms_than_are_drawn_are_all_data(tmp_path):
    traces = "".join(
        f'<chromatogram id="SRM {n}"><binaryDataArrayList>'
        + mzml_array("MS:1000595", [n, n + 1])
        + mzml_array("MS:1000515", [2 * n, 3 * n])
        + "</binaryDataArrayList></chromatogram>"
        for n in range(450)
    )

    output = read_here(read, tmp_path / "run.mzML", mzml(f"<chromatogramList>{traces}</chromatogramList>"))

    (artefact,) = output.artefacts
    (dataset,) = artefact.datasets
    heights: Column = dataset.columns[2]
    assert np.asarray(heights.values).tolist() == [number for n in range(450) for number in (2 * n, 3 * n)]
