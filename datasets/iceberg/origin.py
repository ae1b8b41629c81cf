"""Where the rows of a file are from, as columns of the tables: each file is a partition that says it for all its rows.

The Parquet files hold the dataset and nothing else; Iceberg's readers take a column that a file lacks from its
partition. The names begin with an underscore, which no dataset's own column does.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from datasets.models import Dataset

if TYPE_CHECKING:
    from pyiceberg.manifest import DataFile
    from pyiceberg.partitioning import PartitionSpec
    from pyiceberg.schema import Schema

INSTRUMENT, RUN, SOURCE_FILE = "_instrument", "_run", "_source_file"
ORIGIN_COLUMNS = (INSTRUMENT, RUN, SOURCE_FILE)
PARTITION = "partition"  # as the manifest's form of a file calls it


def describe_place(dataset: Dataset) -> Mapping[str, str]:
    """By column: the instrument's id, the run's name, the path of the file within its run."""
    run, source = dataset.run, dataset.source_file
    return {INSTRUMENT: run.instrument_id, RUN: run.run_id, SOURCE_FILE: source.relative_path}


def build_partitions(schema: "Schema") -> "PartitionSpec":
    from pyiceberg.partitioning import PARTITION_FIELD_ID_START, PartitionField, PartitionSpec
    from pyiceberg.transforms import IdentityTransform

    fields = [
        PartitionField(schema.find_field(name).field_id, number, IdentityTransform(), name)
        for number, name in enumerate(ORIGIN_COLUMNS, start=PARTITION_FIELD_ID_START)
    ]
    return PartitionSpec(*fields)


def put_into_partition(described: "DataFile", dataset: Dataset) -> None:
    from pyiceberg.manifest import DATA_FILE_TYPE, DEFAULT_READ_VERSION
    from pyiceberg.typedef import Record

    place = describe_place(dataset)
    names = [field.name for field in DATA_FILE_TYPE[DEFAULT_READ_VERSION].fields]
    described[names.index(PARTITION)] = Record(*(place[name] for name in ORIGIN_COLUMNS))
