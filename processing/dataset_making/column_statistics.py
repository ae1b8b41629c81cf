"""What is known of a column once it is written: least, greatest, how many values are missing, how many differ."""

import math
from datetime import datetime
from typing import TYPE_CHECKING, Any

from processing.dataset_making.values import ColumnType
from wire.clock import format_timestamp

if TYPE_CHECKING:
    import pyarrow

MAX_DISTINCT = 10_000
MAX_CHARACTERS = 200


class ColumnStatistics:
    def __init__(self, kind: ColumnType) -> None:
        self.is_float = kind in (ColumnType.FLOAT64, ColumnType.FLOAT32)
        self.least: Any = None
        self.greatest: Any = None
        self.null_count = 0
        self._distinct: Any = None
        self._has_too_many = False

    def add(self, values: "pyarrow.Array") -> None:
        import pyarrow.compute as pc

        self.null_count += values.null_count
        self._count(values)
        known = values.filter(pc.is_finite(values)) if self.is_float else values
        found = pc.min_max(known).as_py()
        if found["min"] is not None:
            self.least = found["min"] if self.least is None else min(self.least, found["min"])
            self.greatest = found["max"] if self.greatest is None else max(self.greatest, found["max"])

    def _count(self, values: "pyarrow.Array") -> None:
        """Until there are too many to be told."""
        import pyarrow

        if self._has_too_many:
            return
        new = values.drop_null().unique()
        joined = new if self._distinct is None else pyarrow.concat_arrays([self._distinct, new]).unique()
        self._has_too_many = len(joined) > MAX_DISTINCT
        self._distinct = None if self._has_too_many else joined

    def as_json(self) -> dict[str, Any]:
        distinct = 0 if self._distinct is None else len(self._distinct)
        return {
            "min": plain(self.least),
            "max": plain(self.greatest),
            "null_count": self.null_count,
            "distinct_count": None if self._has_too_many else distinct,
        }


def plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return format_timestamp(value)
    if isinstance(value, str):
        return value[:MAX_CHARACTERS].replace("\0", "")
    return None if isinstance(value, float) and not math.isfinite(value) else value
