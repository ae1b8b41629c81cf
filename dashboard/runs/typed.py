"""Operators that are typed into the box of the run list: the filters they stand for, and what was not understood."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches

from django.db.models import Q
from django.http import QueryDict

from accounts.callers import Caller
from accounts.models import User
from dashboard.runs.filters import Chip, drop_parameters
from instruments.catalogue import list_instruments
from instruments.models import Instrument
from runs.metadata_filters import SIGNS, Operator
from runs.search import RunSearch
from runs.serializers import ME, UNATTRIBUTED, read_run_search, read_search_of_instrument
from runs.status import RunStatus
from runs.tags import TAG
from runs.typed_search import Kind, Term, list_comparisons, parse_search, read_day, read_span

SEARCH = "search"
MAX_FOUND_INSTRUMENTS, MAX_CANDIDATES, MAX_KNOWN_NAMES = 20, 5, 2_000
NOBODY = {"nobody", UNATTRIBUTED}
DAYS = ("today", "yesterday", "monday")


@dataclass(frozen=True)
class Repair:
    """What may have been meant, and the query string that asks for it."""

    text: str
    address: str


@dataclass(frozen=True)
class Fault:
    """An operator that was left out, and why."""

    text: str
    why: str
    repairs: Sequence[Repair] = ()


@dataclass(frozen=True)
class Understood:
    """`query` is the address with filters in the place of operators; `chips` take one of them off again.

    `likely` are words that may have been meant as facts.
    """

    query: QueryDict
    chips: Sequence[Chip] = ()
    faults: Sequence[Fault] = ()
    likely: Sequence[Repair] = ()


@dataclass(frozen=True)
class Reading:
    """What one term stands for: filters by the names of their parameters, and how it is told; or its fault."""

    filters: Sequence[tuple[str, str]] = ()
    told: str = ""
    why: str = ""
    candidates: Sequence[str] = ()


@dataclass(frozen=True)
class Reader:
    """What terms are read with: whose list it is, the people who ran something, the instrument whose page it is."""

    by: Caller
    people: Sequence[User]
    today: date
    instrument: str | None = None

    def read(self, term: Term) -> Reading:
        if not term.value:
            return Reading(why="it names nothing")
        match term.kind:
            case Kind.INSTRUMENT:
                return self.read_instrument(term.value)
            case Kind.PERSON:
                return self.read_person(term.value)
            case Kind.STATUS:
                return read_status(term.value)
            case Kind.TAG:
                return read_tag(term.value)
            case Kind.METADATA:
                return read_metadata(term)
        return self.read_days(term)

    def read_instrument(self, name: str) -> Reading:
        """The one of this id or name, else all that have it in theirs."""
        if self.instrument is not None:
            return Reading(why="this list is of one instrument")
        rows = list_instruments(by=self.by).only("id", "display_name")
        part = Q(display_name__icontains=name) | Q(pk__icontains=name)
        found = list(rows.filter(part)[: MAX_FOUND_INSTRUMENTS + 1])
        same = [one for one in found if name.casefold() in (one.pk.casefold(), one.display_name.casefold())]
        chosen = same or found
        if not chosen:
            return Reading(why="no instrument is called so", candidates=find_similar(name, rows[:MAX_KNOWN_NAMES]))
        if len(chosen) > MAX_FOUND_INSTRUMENTS:
            few = [one.display_name for one in chosen[:MAX_CANDIDATES]]
            return Reading(why=f"more than {MAX_FOUND_INSTRUMENTS} instruments are called so", candidates=few)
        told = chosen[0].display_name if len(chosen) == 1 else f"any of {len(chosen)}"
        return Reading([("instrument_id", one.pk) for one in chosen], told)

    def read_person(self, name: str) -> Reading:
        """Me, nobody, or the one person one of whose names begins so."""
        if name.casefold() == ME:
            return Reading([("ranBy", ME)], "me")
        if name.casefold() in NOBODY:
            return Reading([("ranBy", UNATTRIBUTED)], "nobody yet")
        same = [one for one in self.people if name.casefold() in (one.name.casefold(), str(one.pk))]
        found = same or [one for one in self.people if begins_a_name(name, one)]
        names = [one.name for one in found] or similar_texts(name, [one.name for one in self.people])
        if len(found) == 1:
            return Reading([("ranBy", str(found[0].pk))], found[0].name)
        why = "several people are called so" if found else "nobody of that name has claimed a run"
        return Reading(why=why, candidates=names[:MAX_CANDIDATES])

    def read_days(self, term: Term) -> Reading:
        if term.kind is Kind.SPAN:
            span = read_span(term.value, today=self.today)
            if span is None:
                return Reading(why="it is no time that has been")
            first, last = map(str, span)
            return Reading([("date_from", first), ("date_to", last)], first if first == last else f"{first} to {last}")
        day = read_day(term.value, today=self.today)
        if day is None:
            return Reading(why="it is no day: 2026-11-14, 2026-11, a weekday, today or yesterday", candidates=DAYS)
        return Reading([("date_from" if term.kind is Kind.SINCE else "date_to", f"{day}")], f"{day}")


def read_status(name: str) -> Reading:
    status = name.casefold().replace("-", "_")
    if status in set(RunStatus):
        return Reading([("status", status)], status.replace("_", " "))
    return Reading(why="there is no such status", candidates=similar_texts(name, list(RunStatus)) or list(RunStatus))


def read_tag(name: str) -> Reading:
    tag = name.casefold()
    if TAG.fullmatch(tag):
        return Reading([("tag", tag)], tag)
    return Reading(why="tags are of a-z, 0-9 and hyphens")


def read_metadata(term: Term) -> Reading:
    filters = [
        (f"metadata.{term.key}" if sign is Operator.EQUALS else f"metadata[{term.key}][{sign}]", value)
        for sign, value in list_comparisons(term)
    ]
    sign = f"{SIGNS[term.operator]} " if term.operator is not Operator.EQUALS else ""
    return Reading(filters, f"{sign}{term.value}")


def begins_a_name(text: str, person: User) -> bool:
    """One of a person's names, all of them, or the address in front of the @."""
    asked, name = text.casefold(), person.name.casefold()
    return any(one.startswith(asked) for one in (name, *name.split(), person.email.casefold().partition("@")[0]))


