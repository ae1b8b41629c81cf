"""Expressions that the columns, indexes and constraints of several tables share."""

from collections.abc import Iterable
from uuid import UUID

from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Length
from django.db.models.lookups import Exact, LessThanOrEqual, Range


class Searchable(Func):
    """A name as searches compare it: NFC, and by the database's own rules of case though the column sorts by bytes."""

    template = 'normalize(%(expressions)s COLLATE "default", NFC)'
    output_field = models.TextField()


class HasPairBehindOther(Func):
    """Two letters or digits stand behind a character beyond ASCII: where no trigram that we could name leads to them.

    Said as an equality, of which the planner expects few.
    """

    template = r"(%(expressions)s ~ '[^\x01-\x7f](\w|[^\x01-\x7f]){2}')::int = 1"
    output_field = models.BooleanField()


def overlaid_metadata() -> CombinedExpression:
    """What processing extracted, overlaid by what callers wrote: a caller's value always wins."""
    return CombinedExpression(F("extracted"), "||", F("caller_metadata"), output_field=models.JSONField())


class IsAnyOf(Func):
    """One of many UUIDs, sent as one array: thousands of parameters of `__in` cost more than the query."""

    template, arg_joiner = "(%(expressions)s::uuid[]))", " = ANY("
    output_field = models.BooleanField()

    def __init__(self, name: str, ids: Iterable[UUID | str]) -> None:
        super().__init__(F(name), Value(f"{{{','.join(map(str, ids))}}}", models.TextField()))


def is_object(name: str) -> Q:
    """The JSON column holds an object, neither an array nor a scalar."""
    return Q(Exact(Func(F(name), function="jsonb_typeof", output_field=models.TextField()), "object"))


def is_hex(name: str, *, digits: int) -> Q:
    """Exactly so many lower-case hex digits, or null. A counted regular expression would take ten times as long."""
    return Q(Exact(Length(name), digits)) & ~Q(**{f"{name}__regex": "[^0-9a-f]"})


def has_length(name: str, *, least: int, most: int) -> Q:
    """So many characters."""
    return Q(Range(Length(name), (least, most)))


def fits_bytes(name: str, *, most: int) -> Q:
    """At most so many bytes of UTF-8."""
    return Q(LessThanOrEqual(Func(F(name), function="octet_length", output_field=models.IntegerField()), most))


def exactly_one(first: str, second: str) -> Q:
    """One of two columns is set, the other null."""
    return Q(**{f"{first}__isnull": False, f"{second}__isnull": True}) | Q(
        **{f"{first}__isnull": True, f"{second}__isnull": False}
    )
