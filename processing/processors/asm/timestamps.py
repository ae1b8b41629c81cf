"""Times as allotropy reads them, with what it does not know: dates of other countries, and dates that are none.

It takes 05.11.2024 for a day in May, and the month of the day on which it reads for one whose name it does not know.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from allotropy.parsers.utils import timestamp_parser
from allotropy.parsers.utils.timestamp_parser import TIMEZONE_CODES_MAP, TimestampParser
from babel.dates import get_month_names
from dateutil import parser  # type: ignore[import-untyped]

NO_TIME = "1970-01-01T00:00:00+00:00"  # as allotropy's own parsers say it
LANGUAGES = ("de", "fr", "es", "it", "nl", "pt", "sv", "da", "nb", "pl")
YEAR_FIRST = re.compile(r"\s*\d{4}[-/.]")
DOTTED = re.compile(r"(?<![\d.])\d{1,2}\.\s?\d{1,2}\.\s?(?:\d{4}|\d{2})(?![\d.])")
WORD = re.compile(r"[^\W\d_]{3,}\.?")
DIGITS = re.compile(r"\d")
DEFAULTS = (datetime(2000, 1, 1), datetime(2001, 2, 2))  # what a text leaves out shows as a difference


@contextmanager
def known_times(*, is_day_first: bool) -> Iterator[None]:
    """While this is open, allotropy reads dates so; dotted ones have the day first everywhere."""
    usual_parse, usual_order, usual_reading = (
        TimestampParser.parse,
        timestamp_parser._should_use_day_first,
        parser.parse,
    )

    def order(time: str, _: str | None = None) -> bool:
        return not YEAR_FIRST.match(time) and (is_day_first or bool(DOTTED.search(time)))

    def parse(self: TimestampParser, time: str) -> str:
        return usual_parse(self, time) if has_date(time) else NO_TIME

    def read_time(time: Any, *others: Any, **options: Any) -> Any:
        """In place of dateutil's, which some parsers ask themselves."""
        if isinstance(time, str):
            time, options = translate_months(time), {"dayfirst": order(time), **options}
        return usual_reading(time, *others, **options)

    timestamp_parser._should_use_day_first = order  # type: ignore[assignment]
    TimestampParser.parse = parse  # type: ignore[method-assign]
    parser.parse = read_time
    try:
        yield
    finally:
        timestamp_parser._should_use_day_first = usual_order
        TimestampParser.parse = usual_parse  # type: ignore[method-assign]
        parser.parse = usual_reading


@lru_cache
def has_date(time: str) -> bool:
    """Whether it names day, month and year itself. What is no time at all is left to the one who asks."""
    try:
        first, second = (parser.parse(time, tzinfos=TIMEZONE_CODES_MAP, fuzzy=True, default=one) for one in DEFAULTS)
    except (ValueError, OverflowError):
        return True
    return first.date() == second.date()


@lru_cache
def translate_months(time: str) -> str:
    """Months of other languages by their English names."""
    unknown = [word for word in WORD.findall(time) if word.rstrip(".").lower() not in english_words()]
    for word in unknown if DIGITS.search(time) else []:
        number = foreign_months().get(word.rstrip(".").lower())
        if number is not None:
            time = time.replace(word, parser.parserinfo.MONTHS[number - 1][0])
    return time


@cache
def english_words() -> frozenset[str]:
    named = (*parser.parserinfo.MONTHS, *parser.parserinfo.WEEKDAYS, *parser.parserinfo.HMS)
    return frozenset(word.lower() for words in named for word in words)


@cache
def foreign_months() -> dict[str, int]:
    """Numbers of months by their names, whole and short."""
    return {
        name.rstrip(".").lower(): number
        for language in LANGUAGES
        for width in ("wide", "abbreviated")
        for number, name in get_month_names(width, locale=language).items()
    }
