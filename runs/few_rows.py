"""The page of a search that finds few runs: one look at them counts them and sorts them."""

from dataclasses import dataclass
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection

from runs.models import RunQuerySet
from wire.lists.cursors import Keyset
from wire.lists.pagination import Window

SORTED_PAGE = """
    SELECT {key}, count(*) OVER () FROM ({found}) AS found ({columns})
     ORDER BY {order} OFFSET %s LIMIT %s
"""


@dataclass(frozen=True)
class FewRows:
    """How many were found, and the ids of those of a page in their order; of more than `most` only that."""

    total: int
    page: tuple[UUID, ...] = ()


def sort_few(found: RunQuerySet, keyset: Keyset, window: Window, *, most: int) -> FewRows | None:
    """Looks at `most` rows and one more. None where the page begins behind the last row, so that nothing is told."""
    try:
        sql, parameters = found.order_by().values_list(*keyset.columns)[: most + 1].query.sql_with_params()
    except EmptyResultSet:
        return FewRows(0)
    order = ", ".join(f"{column} {'DESC' if keyset.descending else 'ASC'}" for column in keyset.columns)
    statement = SORTED_PAGE.format(key=keyset.columns[-1], found=sql, columns=", ".join(keyset.columns), order=order)
    with connection.cursor() as cursor:
        cursor.execute(statement, [*parameters, window.start, window.per_page])
        rows = cursor.fetchall()
    if not rows:
        return None if window.start else FewRows(0)
    total = rows[0][1]
    return FewRows(total, tuple(key for key, _ in rows) if total <= most else ())
