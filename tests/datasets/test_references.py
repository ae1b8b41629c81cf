"""From a real file to a DataFrame: every number to its last bit, as the readers that the field uses find it.

Through the whole service: the child reads, the service writes Parquet, and REST streams Arrow.
"""

import csv
import io
from pathlib import Path
from typing import Any

import flowio
import numpy as np
import openpyxl
import pandas
import pyarrow.ipc
import pymzml.run
import pytest

from datasets.models import Dataset
from tests.processing.arrivals import arrived, done
from tests.samples.expected import FOLDER, TECHNIQUES, needs_real_exports

pytestmark = [pytest.mark.django_db, needs_real_exports]
CYTOMETRY, SPECTROMETRY = TECHNIQUES / "flow-cytometry", TECHNIQUES / "mass-spectrometry"


@pytest.fixture
def frame_of(as_token):
    api = as_token("files:read")

    def read(path: Path, name: str) -> pandas.DataFrame:
        file = done(arrived(path.name, path.read_bytes()))
        assert file.error_message is None
        dataset = Dataset.objects.get(source_file=file, name=name)
        answer = api.get(f"/api/v1/datasets/{dataset.pk}/rows?format=arrow")
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        return pyarrow.ipc.open_stream(io.BytesIO(content)).read_pandas()

    return read


def bits_of(values: Any) -> list[int]:
    """Of float64: -0.0 is another than 0.0, and one NaN another than the next."""
    return np.ascontiguousarray(values, dtype=np.float64).view(np.int64).tolist()


@pytest.mark.parametrize(
    "path",
    [
        FOLDER / "flow-cytometry" / "B01 KC-A-W---91-US.fcs",
        CYTOMETRY / "EY_2013-07-19_PBS_FCS_2.0_Custom_Without_Add_Well_A1.001.fcs",
        CYTOMETRY / "G11.fcs",
        CYTOMETRY / "SG_2014-09-26_Duplicate_Names.fcs",
        CYTOMETRY / "cyflow_cube_8.fcs",
        CYTOMETRY / "variable_int_example.fcs",
        CYTOMETRY / "fcs1_cleaned.lmd",
    ],
    ids=lambda path: path.name,
)
def test_events_are_those_of_flowio(frame_of, path):
    found = frame_of(path, "events")

    known = flowio.FlowData(path, ignore_offset_error=True)
    wanted = np.reshape(known.events, (-1, known.channel_count))
    assert found.shape == wanted.shape
    assert bits_of(found.to_numpy(dtype=np.float64)) == bits_of(wanted)


@pytest.mark.parametrize("path", [SPECTROMETRY / "tiny.pwiz.1.1.mzML"], ids=lambda path: path.name)
def test_peaks_are_those_of_pymzml(frame_of, path):
    found = frame_of(path, "events")

    spectra = list(pymzml.run.Reader(str(path)))
    wanted = [(number, one.ms_level, one.mz, one.i) for number, one in enumerate(spectra, start=1)]
    assert found.scan.tolist() == [number for number, _, mz, _ in wanted for _ in mz]
    assert found.ms_level.tolist() == [level for _, level, mz, _ in wanted for _ in mz]
    assert bits_of(found.m_z) == bits_of(np.concatenate([mz for _, _, mz, _ in wanted]))
    assert bits_of(found.intensity) == bits_of(np.concatenate([heights for _, _, _, heights in wanted]))


def test_chromatograms_are_those_of_pymzml(frame_of):
    path = FOLDER / "mass-spectrometry" / "mini.chrom.mzML"
    found = frame_of(path, "chromatograms_s")

    read = pymzml.run.Reader(str(path), skip_chromatogram=False)
    stored = {one.ID: one for one in read if type(one).__name__ == "Chromatogram"}
    assert set(found.trace) == set(stored)
    for name, trace in found.groupby("trace"):
        assert bits_of(trace.retention_time) == bits_of(stored[str(name)].time)
        assert bits_of(trace.intensity) == bits_of(stored[str(name)].i)


def test_a_text_of_columns_holds_what_python_reads(frame_of):
    path = TECHNIQUES / "csv" / "units_row.csv"
    with path.open(newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    numbers = [[float(cell) for cell in row] for row in rows if all(is_number(cell) for cell in row)]

    found = frame_of(path, "table")

    assert len(numbers) == len(found) > 5
    assert bits_of(found.to_numpy(dtype=np.float64)) == bits_of(numbers)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_a_workbook_of_a_plate_reader_holds_what_openpyxl_reads(frame_of):
    path = FOLDER / "plate-reader" / "SLA01P01_OD.xlsx"
    sheet = openpyxl.load_workbook(path, data_only=True).worksheets[0]
    rows = sheet.iter_rows(min_row=2, max_col=2, values_only=True)
    wanted = {well: float(value) for value, well in rows if well is not None}

    found = frame_of(path, "plate_absorbance")

    assert len(wanted) == 96
    assert dict(zip(found.well, bits_of(found.value), strict=True)) == dict(
        zip(wanted, bits_of([*wanted.values()]), strict=True)
    )
