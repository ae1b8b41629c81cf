"""Rows of datasets over REST, beside DuckDB and pyarrow on the same files in the same process.

`pytest -m benchmark tests/benchmarks/test_datasets.py -s`. Requests are answered in the test's process: no sockets,
and the memory is that of the web process and the engine together. Medians of pairs, taken in turn.
"""

import io
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest
from django.db import connection

from datasets.models import Dataset
from datasets.sources import locate
from files.storage.interface import MIB
from tests.datasets import making
from tests.datasets.making import make_dataset
from tests.factories import make_instrument, make_run

pytestmark = [pytest.mark.benchmark, pytest.mark.django_db]
PAIRS, MANY_ROWS, PLATES = 15, 5_000_000, 1_000
WELLS = [f"{row}{column}" for row in "ABCDEFGH" for column in range(1, 13)]
PLATE = {
    "well": WELLS,
    "row": [well[0] for well in WELLS],
    "column": [int(well[1:]) for well in WELLS],
    "value": [n / 7 for n in range(96)],
}


@pytest.fixture
def ask(as_token) -> Callable[[str], Iterator[bytes]]:
    api = as_token("files:read", "runs:read")

    def get(path: str) -> Iterator[bytes]:
        answer = api.get(f"/api/v1/{path}")
        assert answer.status_code == 200, answer.content
        yield from answer.streaming_content if answer.streaming else [answer.content]

    return get


@pytest.fixture
def tell(capsys) -> Callable[[str], None]:
    def say(text: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\n{text}")

    return say


def seconds_of(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    began = clock()
    work()
    return clock() - began


def medians(
    *works: Callable[[], object], pairs: int = PAIRS, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Of each, in turn; the first round is not counted."""
    rounds = [[seconds_of(work, clock) for work in works] for _ in range(pairs + 1)]
    return [statistics.median(column) for column in zip(*rounds[1:], strict=True)]


def drain(pieces: Iterator[bytes]) -> int:
    return sum(map(len, pieces))


def make_axis_dataset(rows: int, monkeypatch) -> Dataset:
    """Sorted along its axis, in the row groups that the service writes."""
    noise = np.random.default_rng(1)
    values = {"wavelength": np.arange(rows) / 1_000, "absorbance": noise.normal(size=rows)}

    def write(table, out) -> None:
        pyarrow.parquet.write_table(table, out, compression="zstd", row_group_size=131_072, use_dictionary=False)

    class Written:
        parquet = type("parquet", (), {"write_table": staticmethod(write)})
        table = staticmethod(pyarrow.table)

    monkeypatch.setattr(making, "pyarrow", Written)
    return make_dataset(values, row_count=rows, roles={"wavelength": "axis", "absorbance": "value"})


def test_a_plate_costs_little_more_than_its_run(ask, tell):
    dataset = make_dataset(PLATE, name="plate_absorbance", kind="plate")
    run = f"instruments/{dataset.run.instrument_id}/runs/{dataset.run.run_id}"

    rows, detail = medians(
        lambda: drain(ask(f"datasets/{dataset.pk}/rows")), lambda: drain(ask(run)), pairs=100, clock=time.process_time
    )

    tell(
        f"plate rows {rows * 1e3:.1f} ms, GET run {detail * 1e3:.1f} ms of processor time: {rows / detail:.2f} (<= 1.5)"
    )


def test_a_range_out_of_five_million_rows(ask, tell, monkeypatch):
    dataset = make_axis_dataset(MANY_ROWS, monkeypatch)
    (path,) = locate([dataset])
    where = "where=wavelength:ge:2500&where=wavelength:lt:2510"
    sql = "SELECT * FROM read_parquet(?) WHERE wavelength >= 2500 AND wavelength < 2510"

    with duckdb.connect(config={"threads": 1}) as direct:
        ours, theirs = medians(
            lambda: drain(ask(f"datasets/{dataset.pk}/rows?format=arrow&{where}")),
            lambda: direct.execute(sql, [path]).to_arrow_table(),
        )

    tell(f"range of 5 M rows: {ours * 1e3:.1f} ms, DuckDB {theirs * 1e3:.1f} ms: {ours / theirs:.2f} (<= 3, <= 60 ms)")


def test_a_thousand_plates_stacked(ask, tell):
    instrument = make_instrument()
    for number in range(PLATES):
        run = make_run(instrument=instrument, run_id=f"plate {number}")
        make_dataset(PLATE, run=run, name="plate_absorbance", kind="plate")
    paths = locate(list(Dataset.objects.select_related("file")))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as autovacuum does within minutes: without it the plan is a guess
    firsts: list[float] = []

    def stacked() -> None:
        began = time.perf_counter()
        pieces = ask("dataset-rows?name=plate_absorbance&format=arrow")
        next(pieces)
        firsts.append(time.perf_counter() - began)
        drain(pieces)

    with duckdb.connect(config={"threads": 1}) as direct:
        sql = "SELECT * FROM read_parquet(?, filename = true, union_by_name = true)"
        ours, theirs = medians(stacked, lambda: direct.execute(sql, [paths]).to_arrow_table(), pairs=7)

    first = statistics.median(firsts[1:])
    tell(f"1,000 plates: first byte {first:.2f} s (<= 0.5), all {ours:.2f} s (<= 2), DuckDB {theirs:.2f} s: ")
    tell(f"{ours / theirs:.2f} (<= 5)")


def count_grown_bytes(work: Callable[[], object]) -> int:
    """By how much the resident memory of this process was larger at its peak than before."""
    status = Path("/proc/self/status")

    def read(name: str) -> int:
        return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith(name))

    Path("/proc/self/clear_refs").write_text("5")  # the peak is now
    before = read("VmRSS")
    work()
    return read("VmHWM") - before


def write_arrow(file: pyarrow.parquet.ParquetFile) -> int:
    out = io.BytesIO()
    with pyarrow.ipc.new_stream(out, file.schema_arrow) as stream:
        for batch in file.iter_batches():
            stream.write_batch(batch)
            out.seek(0)
    return out.tell()


def write_csv(file: pyarrow.parquet.ParquetFile) -> None:
    out = io.BytesIO()
    with pyarrow.csv.CSVWriter(out, file.schema_arrow) as writer:
        for batch in file.iter_batches():
            writer.write_batch(batch)
            out.seek(0)


@pytest.mark.parametrize("rows", [25_000_000, pytest.param(100_000_000, marks=pytest.mark.big)])
@pytest.mark.parametrize(("form", "reference"), [("arrow", write_arrow), ("csv", write_csv)])
def test_very_many_rows_are_streamed_in_constant_memory(ask, tell, monkeypatch, form, reference, rows):
    dataset = make_axis_dataset(rows, monkeypatch)
    (path,) = locate([dataset])
    drain(ask(f"datasets/{dataset.pk}/rows?format={form}&limit=10"))
    pyarrow.default_memory_pool().release_unused()

    took: list[float] = []
    grown = count_grown_bytes(
        lambda: took.append(seconds_of(lambda: drain(ask(f"datasets/{dataset.pk}/rows?format={form}"))))
    )
    theirs = seconds_of(lambda: reference(pyarrow.parquet.ParquetFile(path)))

    tell(f"{rows / 1e6:.0f} M rows as {form}: {took[0]:.1f} s, pyarrow {theirs:.1f} s: ")
    tell(f"{theirs / took[0]:.2f} of its speed (>= 0.5), memory + {grown / MIB:.0f} MiB (<= 150)")
