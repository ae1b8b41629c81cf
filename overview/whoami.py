"""Who is asking, and what they may do."""

from dataclasses import dataclass
from uuid import UUID

from accounts.callers import Caller
from accounts.scopes import Scope


@dataclass(frozen=True)
class CallerDescription:
    kind: str
    id: UUID | None
    name: str
    scopes: list[str]
    instrument_ids: tuple[str, ...] | None


def describe_caller(by: Caller) -> CallerDescription:
    """A token under its own name, or a person."""
    principal = by.token or by.user
    return CallerDescription(
        kind="token" if by.token else "person",
        id=principal.pk if principal else None,
        name=by.name,
        scopes=[str(scope) for scope in Scope if by.holds(scope)],
        instrument_ids=by.instrument_ids if by.token else None,
    )
