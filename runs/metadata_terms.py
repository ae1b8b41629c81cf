"""Metadata terms: what a filter asks for, spelled as the database's `run_terms` spells what a run has."""

import hashlib
import re

from django.db.models import F, Func, TextField

FILTERABLE_KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
MAX_PLAIN_VALUE_CHARS = 255


class MetadataWords(Func):
    """All texts and numbers within a run's metadata, a line each."""

    function = "public.run_words"

    def __init__(self, metadata: str = "metadata") -> None:
        super().__init__(F(metadata), output_field=TextField())


class MetadataText(Func):
    """A run's metadata as they are written, which hold all its words: sooner had than these, and enough for some.

    By the rules of case of the database; not in NFC, which takes ten times as long.
    """

    template, output_field = '((%(expressions)s)::text COLLATE "default")', TextField()

    def __init__(self) -> None:
        super().__init__(F("metadata"))


def is_filterable_key(name: str) -> bool:
    """Keys of this form can be filtered by; others are kept in the metadata all the same."""
    return FILTERABLE_KEY.fullmatch(name) is not None


def format_term(key: str, value: str) -> str:
    """`key=value`; a value of over 255 characters stands as `key#` and its SHA-256, which no plain term can equal."""
    if len(value) <= MAX_PLAIN_VALUE_CHARS:
        return f"{key}={value}"
    return f"{key}#{hashlib.sha256(value.encode()).hexdigest()}"
