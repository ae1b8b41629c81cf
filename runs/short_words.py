"""Words of two letters or digits where few texts have them: too short for what indexes of trigrams are asked for.

With each character of ASCII that may stand before it such a word is a trigram, also at the beginning of a text.
Texts in which two letters stand behind any other character are in an index of their own.
"""

import re
from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, Count, F, Func, Q, QuerySet, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Upper
from django.db.models.lookups import Contains

from runs.metadata_terms import MetadataText, MetadataWords
from runs.models import Comment, Run
from wire.columns import HasPairBehindOther, Searchable
from wire.queries.samples import ALL, count_roughly, sample_rows

PAIR = re.compile("[A-Za-z0-9]{2}")
MAX_READ_TEXTS = 100_000  # so many are sooner read one by one than a whole table in its order
SAMPLED_TEXTS = 2_000


class FollowsAscii(Func):
    """It stands behind ASCII or at the beginning. From a query of its own, so that the planner expects few."""

    template, arg_joiner = "(%(expressions)s)))", r" ~ (SELECT '(^|[\x01-\x7f])' || upper("
    output_field = BooleanField()


@dataclass(frozen=True)
class Texts:
    """Those of a table in which words are looked for, as its indexes have them, and the run of each."""

    rows: QuerySet[Any, Any]
    text: Combinable
    other: Combinable  # what is indexed where two letters stand behind other characters in it: the text, or more
    run: str

    def find(self, word: str, *, most: int = MAX_READ_TEXTS) -> Q | None:
        """The runs with such a word in one of these; None where it is another word, or more texts would be read."""
        if not PAIR.fullmatch(word) or not self._are_few(word, most=most):
            return None
        behind_ascii = Q(FollowsAscii(self.text, Value(word, TextField())))
        behind_other = Q(HasPairBehindOther(self.other)) & self._has(word)
        first, other = (self.rows.filter(way).values(self.run)[:ALL] for way in (behind_ascii, behind_other))
        return Q(pk__in=first.union(other, all=True))

    def _are_few(self, word: str, *, most: int) -> bool:
        texts = count_roughly(self.rows.model)
        if texts <= most:
            return True
        sample = sample_rows(self.rows.order_by(), about=SAMPLED_TEXTS, of=texts)
        read = self._has(word) | Q(HasPairBehindOther(self.other))
        counted = sample.aggregate(all=Count("pk"), read=Count("pk", filter=read))
        return bool(counted["read"] * texts <= most * max(counted["all"], 1))

    def _has(self, word: str) -> Q:
        """Kept out of the index of trigrams, which would be read as a whole."""
        return Q(Contains(Coalesce(self.text, self.text), Upper(Value(word))))


def list_texts() -> dict[str, Texts]:
    """By the names of their places."""
    files = Run._meta.get_field("files").related_model._default_manager.filter(deleted_at__isnull=True)
    name, filename, body = F("search_key"), Upper(Searchable("filename")), Upper(Searchable("body"))
    words, metadata = Upper(Searchable(MetadataWords())), Upper(MetadataText())
    return {
        "name": Texts(Run.objects.all(), name, name, "pk"),
        "metadata": Texts(Run.objects.all(), words, metadata, "pk"),
        "files": Texts(files, filename, filename, "run"),
        "comments": Texts(Comment.objects.filter(deleted_at__isnull=True), body, body, "run"),
    }


def find_short_name(part: str, *, most: int) -> Q | None:
    """The runs with it in their name; None where other ways are sooner."""
    return list_texts()["name"].find(part, most=most)
