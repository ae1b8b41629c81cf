"""A change as a sentence: who did what, and beneath it from what to what."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from overview.history import Actor, Change

METADATA = "metadata."
SHORT = 60
SIGNS = {"run": "runs", "claim": "person", "comment": "comment", "file": "copy", "instrument": "instrument"}
DONE = {
    ("run", "created"): "reported it",
    ("run", "deleted"): "deleted it",
    ("run", "restored"): "restored it",
    ("claim", "created"): "claimed it",
    ("claim", "deleted"): "took the claim back",
    ("comment", "created"): "commented",
    ("comment", "changed"): "edited a comment",
    ("comment", "deleted"): "deleted a comment",
    ("file", "created"): "added {name}",
    ("file", "deleted"): "dismissed {name}",
    ("instrument", "created"): "announced it",
    ("watcher", "created"): "registered {name}",
    ("watcher", "deleted"): "deregistered {name}",
}


@dataclass(frozen=True)
class Happening:
    """One line: when (None: not known), its sign and sentence, and details below it."""

    at: datetime | None
    icon: str
    text: str
    sub: str = ""
    is_bad: bool = False


def tell(change: Change, *, briefly: bool = False) -> Happening:
    """`briefly` leaves out what a change made of something new consists of."""
    sub = "" if briefly and change.action == "created" else _differences(change.changes)
    if change.actor.kind == "service":
        sub = "; ".join(filter(None, (change.actor.name, sub)))
    who = change.object.name if change.object.kind == "claim" and change.object.name else name_of(change.actor)
    return Happening(change.at, _sign(change), f"{who} {_done(change)}", sub)


def name_of(actor: Actor) -> str:
    if actor.kind == "service":
        return "The service"
    return f"{actor.name} for {actor.on_behalf_of.name}" if actor.on_behalf_of else actor.name


def _sign(change: Change) -> str:
    if change.action == "deleted" and change.object.kind != "claim":
        return "trash"
    return SIGNS.get(change.object.kind, "watcher") if change.action == "created" else "pen"


def _done(change: Change) -> str:
    name = change.object.name or f"a {change.object.kind}"
    known = DONE.get((change.object.kind, change.action))
    if known:
        return known.format(name=name)
    if set(change.changes) == {"status"}:
        return f"made {'it' if change.object.kind == 'instrument' else name} {change.changes['status'][1]}"
    if all(field.startswith(METADATA) for field in change.changes):
        return f"set {', '.join(field.removeprefix(METADATA) for field in change.changes)}"
    return f"changed {'it' if change.object.kind in ('run', 'instrument') else name}"


def _differences(changes: Mapping[str, Any]) -> str:
    return "; ".join(_difference(field, pair) for field, pair in changes.items())


def _difference(field: str, pair: Any) -> str:
    before, after = map(_short, pair)
    name = field.removeprefix(METADATA)
    return f"{name}: {after}" if pair[0] is None else f"{name}: {before} → {after}"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= SHORT else f"{line[: SHORT - 1]}…"
