"""Who is at work. The database reads it from a comment before each statement that changes something.

A comment costs no round trip, leaves nothing behind on a pooled connection, and survives savepoints and poolers, which
settings of a session do not. `trail_context()` (accounts, migration 0003) reads it back through `current_query()`.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

CHANGING = ("INSERT", "UPDATE", "DELETE", "WITH", "MERGE")
ESCAPES = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "*/%"})  # JSON reads them back; a comment cannot end
MOST_OF_ID, MOST_OF_TEXT = 255, 100  # trail_context() looks at the first 4,000 characters


@dataclass(frozen=True)
class Principal:
    """A person, a token, an OAuth client that acts for a person, or the service itself."""

    kind: str
    id: str | None
    name: str
    person: "Principal | None" = None

    def as_told(self) -> dict[str, Any]:
        told = {"kind": self.kind, "id": self.id and self.id[:MOST_OF_ID], "name": self.name[:MOST_OF_TEXT]}
        return told | ({"person": self.person.as_told()} if self.person else {})


def service(part: str) -> Principal:
    """The service itself, or one of its parts: a task, a command."""
    return Principal("service", None, part)


@dataclass(frozen=True)
class Act:
    """`by` is asked as late as can be: a request begins before anybody knows whose it is."""

    by: Callable[[], Principal] | None = None
    request_id: str | None = None
    reason: str | None = None


NOBODY_SAID = Act()
_present: ContextVar[Act] = ContextVar("acting", default=NOBODY_SAID)


@contextmanager
def acting(by: Principal | Callable[[], Principal] | None = None, **rest: str | None) -> Iterator[None]:
    """Within it, changes are this principal's, of this `request_id`, for this `reason`; what is not said stays."""
    said: dict[str, Any] = {name: value for name, value in rest.items() if value is not None}
    if by is not None:
        said["by"] = (lambda: by) if isinstance(by, Principal) else by
    before = _present.set(replace(_present.get(), **said))
    try:
        yield
    finally:
        _present.reset(before)


def comment() -> str:
    """What stands before a statement; nothing where nobody said who is at work."""
    act = _present.get()
    if act.by is None:
        return ""
    told = act.by().as_told() | {"request_id": act.request_id, "reason": act.reason and act.reason[:MOST_OF_TEXT]}
    return f"/*ids {json.dumps(told, ensure_ascii=False).translate(ESCAPES)}*/ "


def tell_database(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """An execute wrapper of Django's: every connection has it (wire/apps.py)."""
    if isinstance(sql, str) and sql.lstrip()[:6].upper().startswith(CHANGING):
        sql = comment() + sql
    return execute(sql, params, many, context)
