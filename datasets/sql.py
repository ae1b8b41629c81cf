"""From a checked query to SQL: names come from the dataset's own columns, and every value is bound."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from datasets.columns import ColumnInfo
from datasets.row_query import Aggregate, Condition, Function, Operator, RowQuery

COMPARED = {
    Operator.EQ: "=",
    Operator.NE: "<>",
    Operator.LT: "<",
    Operator.LE: "<=",
    Operator.GT: ">",
    Operator.GE: ">=",
}
FUNCTIONS = {
    Function.COUNT: "count",
    Function.MIN: "min",
    Function.MAX: "max",
    Function.MEAN: "avg",
    Function.MEDIAN: "median",
    Function.SUM: "sum",
    Function.STDDEV: "stddev_samp",
    Function.FIRST: "first",
    Function.LAST: "last",
}
SQL_TYPES = {
    "float64": "DOUBLE",
    "float32": "FLOAT",
    "int64": "BIGINT",
    "bool": "BOOLEAN",
    "string": "VARCHAR",
    "timestamp": "TIMESTAMPTZ",
}


@dataclass
class Statement:
    """SQL and what is bound in it."""

    sql: str
    bound: list[Any] = field(default_factory=list)


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def list_quoted(columns: Iterable[ColumnInfo]) -> str:
    return ", ".join(quote(column.name) for column in columns)


def build_rows(query: RowQuery, relation: Statement, *, row_order: str) -> Statement:
    """The rows of `relation` in the order asked, else in that of `row_order`: columns that tell all rows apart."""
    bound = list(relation.bound)
    found = f"({relation.sql}){build_where(query.where, bound)}"
    order = row_order
    if query.is_grouped:
        found, order = f"({build_groups(query, f'SELECT * FROM {found}')})", list_quoted(query.group_by)
    elif query.max_points is not None:
        found = f"({build_points(query, f'SELECT * FROM {found}', row_order=row_order)})"
    sql = f"SELECT {list_quoted(query.columns)} FROM {found}{build_order(query, order)}{build_window(query)}"
    return Statement(sql, bound)


def build_count(query: RowQuery, relation: Statement) -> Statement:
    """How many rows or groups there are before the window."""
    bound = list(relation.bound)
    source = f"SELECT * FROM ({relation.sql}){build_where(query.where, bound)}"
    counted = build_groups(query, source) if query.is_grouped else source
    return Statement(f"SELECT count(*) FROM ({counted})", bound)


def build_where(conditions: Sequence[Condition], bound: list[Any]) -> str:
    parts = [build_condition(condition, bound) for condition in conditions]
    return f" WHERE {' AND '.join(parts)}" if parts else ""


def build_condition(condition: Condition, bound: list[Any]) -> str:
    """NaN is no number: no comparison finds it, but `ne` does."""
    name, operator = quote(condition.column.name), condition.operator
    if operator is Operator.IS_NULL:
        return f"{name} IS {'' if condition.value else 'NOT '}NULL"
    if operator is Operator.IN:
        bound.extend(condition.value)
        return f"{name} IN ({', '.join('?' for _ in condition.value)})"
    bound.append(condition.value)
    if operator is Operator.CONTAINS:
        return f"contains(lower({name}), lower(?))"
    compared = f"{name} {COMPARED[operator]} ?"
    is_above = operator in (Operator.GT, Operator.GE) and condition.column.is_float
    return f"({compared} AND NOT isnan({name}))" if is_above else compared


def build_groups(query: RowQuery, source: str) -> str:
    shown = [quote(column.name) for column in query.group_by]
    shown += [f"{build_aggregate(one)} AS {quote(one.name)}" for one in query.aggregates]
    grouped = f" GROUP BY {list_quoted(query.group_by)}" if query.group_by else ""
    return f"SELECT {', '.join(shown)} FROM ({source}){grouped}"


def build_aggregate(aggregate: Aggregate) -> str:
    """NaN counts for none of them, as a missing value does not."""
    name = quote(aggregate.column.name)
    is_whole = aggregate.function in (Function.COUNT, Function.FIRST, Function.LAST)
    value = name if is_whole else known_number(aggregate.column)
    return f"CAST({FUNCTIONS[aggregate.function]}({value}) AS {SQL_TYPES[aggregate.answer.type]})"


def known_number(column: ColumnInfo) -> str:
    """Null in place of NaN."""
    name = quote(column.name)
    return f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END" if column.is_float else name


def build_order(query: RowQuery, otherwise: str) -> str:
    parts = [otherwise] if otherwise else []
    if query.order_by is not None:
        parts.insert(0, f"{quote(query.order_by.name)} {'DESC' if query.descending else 'ASC'} NULLS LAST")
    elif not query.is_grouped and query.max_points is None:
        return ""  # as they are stored
    return f" ORDER BY {', '.join(parts)}" if parts else ""


def build_window(query: RowQuery) -> str:
    limit = "" if query.limit is None else f" LIMIT {int(query.limit)}"
    return limit + (f" OFFSET {int(query.offset)}" if query.offset else "")


def build_points(query: RowQuery, source: str, *, row_order: str) -> str:
    """Of each trace the rows of the least and the greatest value in each stretch of its axis; of a short one all.

    Names that begin with two underscores are ours: none of a dataset's columns does.
    """
    axis = next(quote(column.name) for column in query.known if column.role == "axis")
    values = [known_number(column) for column in query.known if column.role == "value" and column.is_number]
    keys = [quote(column.name) for column in query.known if column.role in ("key", "step")]
    kept = "".join(f"{key}, " for key in keys)
    same = " AND ".join(f"s.{key} IS NOT DISTINCT FROM t.{key}" for key in keys) or "true"
    most = int(query.max_points or 0)
    buckets = max(1, most // (2 * max(1, len(values))))
    place = f"CAST(floor((s.{axis} - t.__low) / nullif(t.__high - t.__low, 0) * {buckets}) AS BIGINT)"
    extremes = ", ".join(f"arg_min(__row, {value}), arg_max(__row, {value})" for value in values)
    by_trace = f" GROUP BY {kept.removesuffix(', ')}" if keys else ""
    return (
        f"WITH s AS ({source}), "
        f"t AS (SELECT {kept}count(*) AS __n, min({axis}) AS __low, max({axis}) AS __high FROM s{by_trace}), "
        f"b AS (SELECT s.*, s AS __row, t.__n AS __n, coalesce(least({buckets - 1}, {place}), 0) AS __bucket"
        f" FROM s JOIN t ON {same}), "
        f"e AS (SELECT unnest([{extremes}]) AS __row FROM b WHERE __n > {most} GROUP BY {kept}__bucket), "
        f"f AS (SELECT DISTINCT __row FROM e WHERE __row IS NOT NULL) "
        f"SELECT unnest(__row) FROM (SELECT __row FROM f UNION ALL SELECT __row FROM b WHERE __n <= {most})"
    )
