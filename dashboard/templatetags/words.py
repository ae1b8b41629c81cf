"""Numbers and things as people say them, and where they are shown."""

import re

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from dashboard.templatetags.parts import moment
from notifications.models import Notification, SenderKind
from notifications.moments import split_at_moments
from runs.addresses import path_of_run
from runs.markdown import extract_plain_text
from runs.models import Run

register = template.Library()
YAML_KEY = re.compile(r"^([ \t]*(?:- )?)([\w.-]+:)(?=\s|$)(.*)$")
BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:[kMGT]?B|m?s|min|h|d)\b)")
BEHIND_SEPARATOR = re.compile(r"(?<!\d\.)(?<=[_./])(?=[^_./])|(?<=\d\.)(?=[^\d_./])")
NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


@register.filter
def counted(number: int, noun: str = "thing") -> str:
    """`One thing`, `Four things`, `27 things`: the begin of a sentence."""
    words = NUMBER_WORDS[number].capitalize() if number < len(NUMBER_WORDS) else f"{number:,}"
    return f"{words} {noun}{'' if number == 1 else 's'}"


@register.filter
def number_of(size: str) -> str:
    """The 44.9 of `44.9 GB`."""
    return size.partition(" ")[0]


@register.filter
def unit_of(size: str) -> str:
    return size.partition(" ")[2]


@register.filter
def with_units(text: str) -> str:
    """No line ends between a number and its unit."""
    return BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text)


@register.filter
def breakable(name: str) -> SafeString:
    """A name without spaces ends its lines behind `_`, `.` and `/`, and not in the middle of a word or number."""
    return format_html_join(SafeString("<wbr>"), "{}", ((part,) for part in BEHIND_SEPARATOR.split(name)))


@register.filter
def run_page(run: Run) -> str:
    """The path of the page of a run, or of what names one."""
    return path_of_run(run.instrument_id, run.run_id)


@register.filter
def said(markdown: str) -> str:
    """The words of a comment in one line."""
    return extract_plain_text(markdown)


@register.filter
def in_local_time(message: str, row: Notification) -> SafeString | str:
    """What the service says in a message, with the times of who reads: clocks alone on the day of the message."""
    if row.sender_kind != SenderKind.SERVICE:
        return message
    day = localtime(row.created_at).date()
    pieces = (
        piece if isinstance(piece, str) else moment(piece, show="clock" if localtime(piece).date() == day else "full")
        for piece in split_at_moments(message)
    )
    return format_html_join("", "{}", ((piece,) for piece in pieces))


@register.filter
def less(number: int, other: int) -> int:
    return number - other


@register.filter
def yaml(text: str) -> SafeString:
    """Escaped, with comments and keys marked."""
    return format_html_join("\n", "{}", ((_yaml_line(line),) for line in text.splitlines()))


def _yaml_line(line: str) -> SafeString | str:
    if line.lstrip().startswith("#"):
        return format_html('<span class="c">{}</span>', line)
    if found := YAML_KEY.match(line):
        return format_html('{}<span class="k">{}</span>{}', *found.groups())
    return line
