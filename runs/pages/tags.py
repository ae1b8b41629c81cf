"""A run's metadata as tags; those that a filter can find lead to the runs that share them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.http import urlencode

from runs.pages.rows import plain
from runs.terms import is_key

MOST = 200
LONGEST_LINK, LONGEST_SHOWN = 500, 300


@dataclass(frozen=True)
class Tag:
    key: str
    text: str
    href: str  # empty where no filter finds it


def tags_of(metadata: Mapping[str, Any], *, instrument: str) -> list[Tag]:
    return [tag for key, value in metadata.items() for tag in _tags(key, value, instrument=instrument)][:MOST]


def _tags(key: str, value: Any, *, instrument: str) -> Iterator[Tag]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str | int | float) for one in values):
        yield Tag(key, json.dumps(value, ensure_ascii=False)[:LONGEST_SHOWN], "")
        return
    for one in values:
        text = plain(one)
        is_found = is_key(key) and 0 < len(text) <= LONGEST_LINK
        query = urlencode({f"metadata.{key}": text, "instrument_id": instrument})
        yield Tag(key, text[:LONGEST_SHOWN], f"/runs?{query}" if is_found else "")
