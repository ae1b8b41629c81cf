"""From the datasets of a reading to Parquet files beside its artefacts, and to the rows that describe them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from datasets.writing import NewDataset
from files.models import File
from processing import failures
from processing.artefacts import ProcessorVersion, artefact_path
from processing.confined.fork_server_client import Progress
from processing.confined.output import CheckedArtefact, InvalidOutput
from processing.dataset_making.checked import CheckedDataset
from processing.dataset_making.column_statistics import ColumnStatistics
from processing.dataset_making.parquet import as_artefact, as_new_dataset, write_parquet
from processing.failures import ReadingFailed
from processing.readings import InstrumentType

FOLDER = "parquet"


@dataclass(frozen=True)
class MadeDataset:
    dataset: CheckedDataset
    artefact: CheckedArtefact
    statistics: list[ColumnStatistics]


def build_datasets(
    source: File, found: Sequence[CheckedDataset], *, folder: Path, kind: InstrumentType, progress: Progress
) -> list[MadeDataset]:
    """Written into the folder of the reading. Raises ReadingFailed: a column is not what the child said."""
    to = folder / FOLDER
    to.mkdir(mode=0o700)
    made = []
    for number, dataset in enumerate(found):
        progress()
        path = to / str(number)
        try:
            statistics = write_parquet(dataset, source=source, to=path, progress=progress)
        except InvalidOutput as error:
            raise ReadingFailed(failures.describe_invalid_output(kind, str(error))) from error
        made.append(MadeDataset(dataset, as_artefact(dataset, path), statistics))
    return made


def describe_datasets(
    made: Sequence[MadeDataset], rows: Sequence[File], *, reader: ProcessorVersion
) -> list[NewDataset]:
    """One for each Parquet file that was stored; somebody else's file may stand in the way of one."""
    stored = {row.relative_path: row for row in rows}
    found = []
    for one in made:
        source = next((row.source_file for row in rows), None)
        file = stored.get(artefact_path(source, one.artefact)) if source is not None else None
        if file is not None:
            found.append(as_new_dataset(one.dataset, file, one.statistics, reader=reader))
    return found
