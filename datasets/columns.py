"""The columns that a query may name, and the refusals that name them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wire.errors import ValidationError

MAX_NAMED = 100
NUMBERS = frozenset({"float64", "float32", "int64"})
FLOATS = frozenset({"float64", "float32"})


@dataclass(frozen=True)
class ColumnInfo:
    name: str
    type: str
    unit: str | None = None
    role: str | None = None
    title: str = ""

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "ColumnInfo":
        return cls(**{name: stored.get(name) for name in ("name", "type", "unit", "role", "title")})  # type: ignore[arg-type]  # as they were written

    @property
    def is_number(self) -> bool:
        return self.type in NUMBERS

    @property
    def is_float(self) -> bool:
        return self.type in FLOATS


class Columns:
    """Of one dataset, or of all that are stacked, in order; `absent` names the dataset that was looked for in vain."""

    def __init__(self, columns: Iterable[ColumnInfo], *, absent: str = "") -> None:
        self._absent = absent
        self.all: Sequence[ColumnInfo] = tuple(columns)
        self._by_name = {column.name: column for column in self.all}

    def find(self, name: str, *, parameter: str) -> ColumnInfo:
        """Raises ValidationError, which says which columns there are."""
        column = self._by_name.get(name)
        if column is None and self._absent:
            raise refuse(parameter, f"No dataset {self._absent!r} is found, so there is no column {name!r}.")
        if column is None:
            raise refuse(parameter, f"There is no column {name!r}; there are {self.describe()}.")
        return column

    def with_role(self, role: str) -> list[ColumnInfo]:
        return [column for column in self.all if column.role == role]

    def describe(self) -> str:
        named = ", ".join(column.name for column in self.all[:MAX_NAMED])
        more = len(self.all) - MAX_NAMED
        return f"{named} and {more:,} more" if more > 0 else named


def refuse(parameter: str, text: str) -> ValidationError:
    return ValidationError(fields={parameter: [text]})
