"""Names in the order in which people look for them, whatever the collation of the database is."""

import unicodedata
from collections.abc import Iterable

from accounts.models import User
from instruments.models import Instrument


def spell(name: str) -> str:
    """The letters by which people look for a name: ä as a, ß as ss (DIN 5007-1)."""
    return "".join(sign for sign in unicodedata.normalize("NFD", name.casefold()) if not unicodedata.combining(sign))


def sort_instruments(found: Iterable[Instrument]) -> list[Instrument]:
    return sorted(found, key=lambda one: (spell(one.display_name), one.pk))


def sort_people(found: Iterable[User]) -> list[User]:
    return sorted(found, key=lambda one: (spell(one.name), one.email))
