"""Arrow IPC files and streams, and Feather: tables as Parquet holds them, and read as these are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow
import pyarrow.feather
import pyarrow.ipc

from processing.facts import clean_text
from processing.processors.parquet import describe_table
from processing.readings import Input, Output, Unreadable

FILE_START, OLD_FEATHER_START = b"ARROW1\0\0", b"FEA1"


@dataclass(frozen=True)
class HeldTable:
    """A table in memory, asked as a file of Parquet is."""

    table: pyarrow.Table

    @property
    def schema_arrow(self) -> pyarrow.Schema:
        return self.table.schema

    @property
    def row_count(self) -> int:
        return int(self.table.num_rows)

    def iter_batches(self, batch_size: int) -> Iterator[pyarrow.RecordBatch]:
        yield from self.table.to_batches(max_chunksize=batch_size)

    def read_columns(self, names: Sequence[str]) -> pyarrow.Table:
        return self.table.select(list(names))


def read(given: Input) -> Output:
    """Unreadable: the file is cut off (its table of contents stands at its end), or damaged."""
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    try:
        table = read_table(given)
        table.validate(full=True)
    except (pyarrow.ArrowException, OSError) as error:
        raise Unreadable(f"It is damaged, or a part of it is missing: {clean_text(str(error))}") from error
    return describe_table(HeldTable(table), given, title="Arrow")


def read_table(given: Input) -> pyarrow.Table:
    with given.path.open("rb") as file:
        start = file.read(len(FILE_START))
    if start.startswith(OLD_FEATHER_START):
        return pyarrow.feather.read_table(given.path, memory_map=False, use_threads=False)
    with pyarrow.OSFile(str(given.path), "rb") as source:
        if start == FILE_START:
            with pyarrow.ipc.open_file(source) as reader:
                return reader.read_all()
        with pyarrow.ipc.open_stream(source) as reader:
            return reader.read_all()
