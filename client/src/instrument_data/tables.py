"""An Arrow stream as a frame of the caller's library, units kept. Each library is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

from instrument_data.errors import MissingExtra

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    import xarray

COORDINATES = ("key", "axis", "step")
LARGEST_GRID = 4  # times as many cells as rows: beyond that most cells would be empty
STACKED = ("instrument_id", "run_id", "filename")


def need(library: str, extra: str) -> Any:
    """Raises MissingExtra, which says how to install it."""
    try:
        return importlib.import_module(library)
    except ImportError:
        raise MissingExtra(library.partition(".")[0], extra) from None


def read_arrow(stream: bytes) -> pyarrow.Table:
    return need("pyarrow.ipc", "arrow").open_stream(BytesIO(stream)).read_all()


def read_polars(stream: bytes) -> polars.DataFrame:
    return need("polars", "polars").read_ipc_stream(BytesIO(stream))


def read_pandas(stream: bytes) -> pandas.DataFrame:
    """Units stand in `frame.attrs["units"]`."""
    need("pandas", "pandas")
    need("pyarrow", "pandas")
    table = read_arrow(stream)
    frame = table.to_pandas()
    frame.attrs["units"] = units_of(table)
    return frame


def read_xarray(stream: bytes, *, roles: Mapping[str, str | None]) -> xarray.Dataset:
    """Keys, axes and steps become dimensions, where they tell rows apart; else the rows stay one dimension."""
    need("xarray", "xarray")
    need("pandas", "xarray")
    table = read_arrow(stream)
    frame, units = _without_zones(table.to_pandas()), units_of(table)
    dimensions = find_dimensions(frame, roles)
    labels = [name for name in frame.columns if roles.get(name) in COORDINATES and name not in dimensions]
    if dimensions:
        cube = frame.set_index(dimensions).to_xarray()
    else:
        cube = frame.rename_axis("row").to_xarray().set_coords([name for name in labels if name in frame])
    for name, unit in units.items():
        if unit is not None and name in cube.variables:
            cube[name].attrs["units"] = unit
    return cube


def _without_zones(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Times in UTC as NumPy's own, which know no zones: else xarray keeps objects, by which nothing can be chosen."""
    zoned = frame.select_dtypes("datetimetz")
    return frame.assign(**{name: zoned[name].dt.tz_convert("UTC").dt.tz_localize(None) for name in zoned})


def find_dimensions(frame: pandas.DataFrame, roles: Mapping[str, str | None]) -> list[str]:
    """The coordinates that vary, if together they name each row once and the grid is not mostly empty; else none."""
    named = [
        name for name in frame.columns if roles.get(name) in COORDINATES or (name in STACKED and name not in roles)
    ]
    varying = [name for name in named if frame[name].nunique(dropna=False) > 1] or named[:1]
    if not varying or frame[varying].isna().any(axis=None) or frame.duplicated(varying).any():
        return []
    cells = 1
    for name in varying:
        cells *= int(frame[name].nunique())
    return varying if cells <= LARGEST_GRID * max(len(frame), 1) else []


def units_of(table: pyarrow.Table) -> dict[str, str | None]:
    """What the Arrow schema tells of each column."""
    return {field.name: _told(field.metadata, "ids.unit") for field in table.schema}


def roles_of(columns: Iterable[Mapping[str, Any]]) -> dict[str, str | None]:
    return {column["name"]: column.get("role") for column in columns}


def _told(metadata: Mapping[bytes, bytes] | None, name: str) -> str | None:
    value = (metadata or {}).get(name.encode())
    return value.decode() or None if value is not None else None
