"""Arrays of NumPy, one (NPY) or several with names (NPZ): what they are, and their curves, tables and pictures."""

import re
import zipfile
import zlib
from collections.abc import Iterator
from math import isfinite
from pathlib import PurePosixPath
from typing import IO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from processing.facts import Facts, clean_text, shorten_text
from processing.formats.curve import Axis, Curve, Series
from processing.formats.stack import Channel, Stack
from processing.formats.table import MAX_ROWS, Cell, Column, Table
from processing.processors.hdf5.tree import as_cell, summarise
from processing.processors.image.limits import check_pixels
from processing.processors.image.pixels import encode_png, render_image
from processing.processors.image.stacks import write_stacks
from processing.readings import (
    MAX_CHARACTERS_PER_VALUE,
    MAX_VALUES_PER_FACT,
    MIB,
    Artefact,
    Input,
    Json,
    Kind,
    Output,
    Unreadable,
)

SUFFIX = ".npy"
MAX_ARRAYS, MAX_CURVES, MAX_PICTURES = 1000, 20, 6
MAX_DESCRIBED, FACT_NAME = 15, re.compile(r"[A-Za-z_]\w{0,40}", re.ASCII)
MAX_BYTES = 256 * MIB  # of one array
MAX_COLUMNS = 20  # of numbers that are a table; more are a picture
PREVIEW_PIXELS = 1024
COLORS = (3, 4)  # numbers of a pixel
NAMES = ("Array", "Shape", "Type", "Value", "First", "Last", "Least", "Greatest")
Array = NDArray[np.generic]


def read_npy(given: Input) -> Output:
    """Unreadable: it is longer or shorter than its header says, or holds Python's objects, which could be programs."""
    with given.path.open("rb") as file:
        array = read_array(file, size=given.path.stat().st_size)
    return describe({PurePosixPath(given.filename).stem: array}, title="NPY")


def read_npz(given: Input) -> Output:
    try:
        with zipfile.ZipFile(given.path) as archive:
            members = [member for member in archive.infolist() if member.filename.endswith(SUFFIX)]
            arrays = {}
            for member in members[:MAX_ARRAYS]:
                with archive.open(member) as file:
                    arrays[member.filename.removesuffix(SUFFIX)] = read_array(file, size=member.file_size)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise Unreadable(f"It is damaged, or a part of it is missing: {clean_text(str(error))}") from error
    if not arrays:
        raise Unreadable("It holds no arrays.")
    left_out = [f"The first {MAX_ARRAYS:,} of {len(members):,} arrays are read."] if len(members) > MAX_ARRAYS else []
    return describe(arrays, title="NPZ", warnings=left_out)


def read_array(file: IO[bytes], *, size: int) -> Array:
    """Of a file of so many bytes, each of which is read, so that an archive compares its checksum."""
    try:
        version = npy.read_magic(file)
        shape, is_fortran, dtype = read_header(file, version)
    except (ValueError, SyntaxError, TypeError, UnicodeDecodeError) as error:
        raise Unreadable(f"Its header cannot be read: {clean_text(str(error))}") from error
    if dtype.hasobject:
        raise Unreadable("It holds objects of Python, which only a program of Python may open.")
    length = int(np.prod(shape, dtype=object)) * dtype.itemsize
    if length > MAX_BYTES:
        raise Unreadable(f"One of its arrays is larger than {MAX_BYTES // MIB} MiB.")
    content = file.read(length + 1)  # of an archive its end too, which compares the checksum, and no bomb behind it
    if len(content) != length:
        raise Unreadable(f"It should hold {length:,} bytes of numbers, and has {size:,} bytes with its header.")
    array = np.frombuffer(content, dtype) if length else np.empty(0, dtype)
    return array.reshape(shape[::-1]).T if is_fortran else array.reshape(shape)


def read_header(file: IO[bytes], version: tuple[int, int]) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    """Shape, whether columns stand before rows, and kind of number."""
    known = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version == (3, 0):  # as 2.0, with names of fields in UTF-8
        return npy._read_array_header(file, version)  # type: ignore[attr-defined]
    if version not in known:
        raise ValueError(f"its version {version} is not known")
    shape, is_fortran, dtype = known[version](file)
    return shape, is_fortran, dtype


def describe(arrays: dict[str, Array], *, title: str, warnings: list[str] | None = None) -> Output:
    facts = Facts()
    facts.add("technique", "arrays of numbers")
    facts.add("format", title)
    facts.add("arrays", len(arrays))
    facts.add_all("array_names", list(arrays)[:MAX_VALUES_PER_FACT])
    pictures, said = draw_pictures(arrays)
    rows = [[name, write_shape(array), str(array.dtype), *list_values(array)] for name, array in arrays.items()]
    contents = Table("Arrays", [Column(name) for name in NAMES], rows).artefact("arrays.json")
    return Output(
        run=facts.as_json(),
        file=describe_first(arrays),
        artefacts=[*draw_curves(arrays), *pictures, *tabulate(arrays), contents],
        warnings=[*(warnings or []), *said],
    )


def describe_first(arrays: dict[str, Array]) -> dict[str, Json]:
    """Shape, least and greatest of the first arrays, as long as their names are plain; single values as they are."""
    found: dict[str, Json] = {}
    for name, array in list(arrays.items())[:MAX_DESCRIBED]:
        value, _, _, least, greatest = list_values(array)
        if not FACT_NAME.fullmatch(name):
            continue
        if value is not None:
            found[name] = shorten_text(value, MAX_CHARACTERS_PER_VALUE) if isinstance(value, str) else value
            continue
        numbers = {f"{name}_min": least, f"{name}_max": greatest}
        known = {key: one for key, one in numbers.items() if isinstance(one, float) and isfinite(one)}
        found |= {f"{name}_shape": write_shape(array), **known}
    return found


