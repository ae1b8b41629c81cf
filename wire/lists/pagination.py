"""Lists by page: {"data": [...], "pagination": {page, per_page, total, total_pages}}.

By cursor instead, which no row that comes meanwhile can shift: {per_page, total, next_cursor}, null at the end.
With exact_total=false rows are counted up to MAX_COUNTED, and total_is_exact says whether there are more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet
from rest_framework import serializers

from wire.fields import QueryBoolean, QueryInteger, Text
from wire.inputs import read_query
from wire.lists.cursors import Keyset, cursor_behind, keyset_of, read_cursor, seek, write_cursor

MAX_PAGE = 1_000_000
MAX_PER_PAGE = 100
MAX_COUNTED = 10_000
MAX_CURSOR_CHARACTERS = 8_000
OFFSET = "offset"
Row = TypeVar("Row")


@dataclass(frozen=True)
class Window:
    """Which page is asked for: by its number or, where there is a cursor, the one behind that."""

    page: int = 1
    per_page: int = 20
    cursor: str | None = None
    exact_total: bool = True

    @property
    def is_by_cursor(self) -> bool:
        return self.cursor is not None

    @property
    def start(self) -> int:
        return 0 if self.is_by_cursor else (self.page - 1) * self.per_page

    @property
    def stop(self) -> int:
        """One row more than is shown tells whether a cursor goes on."""
        return self.start + self.per_page + (1 if self.is_by_cursor else 0)


@dataclass(frozen=True)
class Page(Generic[Row]):
    """One page of rows and how many there are in all, at least where the total is not exact."""

    rows: Sequence[Row]
    window: Window
    total: int
    next_cursor: str | None = None
    start: int = 0  # rows before this page, where they were counted
    cursor_of: Callable[[Row], str] | None = None  # None where the order is none that a cursor can follow
    total_is_exact: bool = True

    @property
    def total_pages(self) -> int:
        counted = -(-self.total // self.window.per_page)
        return counted if self.total_is_exact or self.is_last else max(counted, self.window.page + 1)

    @property
    def is_last(self) -> bool:
        """No row is left behind these; of an inexact total a full page cannot tell."""
        if self.total_is_exact:
            return self.start + len(self.rows) >= self.total
        return len(self.rows) < self.window.per_page

    def cursor_behind(self, shown: int) -> str | None:
        """What goes on behind the first `shown` rows of this page; None where nothing is left."""
        if shown == len(self.rows) and (self.window.is_by_cursor or self.is_last):
            return self.next_cursor
        if self.cursor_of is None:
            return write_cursor([self.start + shown], name=OFFSET)
        return self.cursor_of(self.rows[shown - 1])


class PageParams(serializers.Serializer[Any]):
    """Query parameters of every page-indexed list."""

    page = QueryInteger(min_value=1, max_value=MAX_PAGE, required=False, help_text="1-based index of the page.")
    per_page = QueryInteger(min_value=1, max_value=MAX_PER_PAGE, required=False, help_text="Rows a page.")
    cursor = Text(
        max_length=MAX_CURSOR_CHARACTERS,
        required=False,
        allow_blank=True,
        help_text="Instead of `page`: empty to begin, then `next_cursor` of the page before.",
    )
    exact_total = QueryBoolean(
        required=False,
        help_text=f"`false` counts up to {MAX_COUNTED:,} rows, sooner: `total_is_exact` says if these are all.",
    )


def read_window(query: Mapping[str, Any], *, per_page: int = 20) -> Window:
    """The window a query string asks for; 400 where it is out of bounds."""
    return window_from(read_query(PageParams, query), per_page=per_page)


def window_from(asked: Mapping[str, Any], *, per_page: int = 20) -> Window:
    """The window among checked parameters of which PageParams are a part."""
    return Window(
        asked.get("page", 1), asked.get("per_page", per_page), asked.get("cursor"), asked.get("exact_total", True)
    )


def count_rows(rows: QuerySet[Any], window: Window) -> tuple[int, bool]:
    """How many there are, and whether that is exact: where it need not be, no more than MAX_COUNTED are counted."""
    if window.exact_total:
        return rows.count(), True
    counted = rows.order_by()[: MAX_COUNTED + 1].count()
    return min(counted, MAX_COUNTED), counted <= MAX_COUNTED


def paginate(rows: QuerySet[Any, Row], window: Window) -> Page[Row]:
    """One page of an ordered queryset: a count and, where there is something to show, the rows."""
    total, is_exact = count_rows(rows, window)
    if window.cursor is not None:
        page = _paginate_by_cursor(rows, window, cursor=window.cursor, total=total)
        return replace(page, total_is_exact=is_exact)
    found = list(rows[window.start : window.stop]) if window.start < total or not is_exact else []
    keyset = keyset_of(rows)
    cursor_of = partial(cursor_behind, keyset=keyset) if keyset else None
    return Page(found, window, total, start=window.start, cursor_of=cursor_of, total_is_exact=is_exact)


def end_with_cursor(rows: Sequence[Row], window: Window, *, total: int, keyset: Keyset) -> Page[Row]:
    """The page of rows that were sought behind a cursor, of which the last only tells that there are more."""
    shown = rows[: window.per_page]
    following = cursor_behind(shown[-1], keyset) if len(rows) > len(shown) else None
    return Page(shown, window, total, following, cursor_of=partial(cursor_behind, keyset=keyset))


def _paginate_by_cursor(rows: QuerySet[Any, Row], window: Window, *, cursor: str, total: int) -> Page[Row]:
    keyset = keyset_of(rows)
    if keyset is None:
        return _paginate_by_offset(rows, window, cursor=cursor, total=total)
    found = list(seek(rows, keyset, cursor)[: window.stop])
    return end_with_cursor(found, window, total=total, keyset=keyset)


def _paginate_by_offset(rows: QuerySet[Any, Row], window: Window, *, cursor: str, total: int) -> Page[Row]:
    """Of the few short lists whose order is no plain row of columns."""
    start = int(read_cursor(cursor, name=OFFSET)[0]) if cursor else 0
    found = list(rows[start : start + window.stop])
    following = write_cursor([start + window.per_page], name=OFFSET) if len(found) > window.per_page else None
    return Page(found[: window.per_page], window, total, following, start=start)


def present_page(page: Page[Row], present: Callable[[Row], Any]) -> dict[str, Any]:
    """The body of a list."""
    return {"data": [present(row) for row in page.rows], "pagination": describe_pagination(page)}


def describe_pagination(page: Page[Any]) -> dict[str, Any]:
    """Where a list stands, as PaginationSerializer says it."""
    window = page.window
    told = {} if window.exact_total else {"total_is_exact": page.total_is_exact}
    if window.is_by_cursor:
        return {"per_page": window.per_page, "total": page.total, "next_cursor": page.next_cursor, **told}
    return {
        "page": window.page,
        "per_page": window.per_page,
        "total": page.total,
        "total_pages": page.total_pages,
        **told,
    }
