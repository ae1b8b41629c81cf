"""The small parts that every page is made of: `{% icon "runs" %}`, `{% status run.status %}`, `{% theme %}`."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from accounts.display_names import initials_of
from dashboard.notices import Notice, take_notices
from wire.lists.pagination import Page
from wire.sizes import format_size

register = template.Library()

STATUS_ICONS = {  # states whose sign has another name; all others are `s-<state>`
    "active": "s-online",
    "building": "s-processing",
    "degraded": "s-stalled",
    "inactive": "s-stopped",
    "ready": "s-completed",
    "registered": "s-detected",
    "upload_requested": "s-pending_upload",
    "watching": "s-online",
}
THEMES = {"light", "dark"}


@register.simple_tag
def icon(name: str) -> SafeString:
    """A decorative sign of the sprite; its meaning stands beside it in words."""
    href = f"{static('icons.svg')}#{name}"
    return format_html('<svg class="i" width="16" height="16" aria-hidden="true"><use href="{}"/></svg>', href)


@register.simple_tag
def status(state: str, look: str = "", word: str = "") -> SafeString:
    """Sign, word, colour. `look`: "" in lists, "pill" in page heads, "bare" where only the sign shows."""
    text = word or state.replace("_", " ").capitalize()
    return format_html(
        '<span class="{}" data-status="{}">{}{}</span>',
        f"status {look}".strip(),
        state,
        icon(STATUS_ICONS.get(state, f"s-{state}")),
        format_html('<span class="sr">{}</span>', text) if look == "bare" else text,
    )


@register.simple_block_tag(end_name="endempty_state")
def empty_state(
    content: SafeString, title: str, level: int = 2, step: str = "", href: str = "", sign: str = ""
) -> SafeString:
    """The one form of nothing to show: `title` says that, the paragraphs within why, and `step` at `href` what next."""
    shown = {"content": content, "title": title, "level": level, "step": step, "href": href, "sign": sign}
    return render_to_string("_empty.html", shown)


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """The colours this browser asked for by the switch in the menu; empty follows the system."""
    request: Any = context.get("request")
    chosen = request.COOKIES.get("theme", "") if request else ""
    return chosen if chosen in THEMES else ""


@register.simple_tag
def ago(moment: datetime, at: datetime, zone: str = "") -> SafeString:
    """How long before `at`, with the exact time, as the clock at `zone` had it, in the title."""
    exact = moment.astimezone(ZoneInfo(zone)) if zone else localtime(moment)
    title = f"{exact:%Y-%m-%d %H:%M:%S} {exact:%z}"
    return format_html('<time datetime="{}" title="{}">{}</time>', exact.isoformat(), title, format_elapsed(moment, at))


TIME_SHAPES = {  # as times.js has them
    "clock": "%H:%M",
    "full": "%Y-%m-%d %H:%M",
    "second": "%Y-%m-%d %H:%M:%S",
    "fraction": "%Y-%m-%d %H:%M:%S.%f",
}
MILLISECONDS_END = len("2026-01-01 00:00:00.000")


@register.simple_tag
def moment(when: datetime | None, zone: str = "", show: str = "clock") -> SafeString | str:
    """An exact time. Script shows it in the browser's zone; the title keeps it as the clock at `zone` had it."""
    if when is None:
        return "—"
    there = when.astimezone(ZoneInfo(zone)) if zone else localtime(when)
    text = there.strftime(TIME_SHAPES[show])[:MILLISECONDS_END]
    title = f"{there:%Y-%m-%d %H:%M:%S} {there:%z}"
    shape = '<time datetime="{}" title="{}" data-show="{}">{}</time>'
    return format_html(shape, there.isoformat(), title, show, text)


@register.simple_tag
def filled(cell: Any) -> SafeString | str:
    """The text of a cell, and unseen what a number lacks of the longest fraction of its column."""
    return format_html('<span data-filler="{}">{}</span>', cell.filler, cell.text) if cell.filler else cell.text


@register.simple_tag
def face(name: str) -> SafeString:
    """The initials of a person in a circle; the name stands beside it or in its title."""
    return format_html('<span class="face" aria-hidden="true">{}</span>', initials_of(name))


@register.simple_tag(takes_context=True)
def notices(context: template.Context) -> list[Notice]:
    """What the last form did, told once."""
    request: Any = context.get("request")
    return take_notices(request) if request and hasattr(request, "session") else []


@register.filter
def size(count: int | None) -> str:
    """`0 B`, `410 KB`, `1.4 GB`: decimal units, as disks and vendors count."""
    return "—" if count is None else format_size(count)


@register.filter
def grouped(number: int) -> str:
    """1,234,567."""
    return f"{number:,}"


@register.filter
def total_words(page: Page[Any]) -> str:
    """989, or 10,000+ where no more were counted."""
    return grouped(page.total) + ("" if page.total_is_exact else "+")


def format_elapsed(moment: datetime, at: datetime) -> str:
    """`just now`, `8 min ago`, `3 h ago`, `5 days ago`, then the date."""
    seconds = (at - moment).total_seconds()
    if seconds < 60:
        return "just now" if seconds > -60 else f"{localtime(moment):%Y-%m-%d}"
    for unit, size, most in (("min", 60, 60), ("h", 3600, 24)):
        if seconds < size * most:
            return f"{seconds // size:.0f} {unit} ago"
    days = (localtime(at).date() - localtime(moment).date()).days
    if days == 1:
        return "yesterday"
    return f"{days} days ago" if days <= 14 else f"{localtime(moment):%Y-%m-%d}"


@register.filter
def ticked(text: str) -> SafeString:
    """Escaped text with what stands `between ticks` as code."""
    pieces = enumerate(text.split("`"))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", piece) if odd % 2 else piece,) for odd, piece in pieces)
    )
