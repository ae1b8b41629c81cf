"""Finding runs by words: each occurs in the run's name, its metadata, its file names, its instrument's or a comment."""

import unicodedata

from django.db.models import Q
from django.db.models.lookups import IContains

from instruments.models import Instrument
from runs.metadata_terms import MetadataWords
from runs.models import Run, run_id_contains
from wire.columns import Searchable
from wire.errors import ValidationError

MAX_WORDS = 8


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
    """All of them must occur, each wherever it does."""
    condition = Q()
    for word in words:
        condition &= _occurs(word)
    return condition


def _occurs(word: str) -> Q:
    """One list of runs for each place, by the index of that place; an OR over tables would look at every run."""
    named = Instrument.objects.filter(Q(display_name__icontains=word) | Q(pk__icontains=word))
    ids = [
        rows.order_by().values("pk")
        for rows in (
            Run.objects.filter(run_id_contains(word)),
            Run.objects.filter(IContains(Searchable(MetadataWords()), word)),
            Run.objects.filter(IContains(Searchable("files__filename"), word), files__deleted_at__isnull=True),
            Run.objects.filter(IContains(Searchable("comments__body"), word), comments__deleted_at__isnull=True),
        )
    ]
    return Q(instrument__in=named) | Q(pk__in=ids[0].union(*ids[1:]))
