"""Typed readers of the environment. A wrong value stops the start with a sentence that names it."""

import os

from django.core.exceptions import ImproperlyConfigured

YES, NO = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def optional(name: str) -> str | None:
    return os.environ.get(name) or None


def text(name: str, default: str) -> str:
    return optional(name) or default


def listed(name: str) -> list[str]:
    return [part.strip() for part in text(name, "").split(",") if part.strip()]


def number(name: str, default: int) -> int:
    given = optional(name)
    if given is None:
        return default
    if not (given.isascii() and given.isdigit()):
        raise ImproperlyConfigured(f"{name} is {given!r}; a whole number is needed.")
    return int(given)


def flag(name: str, default: bool) -> bool:
    given = os.environ.get(name)
    if given is None:
        return default
    if given.lower() not in YES | NO:
        raise ImproperlyConfigured(f"{name} is {given!r}; write 1 or 0.")
    return given.lower() in YES


def required_secret(name: str, *, debug: bool) -> str:
    """A secret of at least 32 characters; only DEBUG may go without."""
    given = optional(name)
    if given is None and debug:
        return "debug-only-" + "0" * 40
    if given is None or len(given) < 32:
        raise ImproperlyConfigured(
            f"{name} must be set to at least 32 random characters (./ids serve makes one by itself)."
        )
    return given
