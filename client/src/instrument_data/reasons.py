"""Why a program changes something: the service keeps it beside the change, and histories tell it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from urllib.parse import quote

HEADER, LONGEST = "Change-Reason", 100
_reason: ContextVar[str] = ContextVar("reason", default="")


@contextmanager
def because(reason: str) -> Iterator[None]:
    """Within it, whatever this thread or task changes says so: one line of 1 to 100 characters, else ValueError.

    with ids.because("Typo in the sample's name, see DEV-113"):
        run.update(sample="LYS-7")
    """
    said = reason.strip()
    if not said or len(said) > LONGEST or not said.isprintable():
        raise ValueError(f"A reason is one line of 1 to {LONGEST} characters.")
    before = _reason.set(said)
    try:
        yield
    finally:
        _reason.reset(before)


def reason_headers() -> dict[str, str]:
    """Of a request that changes something; empty where nobody says why."""
    said = _reason.get()
    return {HEADER: quote(said, safe=" ")} if said else {}
