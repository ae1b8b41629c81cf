"""Which rows and columns of a dataset: the query of /datasets/{id}/rows and /dataset-rows, step by step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from instrument_data.filters import Params, value_text

OPERATORS = {
    "=": "eq", "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
    "in": "in", "contains": "contains", "is_null": "is_null",
    **{name: name for name in ("eq", "ne", "lt", "le", "gt", "ge")},
}  # fmt: skip
FORMATS = {
    ".csv": "csv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
}
MISSING = object()


@dataclass(frozen=True)
class RowsQuery:
    params: tuple[tuple[str, str], ...] = ()

    def where(self, column: str, first: Any, second: Any = MISSING) -> RowsQuery:
        """`("well", "B3")`, `("value", ">", 0.5)`, `("well", ["B3", "B4"])`, `("value", None)`. Raises ValueError."""
        operator, value = _read_condition(first, second)
        return self._with("where", f"{column}:{operator}:{_operand(operator, value)}")

    def select(self, columns: Iterable[str]) -> RowsQuery:
        return self._only("columns", ",".join(columns))

    def order_by(self, column: str) -> RowsQuery:
        return self._only("order_by", column)

    def group_by(self, columns: Iterable[str]) -> RowsQuery:
        return self._only("group_by", ",".join(columns))

    def aggregate(self, function: str, column: str) -> RowsQuery:
        return self._with("aggregate", f"{function}:{column}")

    def limit(self, count: int, *, offset: int = 0) -> RowsQuery:
        limited = self._only("limit", str(count))
        return limited._only("offset", str(offset)) if offset else limited

    def max_points(self, count: int) -> RowsQuery:
        return self._only("max_points", str(count))

    def to_params(self) -> Params:
        return list(self.params)

    def _with(self, name: str, value: str) -> RowsQuery:
        return replace(self, params=(*self.params, (name, value)))

    def _only(self, name: str, value: str) -> RowsQuery:
        return replace(self, params=(*((key, kept) for key, kept in self.params if key != name), (name, value)))


ALL_ROWS = RowsQuery()


def format_of(name: str) -> str:
    """By the ending of a file's name. Raises ValueError."""
    for ending, known in FORMATS.items():
        if name.lower().endswith(ending):
            return known
    raise ValueError(f"{name} ends in none of {', '.join(FORMATS)}")


def _read_condition(first: Any, second: Any) -> tuple[str, Any]:
    if second is not MISSING:
        if not isinstance(first, str) or first not in OPERATORS:
            raise ValueError(f"{first!r} is no comparison; {', '.join(OPERATORS)} are")
        return OPERATORS[first], second
    if first is None:
        return "is_null", True
    return ("in", first) if isinstance(first, (list, tuple, set, frozenset)) else ("eq", first)


def _operand(operator: str, value: Any) -> str:
    if operator != "in":
        return value_text(value)
    texts = [value_text(one) for one in ([value] if isinstance(value, str) else value)]
    if any("," in text for text in texts):
        raise ValueError("a value with a comma cannot stand in a list: ask for it alone")
    return ",".join(texts)
