"""Comments are written in markdown. Raw HTML stays text, pictures are not fetched, and what remains is cleaned."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}

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
