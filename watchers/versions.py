"""Versions of the agent, compared as Python packages are."""

from functools import lru_cache

from django.core.exceptions import ValidationError
from packaging.version import InvalidVersion, Version


def validate_version(text: str) -> None:
    """A field's validator: PEP 440, such as 1.4.0 or 2.0.0rc1."""
    if parse_version(text) is None:
        raise ValidationError("A version such as 1.4.0 or 2.0.0rc1 is needed.")


def is_older(version: str | None, *, than: str | None) -> bool:
    """Whether both can be read and the first is the lesser; of an unreadable one nothing is claimed."""
    one, other = parse_version(version), parse_version(than)
    return one is not None and other is not None and one < other


@lru_cache(maxsize=256)
def parse_version(text: str | None) -> Version | None:
    try:
        return Version(text) if text else None
    except InvalidVersion:
        return None
