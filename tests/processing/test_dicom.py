"""DICOM: real files as pydicom reads them, made ones, and copies of which the end is missing."""

import io
import json
from functools import partial

import imagecodecs
import numpy as np
import pytest
from pydicom import dcmread
from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.filebase import DicomBytesIO
from pydicom.filewriter import write_dataset
from pydicom.uid import (
    CTImageStorage,
    ExplicitVRLittleEndian,
    JPEG2000Lossless,
    JPEGLosslessSV1,
    JPEGLSLossless,
    MediaStorageDirectoryStorage,
)

from processing.processors.dicom.reader import read
from processing.readings import Unreadable
from processing.registry import choose_type
from tests.processing.here import read_here
from tests.processing.techniques import (
    FILES,
    FOLDER,
    find_wrong_facts,
    list_files,
    needs_techniques,
    read_technique,
)


@needs_techniques
@pytest.mark.parametrize("name", list_files("dicom/"))
def test_facts_of_real_files_are_those_of_pydicom(name):
    assert find_wrong_facts(read_technique(FOLDER / name), FILES[name]["facts"], names={"preamble": ""}) == {}


@needs_techniques
@pytest.mark.parametrize("name", list_files("dicom/"))
@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8, 0.95, 0.99])
def test_a_file_of_which_the_end_is_missing_is_refused(name, share, tmp_path):
    whole = (FOLDER / name).read_bytes()
    cut = tmp_path / "cut.dcm"
    cut.write_bytes(whole[: int(len(whole) * share)])

    with pytest.raises(Exception, match=r"."):
        read_technique(cut)


def make_image(path, *, syntax=ExplicitVRLittleEndian, directory=False, **more):
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = CTImageStorage, "1.2.3"
    meta.TransferSyntaxUID = syntax
    made = FileDataset(path, {}, file_meta=meta, preamble=b"\0" * 128)
    made.SOPClassUID, made.SOPInstanceUID, made.Modality = CTImageStorage, "1.2.3", "CT"
    made.Rows, made.Columns, made.SamplesPerPixel, made.PhotometricInterpretation = 8, 6, 1, "MONOCHROME2"
    made.BitsAllocated, made.BitsStored, made.HighBit, made.PixelRepresentation = 16, 16, 15, 1
    for keyword, value in more.items():
        setattr(made, keyword, value)
    if directory:
        meta.MediaStorageSOPClassUID = MediaStorageDirectoryStorage
        del made.SOPClassUID
    made.save_as(path)
    return path.read_bytes()


PIXELS = (np.arange(3 * 8 * 6, dtype="<i2") - 20).tobytes()


def test_every_frame_is_measured_and_shown(tmp_path):
    data = make_image(tmp_path / "a.dcm", NumberOfFrames=3, PixelData=PIXELS, AcquisitionDateTime="20260314092653+0100")

    output = read_here(read, tmp_path / "b.dcm", data, zone="UTC")

    assert (output.file["pixel_min"], output.file["pixel_max"], output.file["frames"]) == (-20, 123, 3)
    assert [artefact.name for artefact in output.artefacts] == ["thumbnail.png", "stack-1.json", "stack-1.tiles"]
    assert output.acquired_at.isoformat() == "2026-03-14T08:26:53+00:00"


def test_frames_are_planes_in_the_units_and_the_window_of_the_file(tmp_path):
    window = {"WindowCenter": 40, "WindowWidth": 80, "RescaleSlope": 2, "RescaleIntercept": -1000}
    data = make_image(tmp_path / "a.dcm", NumberOfFrames=3, PixelData=PIXELS, PixelSpacing=[0.5, 0.5], **window)

    said = json.loads(read_here(read, tmp_path / "b.dcm", data, zone="UTC").artefacts[1].data)

    channel = said["channels"][0]
    low, high = (channel["offset"] + channel["scale"] * channel[edge] for edge in ("low", "high"))
    assert (said["depths"], said["pixel_size_um"], low, high) == (3, 500, 0, 80)


@pytest.mark.parametrize(("keyword", "dtype"), [("FloatPixelData", "<f4"), ("DoubleFloatPixelData", "<f8")])
def test_pixels_of_floats_are_measured_and_shown(keyword, dtype, tmp_path):
    values = (np.arange(3 * 8 * 6, dtype=dtype) - 20) / 8
    values[5] = np.nan
    said = {"NumberOfFrames": 3, "BitsAllocated": 8 * values.itemsize, keyword: values.tobytes()}
    data = make_image(tmp_path / "a.dcm", StudyInstanceUID="1.2", SeriesInstanceUID="1.2.4", **said)

    output = read_here(read, tmp_path / "b.dcm", data)

    assert (output.file["pixel_min"], output.file["pixel_max"]) == (-2.5, 15.375)
    assert output.file["array_shape"] == [3, 8, 6]
    assert [artefact.name for artefact in output.artefacts] == ["thumbnail.png", "stack-1.json", "stack-1.tiles"]
    assert output.warnings == []


