"""A run's metadata as tags; those that a filter can find lead to the runs that share them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.http import urlencode

from dashboard.runs.rows import format_metadata_value
from runs.metadata_terms import is_filterable_key

MAX_TAGS = 200
MAX_LINKED_CHARACTERS, MAX_SHOWN_CHARACTERS = 500, 300


@dataclass(frozen=True)
class Tag:
    key: str
    text: str
    href: str  # empty where no filter finds it


def build_tags(metadata: Mapping[str, Any], *, instrument: str) -> list[Tag]:
    return [tag for key, value in metadata.items() for tag in _build_tags_of_key(key, value, instrument=instrument)][
        :MAX_TAGS
    ]


def _build_tags_of_key(key: str, value: Any, *, instrument: str) -> Iterator[Tag]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str | int | float) for one in values):
        yield Tag(key, json.dumps(value, ensure_ascii=False)[:MAX_SHOWN_CHARACTERS], "")
        return
    for one in values:
        text = format_metadata_value(one)
        is_found = is_filterable_key(key) and 0 < len(text) <= MAX_LINKED_CHARACTERS
        query = urlencode({f"metadata.{key}": text, "instrument_id": instrument})
        yield Tag(key, text[:MAX_SHOWN_CHARACTERS], f"/runs?{query}" if is_found else "")
