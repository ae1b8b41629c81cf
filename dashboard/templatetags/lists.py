"""Parts of every list: a column to sort by, the pages, and addresses that differ in one parameter."""

from collections.abc import Iterator
from typing import Any

from django import template
from django.http import QueryDict

from wire.lists.pagination import Page

register = template.Library()
PAGES_BESIDE = 1  # pages shown on each side of the one that is open


@register.inclusion_tag("_sort.html")
def sorted_column(
    query: QueryDict, sort: dict[str, Any], url: str, target: str, name: str, label: str, first: str = "desc"
) -> dict[str, Any]:
    """A heading that sorts by `name`, `first` this way; again, the other way."""
    is_now = sort["by"] == name
    order = ("asc" if sort["descending"] else "desc") if is_now else first
    href = f"{url}?{replace_parameters(query, sort=name, order=order, page=None)}"
    return {"label": label, "href": href, "is_now": is_now, "descending": sort["descending"], "target": target}


@register.inclusion_tag("_pager.html")
def pager(
    page: Page[Any], query: QueryDict, url: str, target: str, anchor: str = "", fragment: str = ""
) -> dict[str, Any]:
    """Which rows these are and the way to the others."""
    here, last = page.window.page, page.total_pages

    def link(number: int) -> dict[str, Any]:
        asked = replace_parameters(query, page=str(number))
        return {"number": number, "href": f"{url}?{asked}{anchor}", "part": f"{fragment or url}?{asked}"}

    return {
        "page": page,
        "target": target,
        "first": page.window.start + 1,
        "last": page.window.start + len(page.rows),
        "links": [
            link(number) | {"now": number == here} if number else {} for number in _list_page_numbers(here, last)
        ],
        "previous": link(here - 1) if here > 1 else None,
        "next": link(here + 1) if here < last else None,
    }


@register.simple_tag
def address(query: QueryDict, **parameters: Any) -> str:
    """The query string with these parameters set, or without them where they are None; from the first page on."""
    return replace_parameters(query, page=None, **parameters)


def replace_parameters(query: QueryDict, **parameters: Any) -> str:
    copy = query.copy()
    for name, value in parameters.items():
        if value is None or (name == "page" and value == "1"):
            copy.pop(name, None)
        else:
            copy[name] = str(value)
    return copy.urlencode()


def _list_page_numbers(here: int, last: int) -> Iterator[int]:
    """1 … 4 5 6 … 16; 0 is a gap."""
    before = 0
    for number in sorted({1, last, *range(max(1, here - PAGES_BESIDE), min(last, here + PAGES_BESIDE) + 1)}):
        if number - before == 2:
            yield number - 1
        elif number - before > 2:
            yield 0
        yield number
        before = number