@pytest.mark.parametrize(("is_implicit", "is_little_endian"), [(True, True), (False, True), (False, False)])
def test_a_file_without_a_head_is_read_by_the_notation_of_its_elements(is_implicit, is_little_endian, tmp_path):
    made = dcmread(io.BytesIO(make_image(tmp_path / "a.dcm", PixelData=PIXELS[:96])))
    if not is_little_endian:
        made.PixelData = np.frombuffer(PIXELS[:96], "<i2").astype(">i2").tobytes()
    written = DicomBytesIO()
    written.is_implicit_VR, written.is_little_endian = is_implicit, is_little_endian
    write_dataset(written, Dataset(made))

    output = read_here(read, tmp_path / "b.dcm", written.getvalue())

    assert (output.file["pixel_min"], output.file["pixel_max"], output.file["pixel_mean"]) == (-20, 27, 3.5)


def test_a_picture_with_too_few_bytes_is_refused(tmp_path):
    data = make_image(tmp_path / "a.dcm", NumberOfFrames=3, PixelData=PIXELS[:-20])

    with pytest.raises(Unreadable, match="cannot be decoded"):
        read_here(read, tmp_path / "b.dcm", data)


def test_a_picture_beyond_all_size_is_refused_before_it_is_decoded(tmp_path):
    data = make_image(tmp_path / "a.dcm", Rows=60_000, Columns=60_000, PixelData=PIXELS)

    with pytest.raises(Unreadable, match="million pixels"):
        read_here(read, tmp_path / "b.dcm", data)


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"II*\0".ljust(128, b"\0") + b"DICM", "dicom"),
        (b"II*\0".ljust(256, b"\0"), "image"),
        (b"\x08\0\x05\0\x0a\0\0\0ISO_IR 100", "dicom"),
        (b"\x08\0\x05\0CS\x0a\0ISO_IR 100", "dicom"),
        (b"\x08\0\x05\0\0\0\0\0\0\0\0\0\0", None),
    ],
)
def test_dicom_is_told_from_tiff_by_its_first_bytes(head, name):
    chosen = choose_type(filename="data", head=head, instrument_type="generic")

    assert (chosen.name if chosen else None) == name


@pytest.mark.parametrize(
    ("syntax", "encode"),
    [
        (JPEGLSLossless, imagecodecs.jpegls_encode),
        (JPEGLosslessSV1, imagecodecs.ljpeg_encode),
        (JPEG2000Lossless, partial(imagecodecs.jpeg2k_encode, level=0, codecformat="j2k")),
    ],
)
def test_pictures_that_pillow_does_not_decode_have_the_same_numbers(syntax, encode, tmp_path):
    pixels = np.arange(8 * 6, dtype=np.uint16).reshape(8, 6) * 1000
    data = make_image(
        tmp_path / "a.dcm", syntax=syntax, PixelRepresentation=0, PixelData=encapsulate([bytes(encode(pixels))])
    )

    output = read_here(read, tmp_path / "b.dcm", data)

    assert (output.file["pixel_min"], output.file["pixel_max"]) == (0, 47_000)


def test_a_directory_lists_its_records_without_names(tmp_path):
    records = [Dataset(), Dataset()]
    records[0].DirectoryRecordType, records[0].PatientName = "PATIENT", "Doe^Jane"
    records[1].DirectoryRecordType, records[1].ReferencedFileID = "IMAGE", ["CT", "IM01"]
    data = make_image(tmp_path / "a.dcm", directory=True, DirectoryRecordSequence=records)

    output = read_here(read, tmp_path / "DICOMDIR", data)

    assert (output.file["patients"], output.file["images"], output.warnings) == (1, 1, [])
    assert output.run["sop_class"] == "Media Storage Directory Storage"
    assert b"CT/IM01" in output.artefacts[0].data
    assert b"Doe" not in output.artefacts[0].data


def test_a_picture_that_was_left_out_is_told_and_the_facts_are_read(tmp_path):
    data = make_image(tmp_path / "a.dcm", StudyInstanceUID="1.2", SeriesInstanceUID="1.3", PatientID="P-7")

    output = read_here(read, tmp_path / "b.dcm", data)

    assert output.run["patient_id"] == "P-7"
    assert output.warnings == ["It is CT Image Storage, but holds none: a part of the file may be missing."]
