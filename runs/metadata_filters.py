"""Filters by metadata: `metadata.<key>=v`, `metadata[<key>]=v` and `metadata[<key>][<operator>]=v`.

Comparisons are SQL/JSON paths (ISO/IEC 9075-2): numbers are compared with stored numbers, texts with
stored texts by code point; an array matches where one of its members does.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import BooleanField, Case, F, Func, JSONField, Q, TextField, Value, When
from django.db.models.lookups import Exact, IContains

from runs.metadata_terms import is_filterable_key

PREFIX = "metadata"
MAX_CONDITIONS = 50  # of one search: each may look at the metadata of every run
PARAMETER = re.compile(r"metadata(?:\.(?P<dotted>.+)|\[(?P<key>[^\[\]]*)\](?:\[(?P<operator>[^\[\]]*)\])?)", re.DOTALL)
NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", re.ASCII)


class Operator(StrEnum):
    EQUALS = "eq"
    GREATER = "gt"
    AT_LEAST = "ge"
    LESS = "lt"
    AT_MOST = "le"
    OTHER = "ne"
    CONTAINS = "contains"
    EXISTS = "exists"


COMPARED_BY = {Operator.GREATER: ">", Operator.AT_LEAST: ">=", Operator.LESS: "<", Operator.AT_MOST: "<="}
SIGNS = {Operator.GREATER: ">", Operator.AT_LEAST: "≥", Operator.LESS: "<", Operator.AT_MOST: "≤"} | {
    Operator.OTHER: "is not",
    Operator.CONTAINS: "contains",
    Operator.EXISTS: "is there:",
}


@dataclass(frozen=True)
class MetadataParameter:
    """What the name of a query parameter asks for."""

    key: str
    operator: Operator = Operator.EQUALS


@dataclass(frozen=True)
class Comparison:
    """One that a run's metadata must meet; `value` is as it was asked."""

    key: str
    operator: Operator
    value: str


def is_metadata_parameter(name: str) -> bool:
    """Whether it claims to be one: of another form than those above it is refused, never passed over."""
    return name.startswith(PREFIX)


def read_parameter(name: str) -> MetadataParameter | None:
    """None where the name has none of the three forms."""
    found = PARAMETER.fullmatch(name)
    if found is None:
        return None
    key, operator = found["dotted"] or found["key"] or "", found["operator"]
    if not is_filterable_key(key) or (operator is not None and operator not in COMPARING):
        return None
    return MetadataParameter(key, Operator(operator) if operator is not None else Operator.EQUALS)


COMPARING = frozenset(Operator) - {Operator.EQUALS}


def find_value_fault(operator: Operator, value: str) -> str | None:
    """Why an operator cannot take a value."""
    if operator is Operator.EXISTS and value not in ("true", "false"):
        return "true or false is needed."
    if operator is Operator.CONTAINS and not value:
        return "At least one character is needed."
    return None


def comparison_filter(comparisons: Iterable[Comparison]) -> Q:
    """All of them must hold."""
    condition = Q()
    for comparison in comparisons:
        condition &= _build_condition(comparison)
    return condition


def _build_condition(asked: Comparison) -> Q:
    has_key = Q(metadata__has_key=asked.key)
    match asked.operator:
        case Operator.EXISTS:
            return has_key if asked.value == "true" else ~has_key
        case Operator.OTHER:
            return has_key & ~_finds(asked.key, "==", asked.value)
        case Operator.CONTAINS:
            return _contains(asked.key, asked.value)
        case operator:
            return _finds(asked.key, COMPARED_BY[operator], asked.value)


def _contains(key: str, part: str) -> Q:
    """Whether the text, or a member that is one, has the part in it; a path's regex takes twice as long for a text."""
    kind = Func(MemberOfMetadata(F("metadata"), Value(key)), function="jsonb_typeof", output_field=TextField())
    among_members = _look_for_path(f'{_member(key)} ? (@ like_regex {_quote(part)} flag "qi")')
    in_text = IContains(TextOfMember(F("metadata"), Value(key)), part)
    return Q(Case(When(Exact(kind, "string"), then=in_text), default=among_members, output_field=BooleanField()))


def _finds(key: str, sign: str, value: str) -> Q:
    """Whether the value, or a member of it, stands so to what is asked: as a number, and as a text."""
    sides = [_quote(value), *([value] if NUMBER.fullmatch(value) else [])]
    return _finds_path(f"{_member(key)} ? ({' || '.join(f'@ {sign} {_trim_zeros(side)}' for side in sides)})")


def _trim_zeros(side: str) -> str:
    """A path's numbers are those of JavaScript: without leading zeros."""
    return re.sub(r"^(-?)0+(?=[0-9])", r"\1", side)


def _finds_path(path: str) -> Q:
    return Q(_look_for_path(path))


def _look_for_path(path: str) -> Func:
    looked = Func(F("metadata"), PathText(Value(path, TextField())), function="jsonb_path_exists")
    looked.output_field = BooleanField()
    return looked


class PathText(Func):
    template = "(%(expressions)s)::jsonpath"


class MemberOfMetadata(Func):
    """By its key, whatever that looks like: Django's own transform takes digits for a place in an array."""

    template, arg_joiner, output_field = "(%(expressions)s::text)", " -> ", JSONField()


class TextOfMember(Func):
    template, arg_joiner, output_field = "(%(expressions)s::text)", " ->> ", TextField()


def _member(key: str) -> str:
    return f'$."{key}"'


def _quote(text: str) -> str:
    return json.dumps(text)
