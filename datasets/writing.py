"""How datasets come into being: what a reading found takes the place of what an earlier one found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from datasets.models import Dataset
from files.models import File

UPDATED_COLUMNS = (
    *("file", "title", "kind", "columns", "column_names", "row_count", "statistics"),
    *("processor", "processor_version"),
)


@dataclass(frozen=True)
class NewDataset:
    """A table whose Parquet file is stored and recorded."""

    file: File
    name: str
    title: str
    kind: str
    columns: Sequence[Mapping[str, Any]]
    row_count: int
    statistics: Mapping[str, Any]
    processor: str
    processor_version: str


def save_datasets(source: File, found: Sequence[NewDataset], *, at: datetime) -> None:
    """Within the transaction that saves their files: these are the file's datasets, and no others."""
    Dataset.objects.filter(source_file=source).exclude(name__in=[one.name for one in found]).delete()
    Dataset.objects.bulk_create(
        [build_row(source, one, at=at) for one in found],
        update_conflicts=True,
        unique_fields=["source_file", "name"],
        update_fields=UPDATED_COLUMNS,
    )


def build_row(source: File, found: NewDataset, *, at: datetime) -> Dataset:
    return Dataset(
        run_id=source.run_id,
        source_file=source,
        file=found.file,
        name=found.name,
        title=found.title,
        kind=found.kind,
        columns=list(found.columns),
        column_names=[column["name"] for column in found.columns],
        row_count=found.row_count,
        statistics=dict(found.statistics),
        processor=found.processor,
        processor_version=found.processor_version,
        created_at=at,
    )
