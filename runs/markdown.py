"""Comments are written in markdown. Raw HTML stays text, and what remains is cleaned.

The run's own pictures are shown. One from elsewhere is a link: nobody's browser asks another server because a
comment says so.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

ALLOWED_TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span", "img"),
}
ALLOWED_ATTRIBUTES = {
    "a": {"href", "title"},
    "ol": {"start"},
    "img": {"src", "alt", "width", "height", "loading"},
}
ALLOWED_SCHEMES = {"http", "https", "mailto"}
QUOTED_BLOCKS = {"blockquote", "table"}  # somebody else's words, and figures

PICTURE_ADDRESS = "/api/v1/files/{}/preview"
OWN_PICTURE = re.compile(r"/api/v1/files/([1-9][0-9]{0,17})/preview")
MENTION = re.compile(r'@(?:"([^"\n]{1,100})"|((?!_)\w+(?:[-.]\w+)*))')


def find_mention(state: StateInline, silent: bool) -> bool:
    """An inline rule of the parser: `@Name` or `@"Full Name"`, outside of code, links and addresses of e-mail."""
    before = state.src[state.pos - 1 : state.pos]
    if state.src[state.pos] != "@" or before.isalnum() or before == "_" or state.linkLevel:
        return False
    found = MENTION.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        token = state.push("mention", "", 0)
        token.content = f"@{found[1] or found[2]}"
        token.meta = {"name": fold_name(found[1] or found[2]), "typed": found[0]}
    state.pos = found.end()
    return True


def fold_name(name: str) -> str:
    """The form in which names are compared."""
    return " ".join(unicodedata.normalize("NFC", name).lower().split())


def _render_mention(_: Any, tokens: Sequence[Token], number: int, __: Any, env: Mapping[str, Any]) -> str:
    token = tokens[number]
    name = env.get("names", {}).get(token.meta["name"])
    if not name:
        return escape(token.meta["typed"])
    _drop_rest_of_name(name, named_as=token.meta["name"], following=tokens[number + 1 : number + 2])
    return f'<span class="mention">@{escape(name)}</span>'


def _drop_rest_of_name(name: str, *, named_as: str, following: Sequence[Token]) -> None:
    """`@Ines Okafor` without quotes names her by her first word: what follows of her name is not said twice."""
    first, _, rest = name.partition(" ")
    if rest and fold_name(first) == named_as and following and following[0].type == "text":
        following[0].content = re.sub(rf"^ {re.escape(rest)}\b", "", following[0].content, flags=re.IGNORECASE)


def _render_picture(_: Any, tokens: Sequence[Token], number: int, __: Any, env: Mapping[str, Any]) -> str:
    token = tokens[number]
    address, words = str(token.attrs["src"]), escape(token.content)
    own = OWN_PICTURE.fullmatch(address)
    if own is None:
        return f'<a href="{escape(address)}">{words or escape(address)}</a>'
    size = env.get("pictures", {}).get(int(own[1]))
    if size is None:
        return f'<span class="no-picture">{words or "Picture"}</span>'
    sides = f' width="{size[0]}" height="{size[1]}"' if all(size) else ""
    return f'<a href="{address}"><img src="{address}" alt="{words}"{sides} loading="lazy"></a>'


_parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
_parser.inline.ruler.push("mention", find_mention)
_parser.add_render_rule("mention", _render_mention)
_parser.add_render_rule("image", _render_picture)


def render_markdown(
    text: str,
    *,
    names: Mapping[str, str] | None = None,
    pictures: Mapping[int, tuple[int, int]] | None = None,
) -> SafeString:
    """HTML that is safe to show on our pages. Links lead away without telling where from.

    `names`: what to show for each name, folded, that is somebody's; a mention of any other is text.
    `pictures`: width and height of the files that may be shown, by id; of any other its words are shown.
    """
    html = nh3.clean(
        _parser.render(text, {"names": names or {}, "pictures": pictures or {}}),
        tags=ALLOWED_TAGS,
        attributes=ALLOWED_ATTRIBUTES,
        allowed_classes={"span": {"mention", "no-picture"}},
        url_schemes=ALLOWED_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(html)  # noqa: S308 (nh3 has cleaned it)


def list_mentioned_names(text: str) -> list[str]:
    """The names that a text mentions, folded, each once, as they come."""
    if "@" not in text:
        return []
    inline = (child for token in _parser.parse(text) for child in token.children or ())
    return list(dict.fromkeys(child.meta["name"] for child in inline if child.type == "mention"))


def list_pictures(text: str) -> set[int]:
    """The ids of the files that a text shows as pictures."""
    if "![" not in text:
        return set()
    inline = (child for token in _parser.parse(text) for child in token.children or ())
    shown = (OWN_PICTURE.fullmatch(str(child.attrs["src"])) for child in inline if child.type == "image")
    return {int(own[1]) for own in shown if own}


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
