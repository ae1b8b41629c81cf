"""What datasets add to a reading: the real exports, each read in this process, then its tables written and described.

`pytest -m benchmark tests/benchmarks/test_datasets_at_reading.py -s`. Processor time in one process; then beside the
clock of the same reading in the child that the service starts for it, which the store and the database are not in.
"""

import shutil
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from files.models import File
from processing.confined.job import DATASETS_FOLDER, UNPACKED_FOLDER, ReadingJob, read_input, write_datasets
from processing.confined.reading import build_job, put_input, read_file, scratch_folder
from processing.dataset_making.checks import check_datasets
from processing.dataset_making.parquet import write_parquet
from processing.readings import HEAD_BYTES, InstrumentType, Output
from processing.registry import choose_type
from tests.factories import make_file
from tests.samples.expected import FILES, FOLDER, needs_real_exports, type_of

pytestmark = [pytest.mark.benchmark, pytest.mark.django_db, needs_real_exports]
ROUNDS, ROOM, MOST = 3, 2**32, 0.2
TEXT = {".csv", ".txt", ".tsv", ".asc", ".dat", ".jdx", ".dx", ".xml"}


@dataclass(frozen=True)
class Cost:
    """Seconds, and bytes of the Parquet files together. `whole`: by the clock, in a child, datasets included."""

    reading: float
    writing: float
    whole: float
    parquet_bytes: int


def test_datasets_add_little_to_a_reading(capsys):
    source = make_file("export.csv")
    costs = {name: cost for name in FILES if (cost := measure(FOLDER / name, type_of(FILES[name]), source=source))}

    shares = sorted((one.writing / one.reading, name) for name, one in costs.items())
    of_whole = sorted((one.writing / max(one.whole - one.writing, one.reading), name) for name, one in costs.items())
    together = sum(one.writing for one in costs.values()) / sum(one.reading for one in costs.values())
    texts = {name: one for name, one in costs.items() if Path(name).suffix.lower() in TEXT}
    larger = [name for name, one in texts.items() if one.parquet_bytes > (FOLDER / name).stat().st_size]
    with capsys.disabled():
        sys.stdout.write(
            f"\n{len(costs)} exports with datasets: {together:.0%} more for all together, each {describe(shares)}\n"
            f"Beside a whole reading: {describe(of_whole)}; <= 20 %\n"
            f"Parquet larger than the raw file: {len(larger)} of {len(texts)} text files\n"
        )
    assert costs


def describe(shares: list[tuple[float, str]]) -> str:
    most, name = shares[-1]
    within = sum(share <= MOST for share, _ in shares)
    return f"median {statistics.median(share for share, _ in shares):.0%}, most {most:.0%} ({name}), {within} within"


def measure(path: Path, instrument_type: str, *, source: File) -> Cost | None:
    """The least of some rounds; None where nobody reads the file, or it has no datasets."""
    with path.open("rb") as file:
        kind = choose_type(filename=path.name, head=file.read(HEAD_BYTES), instrument_type=instrument_type)
    if kind is None or kind.folder is not None:
        return None
    with scratch_folder() as home:
        put_input(home, path, filename=path.name)
        job = ReadingJob(**build_job(kind, filename=path.name, time_zone="UTC"))  # type: ignore[arg-type]  # as JSON has it
        rounds = [measure_round(home, job, source=source) for _ in range(ROUNDS)]
    if not rounds[0][2]:
        return None
    whole = min(time_whole(path, kind) for _ in range(ROUNDS))
    return Cost(min(one[0] for one in rounds), min(one[1] for one in rounds), whole, rounds[0][2])


def time_whole(path: Path, kind: InstrumentType) -> float:
    with scratch_folder() as home:
        put_input(home, path, filename=path.name)
        began = time.monotonic()
        read_file(home, filename=path.name, kind=kind, time_zone="UTC")
        return time.monotonic() - began


def measure_round(home: Path, job: ReadingJob, *, source: File) -> tuple[float, float, int]:
    """Seconds of reading and of writing, and bytes written."""
    shutil.rmtree(home / UNPACKED_FOLDER, ignore_errors=True)
    began = time.process_time()
    output = read_input(home, job)
    read = time.process_time()
    written = write_all(home, output, source=source)
    return read - began, time.process_time() - read, written


def write_all(home: Path, output: Output, *, source: File) -> int:
    """As the child and then the service do it."""
    shutil.rmtree(home / DATASETS_FOLDER, ignore_errors=True)
    write_datasets(home / DATASETS_FOLDER, output, room=ROOM)
    total = 0
    for number, dataset in enumerate(check_datasets(home / DATASETS_FOLDER)):
        to = home / f"{number}.parquet"
        write_parquet(dataset, source=source, to=to)
        total += to.stat().st_size
    return total
