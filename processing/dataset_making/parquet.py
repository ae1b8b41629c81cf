"""Datasets as Apache Parquet, which the service writes itself: zstd, bounded row groups, statistics of every column."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from datasets.writing import NewDataset
from files.models import File
from processing.artefacts import ProcessorVersion
from processing.confined.fork_server_client import Progress, ignore_progress
from processing.confined.output import CheckedArtefact
from processing.dataset_making.checked import CheckedColumn, CheckedDataset
from processing.dataset_making.checks import arrow_type, read_batches
from processing.dataset_making.column_statistics import ColumnStatistics
from processing.dataset_making.values import BLOCK_ROWS, ColumnType
from processing.readings import Kind

if TYPE_CHECKING:
    import pyarrow

PARQUET_TYPE = "application/vnd.apache.parquet"


def write_parquet(
    dataset: CheckedDataset, *, source: File, to: Path, progress: Progress = ignore_progress
) -> list[ColumnStatistics]:
    """The Parquet file, and what is known of each column. The same values make the same bytes. Raises InvalidOutput."""
    import pyarrow.parquet

    schema = build_schema(dataset, source)
    statistics = [ColumnStatistics(column.type) for column in dataset.columns]
    texts = [column.name for column in dataset.columns if column.type is ColumnType.STRING]
    form = {"compression": "zstd", "use_dictionary": texts, "store_schema": False}  # Parquet has our types
    with pyarrow.parquet.ParquetWriter(to, schema, **form) as writer:
        writer.add_key_value_metadata(schema.metadata)
        for batch in read_batches(dataset, schema):
            for one, values in zip(statistics, batch.columns, strict=True):
                one.add(values)
            writer.write_batch(batch, row_group_size=BLOCK_ROWS)
            progress()
    return statistics


def build_schema(dataset: CheckedDataset, source: File) -> "pyarrow.Schema":
    """Units, run and source travel with the numbers."""
    import pyarrow

    fields = [pyarrow.field(column.name, arrow_type(column.type)) for column in dataset.columns]
    named = {"ids.columns": as_line(name_columns(dataset)), "ids.unit": as_line(list_units(dataset))}
    return pyarrow.schema(fields, metadata={**describe_source(dataset, source), **named})


def name_columns(dataset: CheckedDataset) -> dict[str, dict[str, str]]:
    """By column its unit, role and title, as far as it has them: a plain line of the file's metadata.

    Arrow's own copy of the schema would hold the same, and be half of a small file.
    """
    said = {one.name: {"unit": one.unit, "role": one.role, "title": one.title} for one in dataset.columns}
    return {name: {key: str(value) for key, value in of.items() if value} for name, of in said.items()}


def list_units(dataset: CheckedDataset) -> dict[str, str]:
    """By column, for readers that look for the key which answers have at each column."""
    return {one.name: one.unit for one in dataset.columns if one.unit}


def as_line(said: Mapping[str, Any]) -> str:
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def describe_source(dataset: CheckedDataset, source: File) -> Mapping[str, str]:
    return {
        "ids.instrument_id": source.run.instrument_id,
        "ids.run_id": source.run.run_id,
        "ids.source_filename": source.filename,
        "ids.source_file_id": str(source.pk),
        "ids.dataset": dataset.name,
        "ids.title": dataset.title,
        "ids.kind": str(dataset.kind),
    }


def name_parquet(dataset: CheckedDataset) -> str:
    return f"{dataset.name}.parquet"


def as_artefact(dataset: CheckedDataset, path: Path) -> CheckedArtefact:
    """The Parquet file among the artefacts; pages show its rows, not the file."""
    name, size = name_parquet(dataset), path.stat().st_size
    return CheckedArtefact(name, Kind.DATASET, PARQUET_TYPE, dataset.title, path, size, is_drawn=False)


def as_new_dataset(
    dataset: CheckedDataset, file: File, statistics: list[ColumnStatistics], *, reader: ProcessorVersion
) -> NewDataset:
    names = [column.name for column in dataset.columns]
    return NewDataset(
        file=file,
        name=dataset.name,
        title=dataset.title,
        kind=str(dataset.kind),
        columns=[describe_column(column) for column in dataset.columns],
        row_count=dataset.row_count,
        statistics={name: one.as_json() for name, one in zip(names, statistics, strict=True)},
        processor=reader.name,
        processor_version=reader.version,
    )


def describe_column(column: CheckedColumn) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": str(column.type),
        "unit": column.unit,
        "role": str(column.role) if column.role else None,
        "title": column.title,
    }
