"""Walking through many rows in memory of a known size, without a cursor that has to stay open on the server."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet


def walk_rows(rows: QuerySet[Any, Any], *, by: str, size: int) -> Iterator[tuple[Any, ...]]:
    """The tuples of `rows`, a values_list that begins with the unique column `by`, in its order; `size` at a time.

    It works behind a pooler of transactions, too, where a cursor would be gone with its transaction.
    """
    ordered = rows.order_by(by)
    found = list(ordered[:size])
    while found:
        yield from found
        found = list(ordered.filter(**{f"{by}__gt": found[-1][0]})[:size]) if len(found) == size else []
