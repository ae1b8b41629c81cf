"""The run list in groups: a heading for each, which folds it, and the way to all of its runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.http import QueryDict

from accounts.callers import Caller
from dashboard.runs.filters import drop_parameters
from dashboard.runs.rows import RunRow
from runs.group_keys import DAY, GROUPINGS, INSTRUMENT, METADATA, PARAMETER, PERSON, TAG, read_list_grouping
from runs.grouped import RunGroup, group_runs
from runs.models import Run
from runs.search import RunSearch, can_sort
from runs.serializers import UNATTRIBUTED
from wire.lists.pagination import Page

WITHOUT = {INSTRUMENT: "No instrument", DAY: "No day", PERSON: "Nobody yet", TAG: "No tag"}


@dataclass(frozen=True)
class GroupChoice:
    """An entry of the menu."""

    title: str
    address: str
    is_chosen: bool


@dataclass(frozen=True)
class RowGroup:
    """Rows that stand together. `more` is the query string of the list of all that the group has."""

    title: str
    rows: Sequence[RunRow]
    total: int | None
    more: str = ""
    is_name: bool = False  # given by a machine

    @property
    def size(self) -> int:
        """Of the group, where it was counted, else of what is on the page."""
        return len(self.rows) if self.total is None else self.total

    @property
    def is_cut(self) -> bool:
        """More of it stands on other pages."""
        return self.total is not None and self.total > len(self.rows)


def read_grouping(query: QueryDict) -> str:
    """What the address asks for; empty where the list is not grouped. Raises ValidationError."""
    asked = query.get(PARAMETER, "")
    return read_list_grouping(asked) if asked else ""


def name_grouping(grouping: str) -> str:
    return GROUPINGS.get(grouping) or grouping.removeprefix(METADATA)


def list_group_choices(query: QueryDict, *, grouping: str, is_one_instrument: bool) -> list[GroupChoice]:
    """None, those there are for every list, and the one that is typed."""
    offered = {"": "Not grouped"} | GROUPINGS | ({grouping: name_grouping(grouping)} if grouping else {})
    if is_one_instrument:
        offered.pop(INSTRUMENT, None)
    rest = query.copy()
    choices = []
    for name, title in offered.items():
        rest.pop(PARAMETER, None)
        if name:
            rest[PARAMETER] = name
        choices.append(GroupChoice(title, drop_parameters(rest), name == grouping))
    return choices


def group_rows(
    rows: Sequence[RunRow],
    found: Page[Run],
    *,
    query: QueryDict,
    grouping: str,
    search: RunSearch,
    by: Caller,
    at: datetime,
) -> list[RowGroup]:
    """The rows under their headings; two queries at most."""
    by_run = {row.run.pk: row for row in rows}
    is_whole = can_sort(found.total, is_exact=found.total_is_exact)
    groups = group_runs(found.rows, grouping=grouping, search=search, is_whole=is_whole, by=by, at=at)
    return [_build_group(group, by_run, query=query, grouping=grouping) for group in groups]


def _build_group(group: RunGroup, rows: Mapping[UUID, RunRow], *, query: QueryDict, grouping: str) -> RowGroup:
    return RowGroup(
        title=_name_group(group, grouping),
        rows=[rows[run.pk] for run in group.runs],
        total=group.total,
        more=_find_all(group, query=query, grouping=grouping),
        is_name=grouping not in WITHOUT and group.key is not None,
    )


def _name_group(group: RunGroup, grouping: str) -> str:
    first = group.runs[0]
    if group.key is None:
        return WITHOUT.get(grouping, f"Without {name_grouping(grouping).lower()}")
    if grouping == INSTRUMENT:
        return first.instrument.display_name
    if grouping == PERSON:
        return first.attributions[0].display_name if first.attributions else WITHOUT[PERSON]
    if grouping == DAY:
        day = date.fromisoformat(group.key)
        return f"{day:%A}, {day.day} {day:%B %Y}"
    return group.key.replace(" ", ", ") if grouping == TAG else group.key


def _find_all(group: RunGroup, *, query: QueryDict, grouping: str) -> str:
    """The filter that finds the runs of a group; empty where there is none that finds these alone."""
    key, rest = group.key, query.copy()
    rest.pop(PARAMETER, None)
    if grouping == PERSON:
        rest["ranBy"] = key or UNATTRIBUTED
    elif key is None:
        return ""
    elif grouping == INSTRUMENT:
        rest["instrument_id"] = key
    elif grouping == DAY:
        rest["date_from"] = rest["date_to"] = key
    elif grouping == TAG:
        rest.setlist("tag", list(dict.fromkeys([*rest.getlist("tag"), *key.split()])))
    elif _is_plain(group.runs[0].metadata.get(grouping.removeprefix(METADATA))):
        rest.setlist(grouping, list(dict.fromkeys([*rest.getlist(grouping), key])))
    else:
        return ""
    return drop_parameters(rest)


def _is_plain(value: object) -> bool:
    """A text, or a whole number: what stands as its key stands in its filter."""
    return isinstance(value, str | int)
