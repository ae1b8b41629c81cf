"""Datasets that a child gave back, checked as the input of a stranger, and brought into Arrow's arrays."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from processing import readings
from processing.confined.output import InvalidOutput, check_label, read_artefact
from processing.dataset_making.checked import CheckedColumn, CheckedDataset
from processing.dataset_making.values import (
    ABOUT_FILE,
    BLOCK_ROWS,
    COLUMN_NAME,
    LENGTHS,
    MAX_BLOCK_CELLS,
    RESERVED_NAMES,
    ColumnType,
    DatasetKind,
    Role,
)

if TYPE_CHECKING:
    import pyarrow

MAX_ABOUT_BYTES = 8 * readings.MIB
MAX_BLOCK_BYTES = 256 * readings.MIB  # more than a file of the child may have anyhow
MAX_BLOCKS = 5_000
MAX_UNIT_CHARACTERS = 80
WIDTHS = {"float64": 8, "float32": 4, "int64": 8, "bool": 1, "timestamp": 8}


def check_datasets(folder: Path) -> list[CheckedDataset]:
    """Of the child's folder, in its order. Raises InvalidOutput."""
    if folder.is_symlink():
        raise InvalidOutput("The folder of its datasets is a link.")
    found = [
        check_dataset(folder / str(number))
        for number in range(readings.MAX_DATASETS)
        if (folder / str(number)).is_dir()
    ]
    if len({one.name for one in found}) < len(found):
        raise InvalidOutput("Two datasets have the same name.")
    return found


def check_dataset(folder: Path) -> CheckedDataset:
    if folder.is_symlink():
        raise InvalidOutput("The folder of a dataset is a link.")
    _, data = read_artefact(folder / ABOUT_FILE, name="A dataset", most=MAX_ABOUT_BYTES, whole=True)
    try:
        about = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidOutput("What is said of a dataset is no JSON.") from error
    if not isinstance(about, dict) or not all(isinstance(about.get(key), list) for key in ("columns", "blocks")):
        raise InvalidOutput("What is said of a dataset is incomplete.")
    name = check_name(about.get("name"))
    if about.get("kind") not in set(DatasetKind):
        raise InvalidOutput(f"The dataset {name} is of no known kind.")
    columns = check_columns(about["columns"], dataset=name)
    title = check_label(about.get("title", ""), most=readings.MAX_TITLE_CHARACTERS)
    blocks = check_blocks(about["blocks"], columns=len(columns), dataset=name)
    return CheckedDataset(name, title, DatasetKind(about["kind"]), columns, blocks, folder)


def check_name(name: object) -> str:
    if not isinstance(name, str) or not COLUMN_NAME.fullmatch(name):
        raise InvalidOutput("A name of a dataset or of one of its columns is not plain.")
    return name


def check_columns(columns: list[Any], *, dataset: str) -> list[CheckedColumn]:
    if not 0 < len(columns) <= readings.MAX_DATASET_COLUMNS:
        raise InvalidOutput(f"The dataset {dataset} has {len(columns)} columns.")
    checked = [check_column(column) for column in columns]
    if len({column.name for column in checked} - RESERVED_NAMES) < len(checked):
        raise InvalidOutput(f"Two columns of the dataset {dataset} have the same name, or one is reserved.")
    return checked


def check_column(column: Any) -> CheckedColumn:
    if not isinstance(column, dict) or column.get("type") not in set(ColumnType):
        raise InvalidOutput("A column of a dataset is of no known type.")
    role, unit = column.get("role"), column.get("unit")
    if role is not None and role not in set(Role):
        raise InvalidOutput("A column of a dataset has no known role.")
    return CheckedColumn(
        check_name(column.get("name")),
        ColumnType(column["type"]),
        None if unit in (None, "") else check_label(unit, most=MAX_UNIT_CHARACTERS),
        None if role is None else Role(role),
        check_label(column.get("title", ""), most=readings.MAX_TITLE_CHARACTERS),
    )


