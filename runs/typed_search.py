"""What is typed into the box of the run list, taken apart: operators, and the words that are left. Pure.

    by:anna status:failed od600>1 last week "two words"

What is no operator is a plain word; without any operator the text stays as it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from runs.metadata_filters import NUMBER, Operator
from runs.metadata_terms import is_filterable_key

METADATA = "metadata."
SAMPLE_KEY = "sample"
MAX_TERMS = 20
SIGNS = {">": Operator.GREATER, ">=": Operator.AT_LEAST, "≥": Operator.AT_LEAST} | {
    "<": Operator.LESS,
    "<=": Operator.AT_MOST,
    "≤": Operator.AT_MOST,
}
END = r"(?=\s|$)"
PIECE = re.compile(
    rf'"(?P<phrase>[^"]*)"{END}'
    rf"|(?P<key>[A-Za-z0-9_.-]{{1,64}})\s*(?P<sign>>=|<=|[<>≥≤])\s*(?P<number>{NUMBER.pattern}){END}"
    rf"|(?P<span>(?:last|this)\s+(?:[0-9]{{1,3}}\s+)?(?:day|week|month|year)s?|today|yesterday){END}"
    rf'|(?P<name>[A-Za-z][A-Za-z0-9_.-]*):(?:"(?P<quoted>[^"]*)"{END}|(?P<value>\S*))'
    rf"|\S+",
    re.IGNORECASE,
)
SPAN = re.compile(r"(last|this)\s+(?:([0-9]+)\s+)?(day|week|month|year)s?", re.IGNORECASE)
LAST_SIGN = "\ud7ff"  # of those that have one behind them for sure
DAYS_BACK = {"today": 0, "yesterday": 1}
DAYS_OF = {"day": 1, "week": 7, "month": 30, "year": 365}  # of a number of them


class Kind(StrEnum):
    """What an operator asks for."""

    INSTRUMENT = "instrument"
    PERSON = "by"
    STATUS = "status"
    TAG = "tag"
    SINCE = "since"
    UNTIL = "until"
    SPAN = "last"
    METADATA = "metadata"


NAMES = {"instrument": Kind.INSTRUMENT, "on": Kind.INSTRUMENT, "by": Kind.PERSON, "status": Kind.STATUS} | {
    "is": Kind.STATUS,
    "tag": Kind.TAG,
    "since": Kind.SINCE,
    "until": Kind.UNTIL,
    "sample": Kind.METADATA,
}


@dataclass(frozen=True)
class Term:
    """An operator: `text` as it was typed, `rest` all that stands beside it. `key` and `operator` are of metadata."""

    kind: Kind
    value: str
    text: str
    rest: str
    key: str = ""
    operator: Operator = Operator.EQUALS


@dataclass(frozen=True)
class TypedSearch:
    """`words` are looked for in names, as if they had been typed alone; those that look like metadata are `likely`."""

    words: str
    terms: tuple[Term, ...] = ()
    likely: tuple[Term, ...] = ()


def parse_search(text: str) -> TypedSearch:
    """Operators in their order; what is behind the twentieth is plain."""
    terms: list[Term] = []
    words: list[str] = []
    likely: list[Term] = []
    is_plain = True
    for piece in PIECE.finditer(text):
        term = _read_term(piece, text) if len(terms) < MAX_TERMS else None
        if term is not None:
            terms.append(term)
        else:
            words.append(piece["phrase"] if piece["phrase"] is not None else piece[0])
            is_plain &= piece["phrase"] is None
            likely += _read_likely(piece, text)
    plain = text if is_plain and not terms else " ".join(words).strip()
    return TypedSearch(plain, tuple(terms), tuple(likely))


def _read_likely(piece: re.Match[str], text: str) -> Iterator[Term]:
    """`buffer:Tris`, which is a plain word, as `metadata.buffer:Tris` would be read."""
    value = piece["quoted"] or piece["value"]
    if value and is_filterable_key(piece["name"]):
        yield Term(Kind.METADATA, value, f"{METADATA}{piece[0]}", _leave_out(piece, text), piece["name"])


def _read_term(piece: re.Match[str], text: str) -> Term | None:
    """None where it is a plain word."""
    rest = _leave_out(piece, text)
    if piece["key"]:
        return Term(Kind.METADATA, piece["number"], piece[0], rest, piece["key"], SIGNS[piece["sign"]])
    if piece["span"]:
        return Term(Kind.SPAN, " ".join(piece["span"].lower().split()), piece[0], rest)
    if piece["name"]:
        value = piece["quoted"] if piece["quoted"] is not None else piece["value"]
        return _read_named(piece["name"], value, Term(Kind.TAG, value, piece[0], rest))
    return None


def _leave_out(piece: re.Match[str], text: str) -> str:
    return " ".join(f"{text[: piece.start()].rstrip()} {text[piece.end() :].lstrip()}".split())


def _read_named(name: str, value: str, term: Term) -> Term | None:
    key = name.removeprefix(METADATA) if name.startswith(METADATA) else SAMPLE_KEY
    kind = Kind.METADATA if name.startswith(METADATA) and is_filterable_key(key) else NAMES.get(name.lower())
    if kind is not Kind.METADATA:
        return Term(kind, value, term.text, term.rest) if kind else None
    is_part = len(value) > 2 and value.startswith("*") and value.endswith("*")
    return Term(
        kind,
        value.strip("*") if is_part else value,
        term.text,
        term.rest,
        key,
        Operator.CONTAINS if is_part else Operator.EQUALS,
    )


def list_comparisons(term: Term) -> Iterator[tuple[Operator, str]]:
    """What a term of metadata asks of its key. `LYS*` begins so: it lies from LYS on, before the next of its length."""
    beginning = term.value[:-1]
    if term.operator is Operator.EQUALS and term.value.endswith("*") and beginning and beginning[-1] < LAST_SIGN:
        yield Operator.AT_LEAST, beginning
        yield Operator.LESS, beginning[:-1] + chr(ord(beginning[-1]) + 1)
    else:
        yield term.operator, term.value


def read_day(text: str, *, today: date) -> date | None:
    """`today`, `yesterday`, `2026-11-14`, a weekday that was, or the beginning of `2026-11`."""
    asked = text.lower()
    if asked in DAYS_BACK:
        return today - timedelta(days=DAYS_BACK[asked])
    for back in range(1, 8):
        if f"{today - timedelta(days=back):%A}".lower() == asked:
            return today - timedelta(days=back)
    try:
        return date.fromisoformat(f"{asked}-01" if re.fullmatch(r"[0-9]{4}-[0-9]{2}", asked) else asked)
    except ValueError:
        return None


def read_span(text: str, *, today: date) -> tuple[date, date] | None:
    """The first and the last day of `yesterday`, `last week`, `this month` or `last 4 weeks`, which end today."""
    if text in DAYS_BACK:
        day = today - timedelta(days=DAYS_BACK[text])
        return day, day
    found = SPAN.fullmatch(text)
    if found is None:
        return None
    which, number, unit = found[1].lower(), found[2], found[3].lower()
    if number is not None:
        days = int(number) * DAYS_OF[unit]
        return (today - timedelta(days=days - 1), today) if which == "last" and days else None
    begins = _begin(unit, today)
    if which == "this":
        return begins, today
    return _begin(unit, begins - timedelta(days=1)), begins - timedelta(days=1)


def _begin(unit: str, day: date) -> date:
    match unit:
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "year":
            return day.replace(month=1, day=1)
    return day
