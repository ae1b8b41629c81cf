"""Small drawings made of rectangles; their sizes are percentages, so the content policy holds without a style."""

from collections.abc import Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()
NOW_CLASS = format_html(' class="{}"', "now")
BAR_EXTENTS = {"": ("0", "100%"), "part": ("40%", "60%"), "off": ("80%", "20%"), "none": ("96%", "4%")}


@register.simple_tag
def spark(values: Sequence[int], label: str, look: str = "") -> SafeString:
    """Bars, the last one marked as now. The highest fills the height; nothing is a hairline."""
    most = max(values, default=0) or 1
    step = 100 / max(len(values), 1)
    bars = (
        (
            NOW_CLASS if number == len(values) - 1 else "",
            f"{number * step:.2f}%",
            f"{100 - 100 * value / most:.1f}%",
            f"{step * 0.58:.2f}%",
            f"{100 * value / most:.1f}%",
        )
        for number, value in enumerate(values)
    )
    rects = format_html_join("", '<rect{} x="{}" y="{}" width="{}" height="{}"/>', bars)
    look = f"spark {look}".strip()
    return format_html('<svg class="{}" role="img" aria-label="{}">{}</svg>', look, label, rects)


@register.simple_tag
def beat(states: Sequence[str], label: str) -> SafeString:
    """One bar an interval: heard ("" is all of it, "part"), "off" (silent), "none" (not watching, or yet to come)."""
    step = 100 / max(len(states), 1)
    bars = (
        (format_html(' class="{}"', state) if state else "", f"{number * step:.2f}%", y, f"{step * 0.72:.2f}%", height)
        for number, state in enumerate(states)
        for y, height in (BAR_EXTENTS[state],)
    )
    rects = format_html_join("", '<rect{} x="{}" y="{}" width="{}" height="{}"/>', bars)
    return format_html('<svg role="img" aria-label="{}">{}</svg>', label, rects)
