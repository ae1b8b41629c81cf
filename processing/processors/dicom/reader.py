"""DICOM: pictures, waveforms, reports and structures. Names of patients are facts; they are never in an artefact."""

import re
import warnings
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

import pydicom.config
from pydicom import Dataset, dcmread
from pydicom.dataelem import DataElement, RawDataElement
from pydicom.dataset import FileMetaDataset
from pydicom.errors import InvalidDicomError
from pydicom.uid import ExplicitVRBigEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian

from processing.facts import Facts, clean_text
from processing.local_times import as_utc, describe_zone, parse_local_time
from processing.processors.dicom.contents import read_directory, read_report, read_structures, read_waveforms
from processing.processors.dicom.pictures import read_pictures
from processing.readings import Artefact, Input, Json, Output, Unreadable

RUN_KEYWORDS = {
    "modality": "Modality",
    "manufacturer": "Manufacturer",
    "instrument_model": "ManufacturerModelName",
    "serial_number": "DeviceSerialNumber",
    "device_identifier": "StationName",
    "software_version": "SoftwareVersions",
    "analyst": "OperatorsName",
    "institution": "InstitutionName",
    "patient_name": "PatientName",
    "patient_id": "PatientID",
    "study_date": "StudyDate",
    "study": "StudyDescription",
    "series": "SeriesDescription",
    "protocol": "ProtocolName",
    "body_part": "BodyPartExamined",
}
TIMES = ("AcquisitionDateTime", "AcquisitionDate AcquisitionTime", "ContentDate ContentTime", "StudyDate StudyTime")
REQUIRED = ("SOPInstanceUID", "StudyInstanceUID", "SeriesInstanceUID", "Modality")
TEXTS = {"AE", "AS", "CS", "DA", "DS", "DT", "IS", "LO", "LT", "PN", "SH", "ST", "TM", "UC", "UI", "UT"}
PIXEL_KEYWORDS = ("PixelData", "FloatPixelData", "DoubleFloatPixelData")
PIXELS, PADDING = 0x7FE00010, 0xFFFC  # an element, and the group of the only one behind it
NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
WITH_CONTENTS = re.compile(r"Image Storage|Waveform|SR Storage|RT Structure Set")
UNDEFINED_LENGTH = 0xFFFFFFFF
TIME_FORMATS = ("%Y%m%d%H%M%S", "%Y.%m.%d%H:%M:%S", "%Y%m%d%H%M")


def read(given: Input) -> Output:
    """Facts and what there is to show. Unreadable: the file says nothing of what it holds, or ends early."""
    with warnings.catch_warnings(record=True) as wondered:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)
        dataset = open_dataset(given)
        found, artefacts = read_contents(dataset, title=given.filename)
    facts = Facts()
    facts.add("technique", "medical imaging")
    facts.add("format", "DICOM")
    for key, keyword in RUN_KEYWORDS.items():
        facts.add_all(key, list_texts(dataset, keyword))
    facts.add("sop_class", name_sop_class(dataset))
    facts.add("transfer_syntax", name_transfer_syntax(dataset))
    taken_at = find_time(dataset, given)
    if taken_at:
        facts.add_times([taken_at])
    said = dict.fromkeys(clean_text(str(warning.message)) for warning in wondered)
    return Output(
        run=facts.as_json(),
        file={**found, **describe_zone(taken_at, given)},
        acquired_at=as_utc(taken_at),
        artefacts=artefacts,
        warnings=[*(text for text in said if text), *list_doubts(dataset)],
    )


def list_doubts(dataset: Dataset) -> Iterator[str]:
    """Elements that every object has, and texts with characters that stand in none."""
    if "DirectoryRecordSequence" in dataset:
        return
    tags = list(dataset.keys())
    if any(tag > PIXELS and tag.group != PADDING for tag in tags):
        yield "Elements stand behind its picture, where there are none: the file may be damaged."
    elif not is_in_order(dataset):
        yield "Its elements are not in the order of their numbers: a piece may be missing, or stand there twice."
    lost = list_lost(dataset)
    if lost:
        yield f"It lacks {', '.join(lost)}, which every DICOM object has: the file may be damaged."
    texts = (str(element.value) for element in dataset.iterall() if element.VR in TEXTS and element.value)
    if any(NO_TEXT.search(text.rstrip("\0")) for text in texts):
        yield "Its texts hold characters that stand in none: the file may be damaged."


def is_in_order(dataset: Dataset) -> bool:
    """Elements have their place by their number, in every item of a sequence, too."""
    is_rising = all(before < after for before, after in pairwise(dataset.keys()))
    sequences = (element.value for element in dataset if element.VR == "SQ")
    return is_rising and all(is_in_order(item) for items in sequences for item in items)