def write_shape(array: Array) -> str:
    return " x ".join(map(str, array.shape)) or "scalar"


def list_values(array: Array) -> list[Cell]:
    """The only one, or first, last, least and greatest of numbers."""
    if array.size == 1:
        return [as_cell(array.reshape(-1)[0].item()), *[None] * 4]
    return [None, *(summarise(array) if array.size and array.dtype.kind in "iuf" else [None] * 4)]


def draw_curves(arrays: dict[str, Array]) -> Iterator[Artefact]:
    """Arrays of one dimension over the first that only rises, if there are others as long; and tables of columns."""
    lines = {
        name: array.astype(np.float64)
        for name, array in arrays.items()
        if array.ndim == 1 and array.dtype.kind in "iuf" and array.size > 1
    }
    axis = next((name for name, line in lines.items() if rises(line) and count_alike(line, lines) > 1), None)
    for number, (name, line) in enumerate(list(lines.items())[:MAX_CURVES], start=1):
        if name == axis:
            continue
        is_along = axis is not None and len(lines[axis]) == len(line)
        x = lines[axis] if axis is not None and is_along else np.arange(len(line), dtype=np.float64)
        label = Axis(axis) if axis is not None and is_along else Axis("Point")
        yield Curve(name, label, Axis(name), [Series(name, x, line)]).artefact(f"curve-{number}.json")
    for number, (name, array) in enumerate(list_columns(arrays), start=1):
        x = array[:, 0].astype(np.float64)
        if rises(x):
            series = [
                Series(f"Column {place + 1}", x, array[:, place].astype(np.float64))
                for place in range(1, array.shape[1])
            ]
            yield Curve(name, Axis("Column 1"), Axis("Value"), series).artefact(f"columns-{number}.json")


def rises(values: NDArray[np.float64]) -> bool:
    return bool(len(values) > 1 and np.isfinite(values).all() and (np.diff(values) > 0).all())


def count_alike(line: NDArray[np.float64], lines: dict[str, NDArray[np.float64]]) -> int:
    return sum(len(other) == len(line) for other in lines.values())


def list_columns(arrays: dict[str, Array]) -> list[tuple[str, Array]]:
    """Those of two dimensions that have few columns of numbers, and more rows."""
    return [
        (name, array)
        for name, array in arrays.items()
        if array.ndim == 2 and array.dtype.kind in "iuf" and 2 <= array.shape[1] <= min(MAX_COLUMNS, array.shape[0])
    ]


def tabulate(arrays: dict[str, Array]) -> Iterator[Artefact]:
    """Records with names, and columns of numbers."""
    columns = dict(list_columns(arrays))
    for number, (name, array) in enumerate(list(arrays.items())[:MAX_CURVES], start=1):
        if array.dtype.names and array.ndim == 1:
            shown = [Column(field) for field in array.dtype.names]
        elif name in columns:
            shown = [Column(f"Column {place + 1}") for place in range(array.shape[1])]
        else:
            continue
        rows = [[as_cell(value) for value in row] for row in array[:MAX_ROWS].tolist()]
        yield Table(name, shown, rows, total_rows=len(array)).artefact(f"table-{number}.json")


def draw_pictures(arrays: dict[str, Array]) -> tuple[list[Artefact], list[str]]:
    """Arrays of two dimensions, and of three as planes, rows and columns; and what is to be said of them."""
    columns = dict(list_columns(arrays))
    drawn = {
        name: array
        for name, array in arrays.items()
        if array.ndim in (2, 3) and array.dtype.kind in "iufb" and min(array.shape) > 1 and name not in columns
    }
    artefacts, stacks = [], []
    for number, (name, array) in enumerate(list(drawn.items())[:MAX_PICTURES], start=1):
        stack = stack_of_array(array, title=name)
        check_pixels(stack.width, stack.height)
        stacks.append(stack)
        first = next(stack.read_plane(0, 0, 0))
        data = encode_png(render_image(first), most=PREVIEW_PIXELS)
        artefacts.append(Artefact(f"picture-{number}.png", Kind.IMAGE, "image/png", data, name[:200]))
    made, said = write_stacks(stacks)
    left_out = [f"The first {MAX_PICTURES} of {len(drawn):,} pictures are shown."] if len(drawn) > MAX_PICTURES else []
    return [*artefacts, *made], [*said, *left_out]


def stack_of_array(array: Array, *, title: str) -> Stack:
    """Bytes with three or four numbers a pixel are colours."""
    plain = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("=")))
    colored = plain.ndim == 3 and plain.dtype == np.uint8 and plain.shape[2] in COLORS
    planes = plain[np.newaxis, ..., :3] if colored else plain.reshape(-1, *plain.shape[-2:])

    def read_plane(time: int, depth: int, group: int) -> Iterator[Array]:
        yield planes[depth]

    names = ("Red", "Green", "Blue") if colored else ("Intensity",)
    return Stack(
        title=title,
        width=planes.shape[2],
        height=planes.shape[1],
        dtype=np.dtype(planes.dtype),
        channels=[Channel(name) for name in names],
        read_plane=read_plane,
        depths=len(planes),
        samples=len(names),
    )
