"""Typed readers of the environment. A wrong value stops the start with a sentence that names it."""

import base64
import binascii
import json
import os
import warnings
from typing import Any

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS, FALSE_WORDS = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}
PUBLIC_KEY_BYTES = 32


def read_optional(name: str) -> str | None:
    return os.environ.get(name) or None


def read_text(name: str, default: str) -> str:
    return read_optional(name) or default


def read_list(name: str) -> list[str]:
    return [part.strip() for part in read_text(name, "").split(",") if part.strip()]


def read_number(name: str, default: int, *, formerly: str = "") -> int:
    """A whole number. A setting that was renamed is read under its old name for one release, with a warning."""
    if formerly and read_optional(name) is None and read_optional(formerly) is not None:
        warnings.warn(f"{formerly} is called {name} now; the old name ends soon.", FutureWarning, stacklevel=2)
        name = formerly
    given = read_optional(name)
    if given is None:
        return default
    if not (given.isascii() and given.isdigit()):
        raise ImproperlyConfigured(f"{name} is {given!r}; a whole number is needed.")
    return int(given)


def read_object(name: str) -> dict[str, Any]:
    """A JSON object; empty where there is none."""
    try:
        given = json.loads(read_text(name, "{}"))
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise ImproperlyConfigured(f'{name} is no JSON object, such as {{"verify": "/etc/ssl/lab.pem"}}.')
    return given


def read_flag(name: str, default: bool) -> bool:
    given = os.environ.get(name)
    if given is None:
        return default
    if given.lower() not in TRUE_WORDS | FALSE_WORDS:
        raise ImproperlyConfigured(f"{name} is {given!r}; write 1 or 0.")
    return given.lower() in TRUE_WORDS


def read_secret(name: str, *, debug: bool) -> str:
    """A secret of at least 32 characters; only DEBUG may go without."""
    given = read_optional(name)
    if given is None and debug:
        return "debug-only-" + "0" * 40
    if given is None or len(given) < 32:
        raise ImproperlyConfigured(
            f"{name} must be set to at least 32 random characters (./ids serve makes one by itself)."
        )
    return given


def read_public_key(name: str) -> str | None:
    """An Ed25519 public key in base64; None where there is none."""
    given = read_optional(name)
    if given is None:
        return None
    try:
        is_whole = len(base64.b64decode(given, validate=True)) == PUBLIC_KEY_BYTES
    except (binascii.Error, ValueError):
        is_whole = False
    if not is_whole:
        raise ImproperlyConfigured(f"{name} is no Ed25519 public key: 32 bytes in base64 (./ids manage release_key).")
    return given
