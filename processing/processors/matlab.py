"""Variables of MATLAB (versions 4 to 7.2; those of 7.3 are HDF5) as arrays with names, told as those of NumPy."""

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.io import loadmat, whosmat
from scipy.io.matlab import MatReadError

from processing.facts import clean_text
from processing.processors.numpy_arrays import MAX_ARRAYS, MAX_BYTES, Array, describe
from processing.readings import MIB, Input, Output, Unreadable

NUMBER_BYTES = {"double": 8, "int64": 8, "uint64": 8, "single": 4, "int32": 4, "uint32": 4, "int16": 2, "uint16": 2}
MAX_DEPTH = 4  # of structures within structures
KINDS = "iufcbU"


def read(given: Input) -> Output:
    """Unreadable: it is damaged, larger unpacked than is held, or holds nothing but programs and pointers."""
    try:
        listed = [(name, shape, kind) for name, shape, kind in whosmat(given.path)]
        check_sizes(listed)
        variables = loadmat(given.path, simplify_cells=True)
    except (MatReadError, ValueError, TypeError, KeyError, IndexError, NotImplementedError) as error:
        raise Unreadable(f"It is no MATLAB file, or a damaged one: {clean_text(str(error))}") from error
    except (zlib.error, EOFError, OSError) as error:
        raise Unreadable("It is damaged, or a part of it is missing.") from error
    arrays: dict[str, Array] = {}
    for name, value in variables.items():
        if not name.startswith("__"):
            arrays |= dict(flatten(name, value, depth=0))
    if not arrays:
        raise Unreadable("It holds no numbers and no texts.")
    left_out = len(arrays) - MAX_ARRAYS
    said = [f"The first {MAX_ARRAYS:,} of {len(arrays):,} variables are read."] if left_out > 0 else []
    return describe(dict(list(arrays.items())[:MAX_ARRAYS]), title="MATLAB", warnings=said)


def check_sizes(listed: list[tuple[str, tuple[int, ...], str]]) -> None:
    """By what is announced, before anything is unpacked."""
    size = sum(int(np.prod(shape, dtype=object)) * NUMBER_BYTES.get(kind, 1) for _, shape, kind in listed)
    if size > MAX_BYTES:
        raise Unreadable(f"Its variables are larger than {MAX_BYTES // MIB} MiB together.")


def flatten(name: str, value: Any, *, depth: int) -> Iterator[tuple[str, Array]]:
    """A variable by its name, the fields of a structure as structure.field; lists of cells are left out."""
    if isinstance(value, dict):
        if depth < MAX_DEPTH:
            for key, inner in value.items():
                yield from flatten(f"{name}.{key}", inner, depth=depth + 1)
        return
    array = np.asarray(value) if not isinstance(value, list) else np.empty(0, object)
    if array.dtype.kind in KINDS and array.dtype.names is None:
        yield name, array