def check_blocks(blocks: list[Any], *, columns: int, dataset: str) -> list[int]:
    fits = all(type(count) is int and 0 < count <= BLOCK_ROWS for count in blocks)
    if not fits or len(blocks) > MAX_BLOCKS or any(count * columns > 2 * MAX_BLOCK_CELLS for count in blocks):
        raise InvalidOutput(f"The dataset {dataset} has blocks of an impossible size.")
    return blocks


def read_batches(dataset: CheckedDataset, schema: "pyarrow.Schema") -> Iterator["pyarrow.RecordBatch"]:
    """Its rows, block by block. Raises InvalidOutput."""
    import pyarrow

    for number, rows in enumerate(dataset.blocks):
        with open_plain(dataset.folder / str(number), dataset=dataset.name) as file:
            try:
                arrays = [read_array(file, column.type, rows=rows) for column in dataset.columns]
            except (pyarrow.ArrowException, ValueError, OverflowError) as error:
                raise InvalidOutput(f"The values of the dataset {dataset.name} are damaged.") from error
            if file.read(1):
                raise InvalidOutput(f"A block of the dataset {dataset.name} is longer than its columns.")
        yield pyarrow.RecordBatch.from_arrays(arrays, schema=schema)


def open_plain(path: Path, *, dataset: str) -> IO[bytes]:
    """A link or a device in the place of a block is refused."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise InvalidOutput(f"A block of the dataset {dataset} is missing.") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BLOCK_BYTES:
        os.close(descriptor)
        raise InvalidOutput(f"A block of the dataset {dataset} is too large.")
    return os.fdopen(descriptor, "rb")


def read_array(file: IO[bytes], kind: ColumnType, *, rows: int) -> "pyarrow.Array":
    """One column of a block. Raises InvalidOutput, ValueError, ArrowException: its bytes are not what they must be."""
    import pyarrow

    lengths = LENGTHS.unpack(read_exactly(file, LENGTHS.size))
    is_text = kind is ColumnType.STRING
    wanted = (lengths[0] if is_text else rows * WIDTHS[kind], 8 * (rows + 1) if is_text else 0)
    if lengths[:2] != wanted or lengths[2] not in (0, rows) or not 0 <= lengths[0] <= MAX_BLOCK_BYTES:
        raise ValueError("The lengths of a column are not those of its rows.")
    values, offsets, nulls = (read_exactly(file, length) for length in lengths)
    validity = pack_validity(nulls) if nulls else None
    if is_text:
        buffers = [validity, pyarrow.py_buffer(offsets), pyarrow.py_buffer(values)]
        array = pyarrow.Array.from_buffers(pyarrow.large_string(), rows, buffers)
        array.validate(full=True)
        return array.cast(pyarrow.string())
    if kind is ColumnType.BOOL:
        bits = pyarrow.Array.from_buffers(pyarrow.uint8(), rows, [validity, pyarrow.py_buffer(values)])
        return bits.cast(pyarrow.bool_())
    return pyarrow.Array.from_buffers(arrow_type(kind), rows, [validity, pyarrow.py_buffer(values)])


def read_exactly(file: IO[bytes], length: int) -> bytes:
    data = file.read(length) if length else b""
    if len(data) != length:
        raise ValueError("It ends too soon.")
    return data


def pack_validity(nulls: bytes) -> "pyarrow.Buffer":
    """Arrow's bitmap, in which a bit says that there is a value."""
    import numpy
    import pyarrow

    known = numpy.frombuffer(nulls, numpy.uint8) == 0
    return pyarrow.py_buffer(numpy.packbits(known, bitorder="little").tobytes())


def arrow_type(kind: ColumnType) -> "pyarrow.DataType":
    import pyarrow

    return {
        ColumnType.FLOAT64: pyarrow.float64(),
        ColumnType.FLOAT32: pyarrow.float32(),
        ColumnType.INT64: pyarrow.int64(),
        ColumnType.BOOL: pyarrow.bool_(),
        ColumnType.STRING: pyarrow.string(),
        ColumnType.TIMESTAMP: pyarrow.timestamp("us", tz="UTC"),
    }[kind]
