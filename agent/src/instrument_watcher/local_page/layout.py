"""What the sections of the page are made of."""

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element

from instrument_watcher.local_page.markup import Child, element
from instrument_watcher.sizes import count_text, seconds_text


def section(key: str, title: str, *body: Child, beside: str = "", is_shown: bool = True) -> Element:
    """What is not shown is there nevertheless, so that it can appear later without the page being loaded anew."""
    head = element(
        "div",
        element("h2", title, id=f"h-{key}"),
        element("span", beside, class_="muted") if beside else None,
        class_="section-head",
    )
    return element(
        "section", head, *body, id=key, aria_labelledby=f"h-{key}", data_live=True, hidden=not is_shown
    )  # fmt: skip


def form(path: str, *content: Child) -> Element:
    return element("form", *content, method="post", action=path)


def button(text: str, *, primary: bool = False, disabled: bool = False) -> Element:
    return element("button", text, type="submit", class_="btn primary" if primary else "btn", disabled=disabled)


def table(columns: Mapping[str, str], rows: Sequence[Sequence[Child]]) -> Element:
    """`columns` are the kinds (key, run, num, rest) by their heads."""
    head = element("tr", *(element("th", text, scope="col", class_=kind) for text, kind in columns.items()))
    kinds = list(columns.values())
    body = [
        element("tr", *(element("td", cell, class_=kind) for cell, kind in zip(row, kinds, strict=True)))
        for row in rows
    ]
    return element("table", element("thead", head), element("tbody", *body), class_="list")


def rest(rest: int, noun: str) -> Element | None:
    return element("p", f"and {count_text(rest, noun)} more", class_="muted") if rest > 0 else None


def ago(now: float, then: float) -> str:
    seconds = max(0.0, now - then)
    return "just now" if seconds < 2 else f"{seconds_text(seconds)} ago"
