"""Page-indexed lists: {"data": [...], "pagination": {page, per_page, total, total_pages}}."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet
from rest_framework import serializers

from wire.fields import QueryInteger
from wire.inputs import read_query

MAX_PAGE = 1_000_000
MAX_PER_PAGE = 100
Row = TypeVar("Row")


@dataclass(frozen=True)
class Window:
    """Which page is asked for."""

    page: int = 1
    per_page: int = 20

    @property
    def start(self) -> int:
        return (self.page - 1) * self.per_page

    @property
    def stop(self) -> int:
        return self.start + self.per_page


@dataclass(frozen=True)
class Page(Generic[Row]):
    """One page of rows and how many there are in all."""

    rows: Sequence[Row]
    window: Window
    total: int

    @property
    def total_pages(self) -> int:
        return -(-self.total // self.window.per_page)


class PageParams(serializers.Serializer[Any]):
    """Query parameters of every page-indexed list."""

    page = QueryInteger(min_value=1, max_value=MAX_PAGE, required=False, help_text="1-based index of the page.")
    per_page = QueryInteger(min_value=1, max_value=MAX_PER_PAGE, required=False, help_text="Rows a page.")


def read_window(query: Mapping[str, Any], *, per_page: int = 20) -> Window:
    """The window a query string asks for; 400 where it is out of bounds."""
    return window_from(read_query(PageParams, query), per_page=per_page)


def window_from(asked: Mapping[str, Any], *, per_page: int = 20) -> Window:
    """The window among checked parameters of which PageParams are a part."""
    return Window(page=asked.get("page", 1), per_page=asked.get("per_page", per_page))


def paginate(rows: QuerySet[Any, Row], window: Window) -> Page[Row]:
    """One page of an ordered queryset: a count and, where there is something to show, the rows."""
    total = rows.count()
    found = list(rows[window.start : window.stop]) if window.start < total else []
    return Page(found, window, total)


def present_page(page: Page[Row], present: Callable[[Row], Any]) -> dict[str, Any]:
    """The body of a page-indexed list."""
    window = page.window
    return {
        "data": [present(row) for row in page.rows],
        "pagination": {
            "page": window.page,
            "per_page": window.per_page,
            "total": page.total,
            "total_pages": page.total_pages,
        },
    }
