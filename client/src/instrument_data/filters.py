"""The filters of `lab.runs(...)` as the query of GET /instrument-runs."""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from instrument_data.plain import unwrap
from instrument_data.times import When, moment_text

Params = list[tuple[str, str]]
Several: TypeAlias = "str | Iterable[str] | None"
OPERATORS = ("gt", "ge", "lt", "le", "ne", "contains", "exists")
KNOWN = ", ".join(OPERATORS)
OTHER_WORDS = {"gte": "ge", "lte": "le", "neq": "ne", "like": "contains", "icontains": "contains", "isnull": "exists"}
OTHER_NAMES = {  # as the interface calls them
    "instrument_id": "instrument",
    "run_id": "search",
    "q": "words",
    "date_from": "since",
    "date_to": "until",
    "ranBy": "ran_by",
    "project_id": "project",
}
NEAR = 0.85  # tags is near tag, instument near instrument; operator is near nothing


@dataclass(frozen=True)
class RunFilters:
    """What a search asks for. `instruments` and `project` are names or ids as the caller said them."""

    instruments: tuple[str, ...] = ()
    project: str | None = None
    params: Params = field(default_factory=list)

    def describe(self) -> str:
        said = [("instrument", name) for name in self.instruments]
        said += [("project", self.project)] if self.project is not None else []
        said += self.params
        return ", ".join(f"{name}={value}" for name, value in said) or "all runs"


def read_filters(
    *,
    instrument: Several = None,
    since: When | None = None,
    until: When | None = None,
    search: str | None = None,
    words: str | None = None,
    status: Several = None,
    ran_by: str | None = None,
    tag: Several = None,
    project: str | None = None,
    source: str | None = None,
    updated_since: When | None = None,
    include_deleted: bool = False,
    sort: str | None = None,
    order: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    also: Mapping[str, Any] | None = None,
    at: datetime | None = None,
) -> RunFilters:
    """`also` are metadata by keyword: `plate_id="P7"`, `temperature__gt=37`. Raises ValueError, TypeError."""
    if not isinstance(metadata, (Mapping, type(None))):
        raise TypeError('metadata is a mapping: {"Plate ID": "P7"}.')
    params: Params = []
    for name, when in (("date_from", since), ("date_to", until), ("updated_since", updated_since)):
        if when is not None:
            params.append((name, moment_text(when, at=at)))
    for name, text in (
        ("search", search),
        ("q", words),
        ("ranBy", ran_by),
        ("source", source),
        ("sort", sort),
        ("order", order),
    ):
        if text is not None:
            params.append((name, text))
    params += [("status", one) for one in several(status)] + [("tag", one) for one in several(tag)]
    if include_deleted:
        params.append(("include_deleted", "true"))
    params += [term for key, value in (metadata or {}).items() for term in _terms(f"metadata[{key}]", value)]
    params += [term for key, value in (also or {}).items() for term in _terms(_parameter_of(key), value)]
    return RunFilters(several(instrument), None if project is None else str(project), params)


def is_compared(name: str) -> bool:
    """Whether a key of metadata ends like a comparison, one that is called otherwise here among them."""
    key, mark, operator = name.rpartition("__")
    return bool(key and mark) and (operator in OPERATORS or operator in OTHER_WORDS)


def value_text(value: Any) -> str:
    """A scalar as the service reads it in a query."""
    value = unwrap(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"Nothing can be compared with {value}.")
    return moment_text(value) if isinstance(value, datetime) else str(value)


def _parameter_of(keyword: str) -> str:
    key, mark, operator = keyword.rpartition("__")
    if meant := _find_meant(keyword):
        raise ValueError(
            f'{keyword} is no filter: {meant} is meant? A key of the metadata: metadata={{"{keyword}": …}}.'
        )
    if mark and operator in OTHER_WORDS:
        raise ValueError(f"{operator} is no comparison here: {OTHER_WORDS[operator]} is meant? There are {KNOWN}.")
    return f"metadata[{key}][{operator}]" if mark and operator in OPERATORS else f"metadata[{keyword}]"


def _find_meant(keyword: str) -> str | None:
    """The filter that a hand missed. As metadata it would find nothing, and say nothing."""
    near = difflib.get_close_matches(keyword, FILTERS, n=1, cutoff=NEAR)
    return OTHER_NAMES.get(keyword) or (near[0] if near else None)


def _terms(parameter: str, value: Any) -> Params:
    """A list asks for all of its members: the terms are ANDed. Raises ValueError for None, which finds nothing."""
    if value is None:
        raise ValueError(f"{parameter} is None: leave it out, or ask for runs without it by __exists=False.")
    values = value if isinstance(value, (list, tuple, set)) else [value]
    return [(parameter, value_text(one)) for one in values]


def several(value: Several) -> tuple[str, ...]:
    if value is None:
        return ()
    values = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
    for one in values:
        if not isinstance(one, str):
            raise TypeError(f"{one!r} is no name: text is needed, or several texts.")
    return values


FILTERS = tuple(inspect.signature(read_filters).parameters)[:-2]  # but `also` and `at`
