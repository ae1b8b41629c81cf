"""From the parameters of a follower to what it reads next; REST and the stream both ask here."""

from collections.abc import Mapping
from typing import Any

from accounts.callers import Caller
from changes.log import DEFAULT_CHANGES, ChangeFilter, Changes, read_changes, read_end

NOW = "now"


def follow(asked: Mapping[str, Any], *, by: Caller) -> Changes:
    """`asked`: after, types, instrument_id and limit, all checked and all optional. Raises PositionGone."""
    if asked.get("after") == NOW:
        return Changes([], read_end())
    after = asked.get("after")
    return read_changes(
        after=None if after is None else int(after),
        wanted=filter_from(asked),
        by=by,
        limit=asked.get("limit", DEFAULT_CHANGES),
    )


def filter_from(asked: Mapping[str, Any]) -> ChangeFilter:
    return ChangeFilter(tuple(sorted(set(asked.get("types", ())))), asked.get("instrument_id"))