def open_dataset(given: Input) -> Dataset:
    """Also one without the preamble, as older programs wrote them."""
    settings = pydicom.config.settings
    try:
        settings.reading_validation_mode = pydicom.config.RAISE  # else an early end is only logged
        dataset: Dataset = dcmread(given.path, force=True)
    except EOFError as error:
        raise Unreadable(f"It is no DICOM, or a part of the file is missing: {error}") from error
    except (InvalidDicomError, ValueError) as error:
        settings.reading_validation_mode = pydicom.config.WARN
        dataset = reopen_dataset(given, error)
    finally:
        settings.reading_validation_mode = pydicom.config.WARN
    check_lengths(dataset)
    state_transfer_syntax(dataset)
    if "SOPClassUID" not in dataset and "DirectoryRecordSequence" not in dataset:
        raise Unreadable("It does not say what it holds (no SOP class).")
    return dataset


def state_transfer_syntax(dataset: Dataset) -> None:
    """Of a file without a head, or whose head leaves it out, the plain one by which its elements were read."""
    if getattr(dataset, "file_meta", {}).get("TransferSyntaxUID"):
        return
    is_implicit, is_little_endian = dataset.original_encoding
    plain = ExplicitVRLittleEndian if is_little_endian else ExplicitVRBigEndian
    dataset.file_meta = getattr(dataset, "file_meta", None) or FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = ImplicitVRLittleEndian if is_implicit else plain


def reopen_dataset(given: Input, complaint: Exception) -> Dataset:
    """Of a file that breaks the rules of its notation, as far as it can be read."""
    try:
        dataset = dcmread(given.path, force=True)
        check_known(dataset)
    except (InvalidDicomError, EOFError, ValueError) as error:
        raise Unreadable(f"It is no DICOM, or a part of the file is missing: {complaint}") from error
    warnings.warn(f"It breaks the rules of DICOM ({complaint}): it may be damaged.", stacklevel=1)
    return dataset


def check_known(dataset: Dataset) -> None:
    """ValueError: what was read does not look like an object of DICOM."""
    if not any(keyword in dataset for keyword in ("SOPClassUID", *REQUIRED)):
        raise ValueError("It names no class and no instance.")


def name_sop_class(dataset: Dataset) -> str:
    """What the object is; of a directory of files only the head says it."""
    stated = dataset.get("SOPClassUID") or getattr(dataset, "file_meta", {}).get("MediaStorageSOPClassUID")
    return str(getattr(stated, "name", "") or "")


def check_lengths(dataset: Dataset) -> None:
    """Only the last element can be shorter than it says."""
    last: DataElement | RawDataElement | None = dataset.get_item(list(dataset.keys())[-1])
    if not isinstance(last, RawDataElement) or last.value is None or last.length == UNDEFINED_LENGTH:
        return
    if len(last.value) < last.length:
        raise Unreadable("It ends within its last element: a part of the file is missing.")


def read_contents(dataset: Dataset, *, title: str) -> tuple[dict[str, Json], list[Artefact]]:
    if any(keyword in dataset for keyword in PIXEL_KEYWORDS):
        return read_pictures(dataset, title=title)
    if "WaveformSequence" in dataset:
        return read_waveforms(dataset)
    if "ContentSequence" in dataset:
        return read_report(dataset)
    if "StructureSetROISequence" in dataset:
        return read_structures(dataset)
    if "DirectoryRecordSequence" in dataset:
        return read_directory(dataset)
    kind = name_sop_class(dataset)
    if WITH_CONTENTS.search(kind):
        said = f"It is {kind}, but holds none: a part of the file"
        if "Image Storage" not in kind or list_lost(dataset):
            raise Unreadable(f"{said} is missing.")
        warnings.warn(f"{said} may be missing.", stacklevel=1)  # pictures are left out to pass on the rest
    return {}, []


def list_lost(dataset: Dataset) -> list[str]:
    """What every object has, and this one has not."""
    return [keyword for keyword in REQUIRED if not dataset.get(keyword)]


def list_texts(dataset: Dataset, keyword: str) -> list[str]:
    stated = dataset.get(keyword)
    if stated is None:
        return []
    several = not isinstance(stated, str) and hasattr(stated, "__iter__") and keyword == "SoftwareVersions"
    return [str(value) for value in stated] if several else [str(stated)]


def name_transfer_syntax(dataset: Dataset) -> str:
    syntax = getattr(dataset, "file_meta", {}).get("TransferSyntaxUID")
    return str(syntax.name) if syntax else ""


def find_time(dataset: Dataset, given: Input) -> datetime | None:
    """The first of the times that the file states; it is the instrument's, unless a zone stands with it."""
    for keywords in TIMES:
        stated = "".join(str(dataset.get(keyword) or "") for keyword in keywords.split())
        moment, offset = split_offset(stated, str(dataset.get("TimezoneOffsetFromUTC") or ""))
        time = parse_local_time(
            moment.partition(".")[0] if moment[:8].isdigit() else moment, *TIME_FORMATS, given=given
        )
        if time is not None:
            zoned = parse_offset(time, offset)
            return zoned or time
    return None


def split_offset(stated: str, offset: str) -> tuple[str, str]:
    for sign in "+-":
        moment, found, behind = stated.partition(sign)
        if found and behind.isdigit():
            return moment, sign + behind
    return stated, offset


def parse_offset(time: datetime, offset: str) -> datetime | None:
    try:
        return datetime.strptime(f"{time:%Y%m%d%H%M%S}{offset}", "%Y%m%d%H%M%S%z")
    except ValueError:
        return None
