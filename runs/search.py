"""The list of runs: every filter, an exact total, and an ordering that stays fast (docs/performance.md)."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OrderBy, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from accounts.callers import Caller
from instruments.run_counts import sum_run_counts
from runs.few_rows import FewRows, sort_few
from runs.group_keys import order_groups, with_group_key
from runs.last_changes import narrow_to_changes
from runs.metadata_filters import Comparison
from runs.metadata_matches import match_comparisons
from runs.models import Claim, Run, RunQuerySet, RunSource
from runs.name_matches import ends_in_a_number, run_id_contains
from runs.short_words import find_short_name
from runs.status import RunStatus, status_filter
from runs.words import WordMatches, count_all_but, count_certain, match_words
from wire.columns import IsAnyOf
from wire.lists.cursors import Keyset, cursor_behind, seek
from wire.lists.pagination import MAX_COUNTED, Page, Window, count_rows, end_with_cursor
from wire.queries.compiled import CompiledQuery

MAX_SORTED_MATCHES = MAX_COUNTED
MAX_OF_SHORT_TIME = 50_000
NEAR_RUNS = 5_000  # as long as it takes to ask them for words, indexes take to find them


class Sort(StrEnum):
    ACQUIRED_AT = "acquired_at"
    CREATED_AT = "created_at"
    UPDATED_AT = "updated_at"
    RUN_ID = "run_id"
    TOTAL_SIZE_BYTES = "total_size_bytes"


# What leads a walk comes first. Of runs of a like size each class is sorted when the walk has come to it.
INDEXED_COLUMNS = {
    Sort.ACQUIRED_AT: ("happened_at",),
    Sort.CREATED_AT: ("created_at",),
    Sort.RUN_ID: ("run_id",),
    Sort.TOTAL_SIZE_BYTES: ("size_class", "total_size_bytes"),
}


@dataclass(frozen=True)
class RunSearch:
    """What is looked for. Filters are ANDed; several values of one filter are alternatives, terms are ANDed too."""

    instrument_ids: tuple[str, ...] = ()
    text: str = ""
    words: tuple[str, ...] = ()
    statuses: tuple[RunStatus, ...] = ()
    claimed_by: UUID | None = None
    unattributed: bool = False
    source: RunSource | None = None
    happened_from: datetime | None = None
    happened_to: datetime | None = None
    updated_since: datetime | None = None
    terms: tuple[str, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    tags: tuple[str, ...] = ()
    project_id: UUID | None = None
    include_deleted: bool = False
    sort: Sort = Sort.ACQUIRED_AT
    descending: bool = True

    @property
    def is_unfiltered(self) -> bool:
        """Nothing but instruments is asked, so the total is kept beside them."""
        return self == RunSearch(instrument_ids=self.instrument_ids, sort=self.sort, descending=self.descending)


def search_runs(search: RunSearch, *, window: Window, by: Caller, at: datetime, grouping: str = "") -> Page[Run]:
    """One page of described runs and the total. The ids are paged first, the wide rows joined after.

    With a grouping, runs of a group follow each other, unless there are too many to sort.
    """
    if search.is_unfiltered:
        matches = WordMatches(_filter_by_columns(search, by=by, at=at))
        total, is_exact = sum_run_counts(search.instrument_ids, by=by), True
    else:
        matches = _match(search, by=by, at=at)
        few = None if grouping else _sort_few(matches, search, window)
        if few is not None and few.total <= MAX_SORTED_MATCHES:
            return _describe_few(few, search, window)
        matches = matches if few is None else replace(matches, at_least=MAX_SORTED_MATCHES)
        total, is_exact = _count(matches, window)
    if window.start >= total and is_exact:
        return Page([], window, total, start=window.start)
    sorts_all = can_sort(total, is_exact=is_exact)
    if grouping and sorts_all:
        rows = list(_select_grouped_page(matches.gathered, search, window, grouping))
    else:
        gathers = _has_walk(search) and (sorts_all or _is_short_time(search, by=by))
        changed = None if sorts_all else _list_changed_rows(search, matches, window, at=at)
        rows = changed or _list_rows(search, matches, window, gathers=gathers, by=by)
    keyset = build_keyset(search)
    if window.is_by_cursor:
        return replace(end_with_cursor(rows, window, total=total, keyset=keyset), total_is_exact=is_exact)
    cursor_of = partial(cursor_behind, keyset=keyset)
    return Page(rows, window, total, start=window.start, cursor_of=cursor_of, total_is_exact=is_exact)


def _sort_few(matches: WordMatches, search: RunSearch, window: Window) -> FewRows | None:
    """Where nothing tells yet how many there are, and nobody asks for the exact total of what may be many."""
    if matches.is_told or window.is_by_cursor or (window.exact_total and not matches.is_bounded):
        return None
    return sort_few(matches.gathered, build_keyset(search), window, most=MAX_SORTED_MATCHES)


def _describe_few(few: FewRows, search: RunSearch, window: Window) -> Page[Run]:
    rows = Run.objects.filter(IsAnyOf("pk", few.page)).with_details().order_by(*_requested_order(search))
    cursor_of = partial(cursor_behind, keyset=build_keyset(search))
    return Page(list(rows) if few.page else [], window, few.total, start=window.start, cursor_of=cursor_of)


def can_sort(total: int, *, is_exact: bool) -> bool:
    """Whether so many matches are sorted as a whole."""
    return is_exact and total <= MAX_SORTED_MATCHES


def _count(matches: WordMatches, window: Window) -> tuple[int, bool]:
    """The total, and whether it is exact: it need not be counted again where the look for words has told it."""
    if matches.count is not None:
        return matches.count, True
    if not window.exact_total and (at_least := count_certain(matches)) is not None:
        return at_least, False
    if window.exact_total and (difference := count_all_but(matches)) is not None:
        return difference, True
    return count_rows(matches.gathered, window)


def _list_rows(search: RunSearch, matches: WordMatches, window: Window, *, gathers: bool, by: Caller) -> list[Run]:
    if search.is_unfiltered and not window.cursor:
        return list(
            UNFILTERED_PAGE(
                by.instrument_ids,
                search.instrument_ids or None,
                sort=search.sort,
                descending=search.descending,
                start=window.start,
                stop=window.stop,
                gathers=gathers,
            )
        )
    near = None if gathers or matches.walked is None else _list_near_rows(search, matches.walked, window, by=by)
    if near is not None:
        return near
    found = seek(matches.gathered, build_keyset(search), window.cursor or "")
    gathers = gathers or matches.is_bounded
    return list(_select_page(found, search, window.start, window.stop, gathers=gathers))


def _list_near_rows(search: RunSearch, walked: RunQuerySet, window: Window, *, by: Caller) -> list[Run] | None:
    """The page, where the next NEAR_RUNS of the walk fill it; None where they do not, or no index leads the walk."""
    if search.sort not in INDEXED_COLUMNS or search.include_deleted or window.stop > NEAR_RUNS:
        return None
    keyset, column = build_keyset(search), _sorting_columns(search)[0]
    passed = seek(Run.objects.visible_to(by).filter(_instrument_filter(search)).active(), keyset, window.cursor or "")
    order = _requested_order(search)
    last = passed.order_by(*order).values_list(column, flat=True)[NEAR_RUNS - 1 : NEAR_RUNS].first()
    reach = {f"{column}__{'gte' if search.descending else 'lte'}": last} if last is not None else {}
    found = seek(walked.filter(**reach), keyset, window.cursor or "")
    rows = list(_select_page(found, search, window.start, window.stop, gathers=False))
    return rows if len(rows) == window.stop - window.start else None


def _list_changed_rows(search: RunSearch, matches: WordMatches, window: Window, *, at: datetime) -> list[Run] | None:
    """By last change the page, where the changes of a stretch of time fill it."""
    if search.sort != Sort.UPDATED_AT or window.stop > NEAR_RUNS or matches.is_bounded:
        return None
    keyset = build_keyset(search)
    found = seek(matches.asked, keyset, window.cursor or "")
    for some in narrow_to_changes(found, keyset=keyset, cursor=window.cursor, at=at):
        rows = list(_select_page(some, search, window.start, window.stop, gathers=False))
        if len(rows) == window.stop - window.start:
            return rows
    return None


def _select_page(matches: QuerySet[Run], search: RunSearch, start: int, stop: int, *, gathers: bool) -> RunQuerySet:
    ids = matches.order_by(*_ordering(search, gathers=gathers)).values("pk")[start:stop]
    return Run.objects.filter(pk__in=ids).with_details().order_by(*_requested_order(search))


def _select_grouped_page(matches: RunQuerySet, search: RunSearch, window: Window, grouping: str) -> RunQuerySet:
    """By page only: no cursor follows groups."""
    order = (*order_groups(grouping), *_requested_order(search))
    ids = with_group_key(matches, grouping).order_by(*order).values("pk")[window.start : window.stop]
    return with_group_key(Run.objects.filter(pk__in=ids).with_details(), grouping).order_by(*order)


def _select_unfiltered_page(
    bound: Any, instrument_ids: Any, *, sort: Sort, descending: bool, start: int, stop: int, gathers: bool
) -> RunQuerySet:
    search = RunSearch(instrument_ids=instrument_ids or (), sort=sort, descending=descending)
    matches = Run.objects.within(bound).filter(_column_filter(search))
    return _select_page(matches, search, start, stop, gathers=gathers)


UNFILTERED_PAGE = CompiledQuery(_select_unfiltered_page)


def filter_runs(search: RunSearch, *, by: Caller, at: datetime) -> RunQuerySet:
    """The runs a search finds, unordered."""
    return _match(search, by=by, at=at).gathered


def _match(search: RunSearch, *, by: Caller, at: datetime) -> WordMatches:
    matches = match_comparisons(search.comparisons, among=_filter_by_columns(search, by=by, at=at))
    if ends_in_a_number(search.text):
        matches = replace(matches, is_bounded=True)
    return match_words(search.words, among=matches.asked) if search.words else matches


def _filter_by_columns(search: RunSearch, *, by: Caller, at: datetime) -> RunQuerySet:
    runs = Run.objects.visible_to(by).filter(_column_filter(search))
    if search.statuses:
        runs = runs.filter(status_filter(search.statuses, at=at))
    if search.text:
        named = find_short_name(search.text, most=MAX_SORTED_MATCHES) or run_id_contains(search.text)
        runs = runs.filter(named)
    if search.claimed_by is not None:
        runs = runs.filter(Exists(Claim.objects.filter(user_id=search.claimed_by, run=OuterRef("pk"))))
    return runs


def _column_filter(search: RunSearch) -> Q:
    asked = {
        "source": search.source,
        "happened_at__gte": search.happened_from,
        "happened_at__lte": search.happened_to,
        "updated_at__gte": search.updated_since,
        "terms__contains": list(search.terms) or None,
        "tags__contains": list(search.tags) or None,
        "project_id": search.project_id,
        "claim_count": 0 if search.unattributed else None,
        "deleted_at__isnull": None if search.include_deleted else True,
    }
    return _instrument_filter(search) & Q(**{name: value for name, value in asked.items() if value is not None})


def _instrument_filter(search: RunSearch) -> Q:
    if len(search.instrument_ids) == 1:
        return Q(instrument_id=search.instrument_ids[0])
    return Q(instrument__id__in=search.instrument_ids) if search.instrument_ids else Q()


def _requested_order(search: RunSearch) -> tuple[OrderBy, ...]:
    return tuple(OrderBy(F(column), descending=search.descending) for column in (*_sorting_columns(search), "pk"))


def build_keyset(search: RunSearch) -> Keyset:
    """What a cursor of its list holds."""
    return Keyset((*_sorting_columns(search), "pk"), search.descending)


def _sorting_columns(search: RunSearch) -> tuple[str, ...]:
    return INDEXED_COLUMNS.get(search.sort, (str(search.sort),))


def _has_walk(search: RunSearch) -> bool:
    """Whether there is a choice: few matches are gathered and sorted, many are met soon on a walk down the index.

    The planner cannot choose, as it does not know whether matches lie together in time.
    """
    return search.sort in INDEXED_COLUMNS and not _scans_one_index(search)


def _is_short_time(search: RunSearch, *, by: Caller) -> bool:
    """The runs of a stretch of time lie together in other orders, too: so many are sooner sorted than walked to."""
    stretch = {"happened_at__gte": search.happened_from, "happened_at__lte": search.happened_to}
    bounds = {name: at for name, at in stretch.items() if at is not None}
    if not bounds or search.sort == Sort.ACQUIRED_AT:
        return False
    runs = Run.objects.visible_to(by).filter(_instrument_filter(search), **bounds)
    runs = runs if search.include_deleted else runs.active()
    return not runs.order_by("-happened_at", "-pk").values("pk")[MAX_OF_SHORT_TIME : MAX_OF_SHORT_TIME + 1].exists()


def _ordering(search: RunSearch, *, gathers: bool) -> tuple[OrderBy, ...]:
    """To gather is to ask for an order that no index serves."""
    leading, *others = _requested_order(search)
    if gathers and search.sort in INDEXED_COLUMNS:
        column = F(INDEXED_COLUMNS[search.sort][0])
        leading = OrderBy(Coalesce(column, column), descending=search.descending)
    return leading, *others


def _scans_one_index(search: RunSearch) -> bool:
    """Everything, or everything of one instrument: the index holds exactly the matches, in order."""
    return search.is_unfiltered and len(search.instrument_ids) <= 1
