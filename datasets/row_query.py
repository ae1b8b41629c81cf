"""What is asked of rows: the texts of a caller, read against the columns that there are."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from datasets.columns import ColumnInfo, Columns, refuse

MAX_CONDITIONS, MAX_VALUES, MAX_AGGREGATES = 50, 1_000, 200
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)


class Operator(StrEnum):
    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    IN = "in"
    CONTAINS = "contains"
    IS_NULL = "is_null"


class Function(StrEnum):
    COUNT = "count"
    MIN = "min"
    MAX = "max"
    MEAN = "mean"
    MEDIAN = "median"
    SUM = "sum"
    STDDEV = "stddev"
    FIRST = "first"
    LAST = "last"


NUMERIC_FUNCTIONS = {Function.MEAN, Function.MEDIAN, Function.SUM, Function.STDDEV}
OPERATORS_OF_BOOL = {Operator.EQ, Operator.NE, Operator.IN, Operator.IS_NULL}


@dataclass(frozen=True)
class RowRequest:
    """The texts, as REST and MCP take them."""

    columns: Sequence[str] = ()
    where: Sequence[str] = ()
    order_by: str = ""
    group_by: Sequence[str] = ()
    aggregate: Sequence[str] = ()
    max_points: int | None = None
    limit: int | None = None
    offset: int = 0

    @property
    def names_columns(self) -> bool:
        return bool(self.columns or self.where or self.order_by or self.group_by or self.aggregate)


@dataclass(frozen=True)
class Condition:
    column: ColumnInfo
    operator: Operator
    value: Any  # of the column's type; a list for `in`, a bool for `is_null`


@dataclass(frozen=True)
class Aggregate:
    function: Function
    column: ColumnInfo

    @property
    def name(self) -> str:
        return f"{self.function}_{self.column.name}"

    @property
    def answer(self) -> ColumnInfo:
        """The column that it makes."""
        if self.function is Function.COUNT:
            return ColumnInfo(self.name, "int64")
        kind = self.column.type
        if self.function in NUMERIC_FUNCTIONS:
            kind = "int64" if (self.function is Function.SUM and kind == "int64") else "float64"
        return ColumnInfo(self.name, kind, self.column.unit)


@dataclass(frozen=True)
class RowQuery:
    """A request that fits its columns."""

    columns: Sequence[ColumnInfo]  # of the answer, in order
    known: Sequence[ColumnInfo] = ()  # of what is asked
    where: Sequence[Condition] = ()
    order_by: ColumnInfo | None = None
    descending: bool = False
    group_by: Sequence[ColumnInfo] = ()
    aggregates: Sequence[Aggregate] = ()
    max_points: int | None = None
    limit: int | None = None
    offset: int = 0

    @property
    def is_grouped(self) -> bool:
        return bool(self.group_by or self.aggregates)

    @property
    def is_plain(self) -> bool:
        """Every row that there is, as far as nothing but the window says otherwise."""
        return not (self.where or self.is_grouped or self.max_points)


def read_rows_request(asked: RowRequest, known: Columns) -> RowQuery:
    """Raises ValidationError, which names the parameter and what would fit."""
    group_by = [known.find(name, parameter="group_by") for name in unique(asked.group_by)]
    aggregates = [read_aggregate(text, known) for text in unique(asked.aggregate)]
    if len(aggregates) > MAX_AGGREGATES:
        raise refuse("aggregate", f"{MAX_AGGREGATES} are the most.")
    if aggregates or group_by:
        answer = Columns([*group_by, *(one.answer for one in aggregates)])
        refuse_beside_groups(asked)
    else:
        answer = Columns([known.find(name, parameter="columns") for name in unique(asked.columns)] or known.all)
    if len(asked.where) > MAX_CONDITIONS:
        raise refuse("where", f"{MAX_CONDITIONS} conditions are the most.")
    name = asked.order_by.removeprefix("-")
    sortable = answer if aggregates or group_by else known
    if asked.max_points is not None and not (known.with_role("axis") and known.with_role("value")):
        raise refuse("max_points", "It needs a column of the role axis and one of the role value.")
    return RowQuery(
        columns=answer.all,
        known=known.all,
        where=[read_condition(text, known) for text in asked.where],
        order_by=sortable.find(name, parameter="order_by") if asked.order_by else None,
        descending=asked.order_by.startswith("-"),
        group_by=group_by,
        aggregates=aggregates,
        max_points=asked.max_points,
        limit=asked.limit,
        offset=asked.offset,
    )


def unique(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))


def refuse_beside_groups(asked: RowRequest) -> None:
    if asked.columns:
        raise refuse("columns", "Groups have the columns of group_by and aggregate.")
    if asked.max_points is not None:
        raise refuse("max_points", "Points are of rows, not of groups.")


def read_aggregate(text: str, known: Columns) -> Aggregate:
    name, colon, column = text.partition(":")
    if not colon or name not in set(Function):
        raise refuse("aggregate", f"<function>:<column> is needed; functions are {', '.join(Function)}.")
    function, found = Function(name), known.find(column, parameter="aggregate")
    if function in NUMERIC_FUNCTIONS and not found.is_number:
        raise refuse("aggregate", f"{function} does not fit {column}, which is of the type {found.type}.")
    return Aggregate(function, found)


def read_condition(text: str, known: Columns) -> Condition:
    name, _, rest = text.partition(":")
    operator, colon, value = rest.partition(":")
    if not colon or operator not in set(Operator):
        raise refuse("where", f"<column>:<operator>:<value> is needed; operators are {', '.join(Operator)}.")
    column, asked = known.find(name, parameter="where"), Operator(operator)
    if not fits(asked, column):
        raise refuse("where", f"{asked} does not fit {name}, which is of the type {column.type}.")
    if asked is Operator.IS_NULL:
        return Condition(column, asked, read_bool(value, name))
    if asked is Operator.IN:
        values = value.split(",")
        if len(values) > MAX_VALUES:
            raise refuse("where", f"{MAX_VALUES:,} values are the most.")
        return Condition(column, asked, [read_value(one, column) for one in values])
    return Condition(column, asked, read_value(value, column))


def fits(operator: Operator, column: ColumnInfo) -> bool:
    if operator is Operator.CONTAINS:
        return column.type == "string"
    return column.type != "bool" or operator in OPERATORS_OF_BOOL


def read_value(text: str, column: ColumnInfo) -> Any:
    match column.type:
        case "string":
            return text
        case "bool":
            return read_bool(text, column.name)
        case "timestamp":
            return read_moment(text, column.name)
    if column.type == "int64" and INTEGER.fullmatch(text):
        return int(text)
    if len(text) > 100 or not NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise refuse("where", f"{text[:50]!r} is no number, which {column.name} holds.")
    return float(text)


def read_bool(text: str, name: str) -> bool:
    if text not in ("true", "false"):
        raise refuse("where", f"true or false is needed for {name}.")
    return text == "true"


def read_moment(text: str, name: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise refuse("where", f"{text[:50]!r} is no time, which {name} holds.") from None