def find_similar(name: str, instruments: Iterable[Instrument]) -> list[str]:
    return similar_texts(name, [one.display_name for one in instruments])


def similar_texts(text: str, known: Sequence[str]) -> list[str]:
    """As they are written, the most similar first; by whole names and by their words."""
    words = {word: name for name in known for word in (name.casefold(), *name.casefold().split())}
    found = get_close_matches(text.casefold(), words, n=2 * MAX_CANDIDATES, cutoff=0.6)
    return list(dict.fromkeys(words[word] for word in found))[:MAX_CANDIDATES]


def understand(
    query: QueryDict, *, people: Sequence[User], today: date, by: Caller, instrument: str | None = None
) -> Understood:
    """The address as the search takes it. Without an operator it stays as it is."""
    typed = parse_search(query.get(SEARCH, ""))
    likely = [Repair(one.text, _type_instead(query, f"{one.rest} {one.text}".strip())) for one in typed.likely]
    if typed.words == query.get(SEARCH, ""):
        return Understood(query, likely=likely)
    reader = Reader(by, people, today, instrument)
    readings = [(term, reader.read(term)) for term in typed.terms]
    return Understood(
        query=_apply(query, typed.words, [reading for _, reading in readings]),
        chips=[
            Chip(_label(term), reading.told, _type_instead(query, term.rest))
            for term, reading in readings
            if reading.filters
        ],
        faults=[
            Fault(term.text, reading.why, list(_list_repairs(query, term, reading)))
            for term, reading in readings
            if not reading.filters
        ],
        likely=likely,
    )


def read_list_search(
    query: QueryDict, *, people: Sequence[User], today: date, instrument: str | None, by: Caller
) -> tuple[Understood, RunSearch]:
    """What a list looks for, on /runs or on the page of an instrument. Raises ValidationError."""
    understood = understand(query, people=people, today=today, by=by, instrument=instrument)
    if instrument is None:
        return understood, read_run_search(understood.query, by=by)
    return understood, read_search_of_instrument(understood.query, instrument=instrument, by=by)


def _apply(query: QueryDict, words: str, readings: Iterable[Reading]) -> QueryDict:
    """Tags, states, instruments and facts join those that are chosen, days narrow them, a person replaces another."""
    asked = query.copy()
    asked.pop(SEARCH)
    if words:
        asked[SEARCH] = words
    for name, value in (one for reading in readings for one in reading.filters):
        if name == "date_from":
            asked[name] = max(asked.get(name, ""), value)
        elif name == "date_to":
            asked[name] = min(asked.get(name) or value, value)
        elif name == "ranBy":
            asked[name] = value
        elif value not in asked.getlist(name):
            asked.appendlist(name, value)
    return asked


def _label(term: Term) -> str:
    if term.kind is Kind.METADATA:
        return term.key
    names = {Kind.INSTRUMENT: "Instrument", Kind.PERSON: "Ran by", Kind.STATUS: "Status", Kind.TAG: "Tag"}
    return (names | {Kind.SINCE: "Since", Kind.UNTIL: "Until"}).get(term.kind, term.value.capitalize())


def _list_repairs(query: QueryDict, term: Term, reading: Reading) -> Iterator[Repair]:
    name = term.text.partition(":")[0]
    for text in reading.candidates:
        written = f'{name}:"{text}"' if " " in text else f"{name}:{text}"
        yield Repair(written, _type_instead(query, f"{term.rest} {written}".strip()))


def _type_instead(query: QueryDict, text: str) -> str:
    """The query string with this in the box."""
    rest = query.copy()
    rest[SEARCH] = text
    return drop_parameters(rest, *(() if text else (SEARCH,)))
