"""Finding runs by words: each occurs in the run's name, its metadata, its file names, its instrument's or a comment."""

import unicodedata
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.lookups import IContains

from instruments.models import Instrument
from runs.metadata_terms import MetadataWords
from runs.models import Run, run_id_contains
from wire.columns import Searchable
from wire.errors import ValidationError

MAX_WORDS = 8
MAX_FEW_RUNS = 1_000


class TooManyWords(ValidationError):
    def __init__(self) -> None:
        super().__init__(fields={"q": [f"At most {MAX_WORDS} different words are looked for."]})


def split_words(text: str) -> tuple[str, ...]:
    """The words of a question, each once. Raises TooManyWords: to pass some over would find what was not asked for."""
    words = tuple(dict.fromkeys(unicodedata.normalize("NFC", text).split()))
    if len(words) > MAX_WORDS:
        raise TooManyWords
    return words


def word_filter(words: tuple[str, ...]) -> Q:
    """All of them must occur, each wherever it does.

    Where a word occurs in few runs, these are named by their ids, and the other words are looked for in them alone:
    one bounded query a word, the longest first, until there is one. Else each is a list of the runs that have it.
    """
    for word in sorted(words, key=len, reverse=True):
        few = _list_few_runs(word)
        if few is not None:
            others = [_occurs(other, among=few) for other in words if other != word]
            return Q(*others, pk__in=few)
    return Q(*map(_occurs, words))


def _list_few_runs(word: str) -> list[UUID] | None:
    """The runs in which it occurs; None where these may be more than MAX_FEW_RUNS."""
    if _find_named(word).exists():
        return None
    first, *others = _list_places(word)
    ids = first.union(*others, all=True)[: MAX_FEW_RUNS + 1].values_list("pk", flat=True)
    found = list(ids)
    return list(set(found)) if len(found) <= MAX_FEW_RUNS else None


def _occurs(word: str, *, among: list[UUID] | None = None) -> Q:
    """One list of runs for each place, by the index of that place; an OR over tables would look at every run."""
    places = _list_places(word)
    first, *others = [rows.filter(pk__in=among) for rows in places] if among is not None else places
    return Q(instrument__in=_find_named(word)) | Q(pk__in=first.union(*others))


def _list_places(word: str) -> list[QuerySet[Run, Any]]:
    """The runs that have it in their name, metadata, file names or comments."""
    places = (
        Run.objects.filter(run_id_contains(word)),
        Run.objects.filter(IContains(Searchable(MetadataWords()), word)),
        Run.objects.filter(IContains(Searchable("files__filename"), word), files__deleted_at__isnull=True),
        Run.objects.filter(IContains(Searchable("comments__body"), word), comments__deleted_at__isnull=True),
    )
    return [rows.order_by().values("pk") for rows in places]


def _find_named(word: str) -> QuerySet[Instrument]:
    return Instrument.objects.filter(Q(display_name__icontains=word) | Q(pk__icontains=word))
