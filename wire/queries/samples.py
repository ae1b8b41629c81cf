"""What a table is like, told by a few of its rows: for those who choose between two ways of asking it."""

from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.expressions import RawSQL

COUNT_ROUGHLY = "SELECT reltuples FROM pg_class WHERE oid = %s::regclass"
SAMPLE = "SELECT {key} FROM public.{table} TABLESAMPLE SYSTEM (%s)"
ALL = 2**31 - 1  # with a limit that none reach a query stays one of its own, which an index alone answers
Row = TypeVar("Row", bound=Model)


def count_roughly(model: type[Model]) -> float:
    """How many rows the planner believes a table to have."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_ROUGHLY, [f"public.{model._meta.db_table}"])
        return float(cursor.fetchone()[0])


def sample_rows(rows: QuerySet[Row, Any], *, about: int, of: float) -> QuerySet[Row, Any]:
    """About so many of a table that has so many rows, by whole pages."""
    meta = rows.model._meta
    sql = SAMPLE.format(key=meta.pk.column, table=meta.db_table)
    return rows.filter(pk__in=RawSQL(sql, [min(100.0, 100 * about / of)]))  # noqa: S611 (names of ours, a number)
