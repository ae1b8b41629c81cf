"""Comments are written in markdown. Raw HTML stays text, pictures are not fetched, and what remains is cleaned."""

from collections.abc import Iterator, Sequence

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

ALLOWED_TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
ALLOWED_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
ALLOWED_SCHEMES = {"http", "https", "mailto"}
QUOTED_BLOCKS = {"blockquote", "table"}  # somebody else's words, and figures

_parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"]).disable("image")


def render_markdown(text: str) -> SafeString:
    """HTML that is safe to show on our pages. Links lead away without telling where from."""
    html = nh3.clean(
        _parser.render(text),
        tags=ALLOWED_TAGS,
        attributes=ALLOWED_ATTRIBUTES,
        url_schemes=ALLOWED_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(html)  # noqa: S308 (nh3 has cleaned it)


def extract_plain_text(text: str) -> str:
    """The text in one line, without markup. Quotes and tables are left out where there is anything else."""
    tokens = _parser.parse(text)
    said = "".join(_walk_texts(tokens, without=QUOTED_BLOCKS)) or "".join(_walk_texts(tokens, without=set()))
    return " ".join(said.split())


def _walk_texts(tokens: Sequence[Token], *, without: set[str]) -> Iterator[str]:
    inside = 0
    for token in tokens:
        inside += token.nesting * (token.type.rpartition("_")[0] in without)
        if not inside and token.children is not None:
            yield from (child.content or " " for child in token.children)
            yield " "
        elif not inside and token.content:
            yield f"{token.content} "
