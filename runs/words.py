"""Finding runs by words: each occurs in the run's name, its metadata, its file names, its instrument's or a comment."""

import unicodedata
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Cast, Coalesce
from django.db.models.lookups import IContains, IsNull

from instruments.models import Instrument
from runs.metadata_terms import MetadataWords
from runs.models import Run, RunQuerySet
from runs.name_matches import TRIGRAM, run_id_contains
from runs.short_words import list_texts
from wire.columns import IsAnyOf, Searchable
from wire.errors import ValidationError
from wire.lists.pagination import MAX_COUNTED
from wire.queries.samples import count_roughly, sample_rows

MAX_WORDS = 8
MAX_FEW_RUNS = MAX_COUNTED
MIN_CERTAIN = 1_000  # fewer would say little of a total
SAMPLED_RUNS = 1_000
MIN_SAMPLED_OF = 10 * MAX_FEW_RUNS  # of fewer a word in many runs is found to be so as soon as a sample tells it
SURELY_MANY = 3 * MAX_FEW_RUNS


class TooManyWords(ValidationError):
    def __init__(self) -> None:
        super().__init__(fields={"q": [f"At most {MAX_WORDS} different words are looked for."]})


@dataclass(frozen=True)
class WordMatches:
    """The runs that have all words.

    `gathered` finds them by the indexes of the places where words occur. `walked`, there where many have the words,
    asks one run after the other: sooner where some of the next ones are enough. `count` is how many there are, and
    `at_least` that there are more than that, where the look for few has told it. `certain` are some of them, counted
    sooner than all. `all_but`: they are all of these runs but those, which are sooner counted. `is_bounded`: so few
    are gathered that all of them are sorted sooner than walked to.
    """

    gathered: RunQuerySet
    walked: RunQuerySet | None = None
    count: int | None = None
    at_least: int | None = None
    certain: RunQuerySet | None = None
    all_but: tuple[RunQuerySet, RunQuerySet] | None = None
    is_bounded: bool = False

    @property
    def asked(self) -> RunQuerySet:
        """Without the way of gathering them, to look for more among them."""
        return self.gathered if self.walked is None else self.walked

    @property
    def is_told(self) -> bool:
        """Something tells of their number sooner than a look at them."""
        return self.count is not None or self.at_least is not None or self.certain is not None


def split_words(text: str) -> tuple[str, ...]:
    """The words of a question, each once. Raises TooManyWords: to pass some over would find what was not asked for."""
    words = tuple(dict.fromkeys(unicodedata.normalize("NFC", text).split()))
    if len(words) > MAX_WORDS:
        raise TooManyWords
    return words


def match_words(words: tuple[str, ...], *, among: RunQuerySet) -> WordMatches:
    """Among these runs, those that have all the words.

    Where a word occurs in few runs, these are named by their ids, and the other words are looked for in them alone:
    one bounded query a word that may be rare, until there is one.
    """
    some: list[str] = []
    others = list(words)
    for word in _list_rarest_first(words, among=among):
        some = _list_some_runs(word, among=among)
        others = [other for other in words if other != word]
        if len(some) <= MAX_FEW_RUNS:
            named = among.filter(IsAnyOf("pk", some))
            gathered = named.filter(*(_occurs(other, among=named) for other in others))
            return WordMatches(gathered, count=None if others else len(some))
    return WordMatches(
        gathered=among.filter(*map(_occurs, words)),
        walked=among.filter(*map(_occurs_in_it, words)),
        at_least=MAX_FEW_RUNS if len(words) == 1 else None,
        certain=among.filter(IsAnyOf("pk", some), *map(_occurs_in_its_row, others)),
    )


def count_certain(matches: WordMatches) -> int | None:
    """At least how many there are; None where that is not known sooner than the number itself."""
    if matches.at_least is not None or matches.certain is None:
        return matches.at_least
    counted = matches.certain.order_by()[: MAX_FEW_RUNS + 1].count()
    return min(counted, MAX_FEW_RUNS) if counted >= MIN_CERTAIN else None


