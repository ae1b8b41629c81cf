"""Who makes a change, for the audit trail. The database reads it from a comment before each changing statement.

A comment costs no round trip, leaves nothing behind on a pooled connection, and survives savepoints and poolers, which
settings of a session do not. `trail_context()` (accounts, migration 0015) reads it back through `current_query()`.
A prepared statement has no such comment, as its text stays: it says by itself who acts, for its transaction
(`SAY_WHO_ACTS`).
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

SAY_WHO_ACTS = "set_config('ids.acting', %(acting)s, true)"  # what is written is to follow from it, or it is left out
WRITE_STATEMENTS = ("INSERT", "UPDATE", "DELETE", "WITH", "MERGE")
COMMENT_ESCAPES = str.maketrans(
    {sign: f"\\u{ord(sign):04x}" for sign in "*/%"}
)  # JSON reads them back; a comment cannot end
MAX_ID_CHARS, MAX_TEXT_CHARS = 255, 100  # trail_context() looks at the first 4,000 characters


@dataclass(frozen=True)
class Principal:
    """A person, a token, an OAuth client that acts for a person, or the service itself."""

    kind: str
    id: str | None
    name: str
    person: "Principal | None" = None

    def to_json(self) -> dict[str, Any]:
        told = {"kind": self.kind, "id": self.id and self.id[:MAX_ID_CHARS], "name": self.name[:MAX_TEXT_CHARS]}
        return told | ({"person": self.person.to_json()} if self.person else {})


def service_principal(part: str) -> Principal:
    """The service itself, or one of its parts: a task, a command."""
    return Principal("service", None, part)


@dataclass(frozen=True)
class AuditContext:
    """`by` is asked as late as can be: a request begins before anybody knows whose it is."""

    by: Callable[[], Principal] | None = None
    request_id: str | None = None
    reason: str | None = None


EMPTY_CONTEXT = AuditContext()
_current: ContextVar[AuditContext] = ContextVar("audit_context", default=EMPTY_CONTEXT)


@contextmanager
def audit_context(by: Principal | Callable[[], Principal] | None = None, **rest: str | None) -> Iterator[None]:
    """Within it, changes are this principal's, of this `request_id`, for this `reason`; what is not said stays."""
    said: dict[str, Any] = {name: value for name, value in rest.items() if value is not None}
    if by is not None:
        said["by"] = (lambda: by) if isinstance(by, Principal) else by
    before = _current.set(replace(_current.get(), **said))
    try:
        yield
    finally:
        _current.reset(before)


def current_request_id() -> str | None:
    """Of the request or task at hand."""
    return _current.get().request_id


def current_principal() -> str:
    """Who acts, as `token:<id>`, `person:<id>`, `service:<part>`; empty where nobody is known."""
    act = _current.get()
    known = act.by() if act.by else None
    if known is None:
        return ""
    return f"{known.kind}:{known.id or known.name}" if known.id or known.kind == "service" else ""


def describe_act() -> str:
    """Who acts, in which request and why, as JSON; empty where no principal is known."""
    act = _current.get()
    if act.by is None:
        return ""
    told = act.by().to_json() | {"request_id": act.request_id, "reason": act.reason and act.reason[:MAX_TEXT_CHARS]}
    return json.dumps(told, ensure_ascii=False)


def format_comment() -> str:
    """The comment before a statement; empty where no principal is known."""
    told = describe_act()
    return f"/*ids {told.translate(COMMENT_ESCAPES)}*/ " if told else ""


def without_comment(sql: str) -> str:
    """The statement alone: the comment has names in it, which belong into the trail and nowhere else."""
    return sql.partition("*/ ")[2] if sql.startswith("/*ids ") else sql


def prepend_comment(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """An execute wrapper of Django's: every connection has it (wire/apps.py)."""
    takes_comment = getattr(context["cursor"].cursor, "takes_comment", True)
    if takes_comment and isinstance(sql, str) and sql.lstrip()[:6].upper().startswith(WRITE_STATEMENTS):
        sql = format_comment() + sql
    return execute(sql, params, many, context)
