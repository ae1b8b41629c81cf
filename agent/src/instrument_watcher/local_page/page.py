"""The page, and the one that is shown instead where it may not be seen."""

from xml.etree.ElementTree import Element

from instrument_watcher import __version__
from instrument_watcher.local_page import details, sections
from instrument_watcher.local_page.markup import Child, element, html
from instrument_watcher.local_page.view import View

REFRESH_SECONDS = "10"  # where there is no script
DONE = {
    "/upload-now": "The folder is looked through, and what waits is sent.",
    "/resume": "Uploads go on.",
    "/check": "Everything is looked at; what was found shows below.",
}


def page_of(view: View, *, name: str, done: str = "") -> bytes:
    """The whole page; `name` tells it from those of other agents, `done` is the path of what was just asked for."""
    instrument = view.parts.config.instrument_id
    said = element("p", DONE[done], class_="note", role="status") if done in DONE else None
    head = element(
        "header",
        element("h1", element("bdi", instrument)),
        sections.buttons(view),
        element(
            "p",
            element("span", view.state, class_=f"state {view.tone}"),
            element("span", f"Instrument watcher {__version__}"),
            id="state",
            class_="line",
            data_live=True,
        ),
    )
    files = element("div", sections.under_way(view), sections.trouble(view), sections.waiting(view), class_="stack")
    about = element("div", sections.last_hour(view), details.watched(view), class_="stack")
    away = element("p", "The agent does not answer. Is it running?", id="away", class_="note bad", hidden=True)
    main = element(
        "main",
        head,
        away,
        said,
        sections.notice(view),
        details.check(view),
        element("div", files, about, class_="columns"),
        details.log(view),
        data_page=name,
    )
    return html(_document(f"{view.state} · {instrument}", main, is_live=True))


def refusal_page(title: str, said: str, *, command: str = "") -> bytes:
    shown = element("p", element("code", command, class_="mono")) if command else None
    return html(_document(title, element("main", element("h1", title), element("p", said), shown, class_="narrow")))


def _document(title: str, main: Element, *, is_live: bool = False) -> Element:
    live: list[Child] = []
    if is_live:
        again = element("meta", http_equiv="refresh", content=f"{REFRESH_SECONDS}; url=/")
        live = [element("noscript", again), element("script", src="/page.js", type="module")]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("title", title),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("link", rel="icon", href="/mark.svg"),
        element("link", rel="stylesheet", href="/page.css"),
        element("link", rel="stylesheet", href="/lists.css"),
        *live,
    )
    return element("html", head, element("body", main), lang="en")
