"""Runs with a plate each, whose Parquet files the service's own writer made, without the readers before it."""

from pathlib import Path

from django.db import connection

from datasets.writing import build_row
from processing.artefacts import ProcessorVersion, store_artefacts
from processing.confined.fork_server_client import ignore_progress
from processing.dataset_making.checks import check_dataset
from processing.dataset_making.files import write_dataset
from processing.dataset_making.parquet import as_artefact, as_new_dataset, write_parquet
from processing.readings import Column, Dataset, DatasetKind
from tests.factories import make_file, make_instrument, make_run
from wire.clock import now

WELLS = [f"{row}{column}" for row in "ABCDEFGH" for column in range(1, 13)]
READER = ProcessorVersion("planted", "1")


def plate(number: int) -> Dataset:
    """One well of each is masked."""
    values = [None if well == number % 96 else (number * 96 + well) / 7 for well in range(96)]
    columns = [Column("well", WELLS), Column("value", values, unit="AU")]
    return Dataset("plate_absorbance", "Absorbance", DatasetKind.PLATE, columns)


def plant_plates(runs: int, folder: Path) -> None:
    instrument = make_instrument()
    for number in range(runs):
        source = make_file(f"plate-{number}.csv", run=make_run(instrument=instrument, run_id=f"run-{number:04}"))
        home = folder / str(number)
        home.mkdir(parents=True)
        write_dataset(home / "0", plate(number), most_bytes=10**6)
        dataset, path = check_dataset(home / "0"), home / "parquet"
        statistics = write_parquet(dataset, source=source, to=path)
        made = [as_artefact(dataset, path)]
        (row,) = store_artefacts(source, made, reader=READER, at=now(), progress=ignore_progress)
        row.save(force_insert=True)
        build_row(source, as_new_dataset(dataset, row, statistics, reader=READER), at=now()).save()
    with connection.cursor() as cursor:  # what autovacuum does within minutes; until then a search may take seconds
        cursor.execute("ANALYZE runs_run, files_file, datasets_dataset")
