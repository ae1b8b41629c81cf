"""DICOM without a picture: waveforms as curves, reports and structure sets as tables."""

import warnings
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from pydicom import Dataset
from pydicom.waveforms.numpy_handler import multiplex_array

from processing.facts import clean_text
from processing.formats.curve import Axis, Curve, Series
from processing.formats.table import Cell, Column, Table
from processing.readings import MAX_VALUES_PER_FACT, Artefact, Json

MAX_GROUPS = 20
MAX_DEPTH = 30
LEAST_HOLE, LEAST_ZEROS = 8, 64  # moments, and samples in them: shorter pauses are measured ones
HOLE = "{} has nothing in any channel for {} moments, and something in all others: the file may be damaged."
Found = tuple[dict[str, Json], list[Artefact]]


def read_waveforms(dataset: Dataset) -> Found:
    """One curve for each group of channels that were sampled together, in the units of the file."""
    groups = list(dataset.WaveformSequence)
    artefacts, first_values = [], []
    for number, group in enumerate(groups[:MAX_GROUPS], start=1):
        values = dataset.waveform_array(number - 1)
        rate = float(group.SamplingFrequency)
        names = [name_channel(channel, place) for place, channel in enumerate(group.ChannelDefinitionSequence, start=1)]
        times = np.arange(len(values)) / rate
        title = clean_text(str(group.get("MultiplexGroupLabel") or f"Waveform {number}"))
        series = [Series(name, times, values[:, place]) for place, name in enumerate(names)]
        unit = find_unit(group.ChannelDefinitionSequence[0])
        artefacts.append(
            Curve(title, Axis("Time", "s"), Axis("Signal", unit), series).artefact(f"waveform-{number}.json")
        )
        first_values.append(float(values[0, 0]))
        if hole := measure_hole(multiplex_array(dataset, number - 1, as_raw=True)):
            warnings.warn(HOLE.format(title, hole), stacklevel=1)
    first = groups[0]
    names = [name_channel(channel, place) for place, channel in enumerate(first.ChannelDefinitionSequence, start=1)]
    return {
        "waveforms": len(groups),
        "channels": len(names),
        "channel_names": list[Json](names),
        "channel_0": names[0],
        "samples": int(first.NumberOfWaveformSamples),
        "sampling_Hz": float(first.SamplingFrequency),
        "first_value": first_values[0],
    }, artefacts


def measure_hole(samples: NDArray[np.int64]) -> int:
    """Moments without a value in any channel that follow each other, where there are no others: as lost blocks read."""
    nothing = np.flatnonzero(~samples.any(axis=1))
    if len(nothing) < LEAST_HOLE or nothing.size * samples.shape[1] < LEAST_ZEROS:
        return 0
    is_one = nothing[-1] - nothing[0] == len(nothing) - 1
    is_within = nothing[0] > 0 and nothing[-1] < len(samples) - 1
    return len(nothing) if is_one and is_within else 0


def name_channel(channel: Dataset, place: int) -> str:
    source = channel.get("ChannelSourceSequence")
    meaning = source[0].get("CodeMeaning") if source else None
    return clean_text(str(meaning or channel.get("ChannelLabel") or f"Channel {place}"))


def find_unit(channel: Dataset) -> str | None:
    units = channel.get("ChannelSensitivityUnitsSequence")
    return clean_text(str(units[0].get("CodeValue") or "")) or None if units else None


def read_report(dataset: Dataset) -> Found:
    """The content tree, one row for each item, indented by its depth."""
    rows: list[list[Cell]] = [list(row) for row in walk_report(dataset, depth=0)]
    columns = [Column("Item"), Column("Type"), Column("Value")]
    title = clean_text(name_concept(dataset) or "Report")
    found: dict[str, Json] = {"content_items": len(dataset.ContentSequence), "report_items": len(rows), "title": title}
    return found, [Table(title, columns, rows).artefact("report.json")]


def walk_report(item: Dataset, *, depth: int) -> Iterator[tuple[str, str, str]]:
    if depth > MAX_DEPTH:
        return
    for child in item.get("ContentSequence") or ():
        yield "  " * depth + name_concept(child), str(child.get("ValueType") or ""), describe_value(child)
        yield from walk_report(child, depth=depth + 1)


def name_concept(item: Dataset) -> str:
    concept = item.get("ConceptNameCodeSequence")
    return str(concept[0].get("CodeMeaning") or "") if concept else ""


def describe_value(item: Dataset) -> str:
    if measured := item.get("MeasuredValueSequence"):
        unit = measured[0].get("MeasurementUnitsCodeSequence")
        return f"{measured[0].get('NumericValue')} {unit[0].get('CodeValue') if unit else ''}".strip()
    if coded := item.get("ConceptCodeSequence"):
        return str(coded[0].get("CodeMeaning") or "")
    return str(next((item[name].value for name in ("TextValue", "PersonName", "DateTime", "UID") if name in item), ""))


def read_structures(dataset: Dataset) -> Found:
    """The regions of interest, with how many contours each has."""
    contours = {
        int(region.get("ReferencedROINumber") or 0): len(region.get("ContourSequence") or ())
        for region in dataset.get("ROIContourSequence") or ()
    }
    regions = [
        (int(region.get("ROINumber") or 0), str(region.get("ROIName") or ""))
        for region in dataset.StructureSetROISequence
    ]
    rows: list[list[Cell]] = [[number, name, contours.get(number, 0)] for number, name in regions]
    columns = [Column("Number"), Column("Region"), Column("Contours")]
    names = [clean_text(name) for _, name in regions[:MAX_VALUES_PER_FACT]]
    return {"rois": list[Json](names)}, [Table("Regions of interest", columns, rows).artefact("regions.json")]


def read_directory(dataset: Dataset) -> Found:
    """A DICOMDIR: the patients, studies, series and files that it lists."""
    kinds = Counter(str(record.get("DirectoryRecordType") or "") for record in dataset.DirectoryRecordSequence)
    rows: list[list[Cell]] = [describe_record(record) for record in dataset.DirectoryRecordSequence]
    found: dict[str, Json] = {"records": len(rows)}
    for kind, plural in (
        ("PATIENT", "patients"),
        ("STUDY", "studies"),
        ("SERIES", "series_count"),
        ("IMAGE", "images"),
    ):
        found[plural] = kinds[kind]
    columns = [Column("Record"), Column("Modality"), Column("Date"), Column("Number"), Column("File")]
    return found, [Table("Directory", columns, rows).artefact("directory.json")] if rows else []


def describe_record(record: Dataset) -> list[Cell]:
    """Without names: those of patients are never in an artefact."""
    parts = record.get("ReferencedFileID")
    place = "/".join([parts] if isinstance(parts, str) else map(str, parts)) if parts else ""
    number = record.get("InstanceNumber") or record.get("SeriesNumber") or record.get("StudyID")
    return [
        str(record.get("DirectoryRecordType") or ""),
        str(record.get("Modality") or ""),
        str(record.get("StudyDate") or record.get("ContentDate") or ""),
        "" if number is None else str(number),
        clean_text(place),
    ]