def count_all_but(matches: WordMatches) -> int | None:
    """How many there are, where that is the difference of two numbers that are sooner had."""
    if matches.all_but is None:
        return None
    every, those = matches.all_but
    return max(every.count() - those.count(), 0)


def _list_rarest_first(words: tuple[str, ...], *, among: RunQuerySet) -> list[str]:
    """The words that may be in few runs, at least the rarest, as a sample tells; the longest first where it does not.

    What occurs in names of files and in comments alone is rare to it, and looked for.
    """
    longest_first = sorted(words, key=len, reverse=True)
    runs = count_roughly(Run) if len(words) > 1 else 0
    if runs <= MIN_SAMPLED_OF:
        return longest_first
    asked = {f"word_{place}": Count("pk", filter=_occurs_in_its_row(word)) for place, word in enumerate(longest_first)}
    met = sample_rows(among, about=SAMPLED_RUNS, of=runs).aggregate(**asked)
    times = {word: met[f"word_{place}"] for place, word in enumerate(longest_first)}
    rarest, *others = sorted(longest_first, key=times.__getitem__)
    return [rarest, *(word for word in others if times[word] * runs <= SURELY_MANY * SAMPLED_RUNS)]


def _list_some_runs(word: str, *, among: RunQuerySet) -> list[str]:
    """The ids of the runs in which it occurs: all, or some where these are more than MAX_FEW_RUNS."""
    as_text = Cast("pk", TextField())  # to make thousands of UUIDs takes longer than to find them
    first, *others = [rows.values_list(as_text)[: MAX_FEW_RUNS + 1] for rows in _list_places(word, among=among)]
    return list({run for (run,) in first.union(*others, all=True)})


def _occurs(word: str, *, among: RunQuerySet | None = None) -> Q:
    """One list of runs for each place, by the index of that place; an OR over tables would look at every run."""
    first, *others = _list_places(word, among=Run.objects.all() if among is None else among, gathers=among is None)
    return Q(pk__in=first.union(*others))


def _occurs_in_its_row(word: str) -> Q:
    """In what a run says itself, its files and comments left out."""
    return run_id_contains(word) | _in_metadata(word) | Q(instrument__in=_find_named(word))


def _occurs_in_it(word: str) -> Q:
    """Asked of a single run: as values, so that the planner does not read all files or comments for it beforehand."""
    itself = Run.objects.filter(pk=OuterRef("pk")).values("pk")
    below = (Q(IsNull(Subquery(itself.filter(place)[:1]), False)) for place in _below(word))
    return reduce(or_, below, _occurs_in_its_row(word))


def _list_places(word: str, *, among: RunQuerySet, gathers: bool = True) -> list[QuerySet[Run, Any]]:
    """The runs that have it in their name, metadata, file names or comments, or whose instrument is called so."""
    in_files, in_comments = _below(word)
    asked = {"name": run_id_contains(word), "metadata": _in_metadata(word), "files": in_files, "comments": in_comments}
    places = [(texts.find(word) if gathers else None) or asked[name] for name, texts in list_texts().items()]
    return [among.filter(place).order_by().values("pk") for place in (*places, Q(instrument__in=_find_named(word)))]


def _in_metadata(word: str) -> Q:
    return Q(_contains(MetadataWords(), word))


def _contains(text: Any, word: str) -> IContains:
    """An index of trigrams knows nothing of a shorter word: all of it would be read, for runs that nobody asked for."""
    searched = Searchable(text)
    return IContains(searched if len(word) >= TRIGRAM else Coalesce(searched, searched), word)


def _below(word: str) -> tuple[Q, Q]:
    return (
        Q(_contains("files__filename", word), files__deleted_at__isnull=True),
        Q(_contains("comments__body", word), comments__deleted_at__isnull=True),
    )


def _find_named(word: str) -> QuerySet[Instrument]:
    return Instrument.objects.filter(Q(display_name__icontains=word) | Q(pk__icontains=word))
