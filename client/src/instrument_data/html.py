"""What a notebook shows: small tables without styles of their own, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape
from typing import Any

UNITS = ("B", "KB", "MB", "GB", "TB")


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], *, caption: str = "") -> str:
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(text_of(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{above}<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def facts(title: str, pairs: Iterable[tuple[str, Any]]) -> str:
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text_of(value))}</td></tr>" for name, value in pairs)
    return f"<table><caption>{escape(title)}</caption><tbody>{rows}</tbody></table>"


def text_of(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M")
    if isinstance(value, dict):
        return ", ".join(f"{key}: {text_of(one)}" for key, one in value.items())
    return ", ".join(map(text_of, value)) if isinstance(value, (list, tuple)) else str(value)


def size_text(count: int | None) -> str:
    """As a person reads it, in powers of a thousand."""
    if count is None:
        return ""
    size, unit = float(count), 0
    while size >= 1000 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {UNITS[unit]}" if unit else f"{count} B"
