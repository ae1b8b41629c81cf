"""HTML put together of elements, so that no text can become markup."""

from typing import TypeAlias
from xml.etree.ElementTree import Element, tostring

import regex

from instrument_watcher.watching.names import printable

Child: TypeAlias = "Element | str | None"
DIRECTIONS = regex.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # they let a name read as another one


def element(tag: str, *children: Child, **attributes: str | bool | None) -> Element:
    """`class_` stands for class, `data_live` for data-live; None and False leave an attribute or a child out."""
    made = Element(tag)
    for name, value in attributes.items():
        if value is not None and value is not False:
            made.set(name.rstrip("_").replace("_", "-"), "" if value is True else visible(value))
    for child in children:
        append(made, child)
    return made


def append(parent: Element, child: Child) -> None:
    if isinstance(child, Element):
        parent.append(child)
    elif child is not None:
        last = parent[-1] if len(parent) else None
        if last is None:
            parent.text = (parent.text or "") + visible(child)
        else:
            last.tail = (last.tail or "") + visible(child)


def visible(text: str) -> str:
    """Control characters and those that turn the direction of writing are written out."""
    return DIRECTIONS.sub(lambda match: f"\\u{ord(match.group()):04x}", printable(text))


def name(text: str) -> Element:
    """A file's name or path, whichever way its letters run."""
    return element("bdi", text)


def html(root: Element) -> bytes:
    return b"<!doctype html>\n" + tostring(root, encoding="unicode", method="html").encode()
