"""The form of object keys: the service's own, so nothing in them ever needs escaping."""

import re

MAX_KEY_BYTES = 1024
OBJECT_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}(?:/[A-Za-z0-9_][A-Za-z0-9._-]{0,199})*")


def check_key(key: str) -> str:
    """The key itself. Raises ValueError where a segment is empty, too long, hidden, or not of `A-Z a-z 0-9 . _ -`."""
    if len(key) > MAX_KEY_BYTES or not OBJECT_KEY.fullmatch(key):
        raise ValueError(f"Not an object key: {key[:100]!r}")
    return key
