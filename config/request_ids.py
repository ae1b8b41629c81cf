"""The id that every request gets, at the front door, in Django and in the logs."""

import re

from wire.ids import new_id

PLAIN_ID = re.compile(r"(?!ids_)[A-Za-z0-9._-]{1,64}", re.ASCII)  # a token is none: it would be in every log line


def request_id_of(given: str) -> str:
    """The caller's id when it is a plain token of up to 64 characters, else a new one."""
    return given if PLAIN_ID.fullmatch(given) else str(new_id())
