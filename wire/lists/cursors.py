"""Lists by cursor: a page begins behind the last row of the one before, whatever was added meanwhile.

A cursor is the sorting values of that row, signed, so that nobody else's text becomes a filter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet

from wire.errors import ValidationError

SALT = "cursor"
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Keyset:
    """The columns of an order that ends in a unique one; all run in one direction, and none is null."""

    columns: tuple[str, ...]
    descending: bool

    @property
    def name(self) -> str:
        return ",".join(("-" if self.descending else "") + column for column in self.columns)


def keyset_of(rows: QuerySet[Any]) -> Keyset | None:
    """Of an ordered queryset; None where its order is none that a cursor can follow."""
    ordering: Sequence[Any] = rows.query.order_by
    if not all(isinstance(one, str) for one in ordering) or len({one.startswith("-") for one in ordering}) != 1:
        return None
    return Keyset(tuple(one.removeprefix("-") for one in ordering), ordering[0].startswith("-"))


def seek(rows: QuerySet[Row], keyset: Keyset, cursor: str) -> QuerySet[Row]:
    """The rows behind a cursor; an empty one is before all. Raises ValidationError where it is of another list."""
    return rows.filter(_is_behind(keyset, read_cursor(cursor, name=keyset.name))) if cursor else rows


def cursor_behind(row: Any, keyset: Keyset) -> str:
    return write_cursor([getattr(row, column) for column in keyset.columns], name=keyset.name)


def write_cursor(values: Sequence[Any], *, name: str) -> str:
    return signing.dumps([name, *map(str, values)], salt=SALT, compress=True)


def read_cursor(cursor: str, *, name: str) -> list[str]:
    """The values of a cursor that was written under this name."""
    try:
        written, *values = signing.loads(cursor, salt=SALT)
    except (signing.BadSignature, ValueError):
        written, values = None, []
    if written != name:
        raise ValidationError(fields={"cursor": ["This is no cursor of this list."]})
    return values


def _is_behind(keyset: Keyset, values: Sequence[str]) -> Q:
    """(a, b) > (x, y), said so that an index on a serves."""
    beyond, not_before = ("lt", "lte") if keyset.descending else ("gt", "gte")
    found, same = Q(), Q()
    for column, value in zip(keyset.columns, values, strict=True):
        found |= same & Q(**{f"{column}__{beyond}": value})
        same &= Q(**{column: value})
    return Q(**{f"{keyset.columns[0]}__{not_before}": values[0]}) & found
