"""Values as a program holds them, as JSON and queries carry them: numbers of NumPy, times of pandas, paths."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime
from os import PathLike, fspath
from typing import Any

SIMPLE = (str, bool, int, type(None))


def plain(value: Any, *, name: str) -> Any:
    """As JSON takes it. Raises ValueError, TypeError, which say by its name what cannot be kept."""
    value = unwrap(value)
    if isinstance(value, SIMPLE):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise ValueError(f"{name} is {value}: such a number cannot be kept; leave it out, or say it as text.")
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Mapping):
        return {str(key): plain(member, name=f"{name}.{key}") for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member, name=f"{name}[{number}]") for number, member in enumerate(value)]
    raise TypeError(
        f"{name} is a {type(value).__name__}: text, numbers, true and false, lists and mappings can be kept."
    )


def unwrap(value: Any) -> Any:
    """The Python value of what NumPy or pandas wrap. Raises ValueError for a time that is none (NaT)."""
    if type(value).__name__ == "NaTType":
        raise ValueError("NaT is no time.")
    if hasattr(value, "to_pydatetime"):  # a Timestamp of pandas is a datetime that cannot all that one can
        return value.to_pydatetime(warn=False)
    if type(value).__name__ == "datetime64" and hasattr(value, "astype"):
        return unwrap_moment(value)
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        return value.tolist()
    return value


def unwrap_moment(value: Any) -> datetime:
    moment = value.astype("datetime64[us]").item()
    if moment is None:
        raise ValueError("NaT is no time.")
    return moment
