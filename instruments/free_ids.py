"""Ids of instruments that nobody chose: made of their names."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from typing import TypeVar

from django.utils.text import slugify

from instruments.catalogue import PAGE_NAMES, InstrumentExists
from instruments.models import Instrument

MAX_STEM_CHARS = 58  # of 64: room for a number

Created = TypeVar("Created")


def create_under_free_id(name: str, create: Callable[[str], Created]) -> Created:
    """What `create` makes of the first free id after the name."""
    ids = list_free_ids(name)
    while True:
        with suppress(InstrumentExists):  # somebody else was faster by a moment
            return create(next(ids))


def list_free_ids(name: str) -> Iterator[str]:
    """`cary-60`, `cary-60-2`, …, without those that are taken already."""
    stem = slugify(name).replace("_", "-")[:MAX_STEM_CHARS].strip("-") or "instrument"
    taken = PAGE_NAMES | set(Instrument.objects.filter(id__startswith=stem).values_list("id", flat=True))
    numbered = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return (one for one in numbered if one not in taken)
