"""Comments are written in markdown. Raw HTML stays text, pictures are not fetched, and what remains is cleaned."""

from collections.abc import Iterator, Sequence

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}
NOT_SAID = {"blockquote", "table"}  # somebody else's words, and figures

_reader = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"]).disable("image")


def render_markdown(text: str) -> SafeString:
    """HTML that is safe to show on our pages. Links lead away without telling where from."""
    html = nh3.clean(
        _reader.render(text),
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(html)  # noqa: S308 (nh3 has cleaned it)


def words_of(text: str) -> str:
    """What is said, in one line without marks. Quotes and tables are left out where anything else is said."""
    tokens = _reader.parse(text)
    said = "".join(_texts(tokens, without=NOT_SAID)) or "".join(_texts(tokens, without=set()))
    return " ".join(said.split())


def _texts(tokens: Sequence[Token], *, without: set[str]) -> Iterator[str]:
    inside = 0
    for token in tokens:
        inside += token.nesting * (token.type.rpartition("_")[0] in without)
        if not inside and token.children is not None:
            yield from (child.content or " " for child in token.children)
            yield " "
        elif not inside and token.content:
            yield f"{token.content} "
