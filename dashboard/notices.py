"""One-time notices: what a form did, told on the next page. They live in the session and are read once."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from django.http import HttpRequest

SESSION_KEY = "notices"
MAX_NOTICES = 5


@dataclass(frozen=True)
class Undo:
    """A form that takes back what was done: where it is sent and what it says."""

    action: str
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Notice:
    text: str
    undo: Undo | None = None
    is_bad: bool = False


def add_notice(request: HttpRequest, notice: Notice) -> None:
    """Keep a notice for the next page this session shows."""
    request.session[SESSION_KEY] = [*request.session.get(SESSION_KEY, []), asdict(notice)][-MAX_NOTICES:]


def take_notices(request: HttpRequest) -> list[Notice]:
    """What waits to be told, the oldest first; afterwards nothing waits."""
    if SESSION_KEY not in request.session:
        return []
    return [_parse_notice(kept) for kept in request.session.pop(SESSION_KEY)]


def _parse_notice(kept: Mapping[str, object]) -> Notice:
    undo = kept["undo"]
    return Notice(
        text=str(kept["text"]),
        undo=Undo(**undo) if isinstance(undo, dict) else None,
        is_bad=bool(kept["is_bad"]),
    )
