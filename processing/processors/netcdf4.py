"""NetCDF-4, which is HDF5, shown as scipy shows classic NetCDF: variables with their data and attributes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

HDF5_START = b"\x89HDF\r\n\x1a\n"
ANDI_VARIABLES = ({"ordinate_values"}, {"scan_acquisition_time", "mass_values", "intensity_values"})


@dataclass(frozen=True)
class Variable:
    data: Any
    _attributes: dict[str, Any]


class Dataset:
    """All variables of a file's root, read."""

    def __init__(self, file: h5py.File) -> None:
        self._attributes = read_attributes(file)
        self.variables = {
            name: Variable(read_data(found), read_attributes(found))
            for name, found in file.items()
            if isinstance(found, h5py.Dataset) and found.size
        }


def is_hdf5(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(HDF5_START)) == HDF5_START


def is_andi(file: h5py.File) -> bool:
    """Whether its root has what ANDI asks for."""
    return any(names <= file.keys() for names in ANDI_VARIABLES)


def read_data(found: h5py.Dataset) -> Any:
    """Texts of any length as bytes of one length, as classic NetCDF has them."""
    data = np.asarray(found[()])
    return np.asarray(data, dtype=bytes) if data.dtype.kind == "O" else data


def read_attributes(found: Any) -> dict[str, Any]:
    return {name: plain_attribute(found.attrs[name]) for name in found.attrs if not name.startswith("_Netcdf4")}


def plain_attribute(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(-1)[0]
    return value.item() if isinstance(value, np.generic) else value
