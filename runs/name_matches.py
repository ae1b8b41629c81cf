"""Finding runs by a part of their run_id."""

import unicodedata

from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce, Right, StrIndex, Upper
from django.db.models.lookups import Contains, GreaterThan

TRIGRAM = 3
ENDING, ENDING_DIGITS = 7, 5  # characters of a run_id


def run_id_contains(part: str) -> Q:
    """The run_id has this part, whatever its case and its Unicode form.

    Of fewer than three characters the index of trigrams knows nothing and would be read as a whole: it is kept out. Of
    a long part that ends in a number it is asked for the end alone: it reads the runs of every trigram, and the first
    ones, of a date or of words, are those of very many.
    """
    wanted = unicodedata.normalize("NFC", part)
    key = F("search_key") if len(wanted) >= TRIGRAM else Coalesce("search_key", "search_key")
    if not ends_in_a_number(wanted):
        return Q(Contains(key, Upper(Value(wanted))))
    ends = Q(Contains(key, Right(Upper(Value(wanted)), ENDING)))
    return ends & Q(GreaterThan(StrIndex(key, Upper(Value(wanted))), 0))


def ends_in_a_number(part: str) -> bool:
    """Whether the end of this part of a run_id is that of few runs: most of it are digits."""
    digits = sum(sign in "0123456789" for sign in part[-ENDING:])
    return len(part) > ENDING and digits >= ENDING_DIGITS
