"""A change as a sentence: who did what, and beneath it from what to what."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from overview.history import Actor, Change

METADATA_PREFIX = "metadata."
MAX_VALUE_CHARACTERS = 60
OBJECT_ICONS = {
    "run": "runs",
    "claim": "person",
    "comment": "comment",
    "file": "copy",
    "instrument": "instrument",
    "signature": "pen",
    "sharelink": "link",
}
ACTION_PHRASES = {
    ("run", "created"): "reported it",
    ("run", "deleted"): "deleted it",
    ("run", "restored"): "restored it",
    ("claim", "created"): "claimed it",
    ("claim", "deleted"): "took the claim back",
    ("comment", "created"): "commented",
    ("comment", "changed"): "edited a comment",
    ("comment", "deleted"): "deleted a comment",
    ("signature", "created"): "signed it as {name}",
    ("signature", "revoked"): "revoked the signature as {name}",
    ("sharelink", "created"): "made a link for outsiders",
    ("sharelink", "revoked"): "ended a link for outsiders",
    ("file", "created"): "added {name}",
    ("file", "deleted"): "dismissed {name}",
    ("instrument", "created"): "announced it",
    ("watcher", "created"): "registered {name}",
    ("watcher", "deleted"): "deregistered {name}",
}


@dataclass(frozen=True)
class TimelineEntry:
    """One line: when (None: not known), its sign and sentence, and details below it."""

    at: datetime | None
    icon: str
    text: str
    sub: str = ""
    is_bad: bool = False


def describe_change(change: Change, *, briefly: bool = False) -> TimelineEntry:
    """`briefly` leaves out what a change made of something new consists of."""
    sub = "" if briefly and change.action == "created" else _describe_differences(change.changes)
    if change.actor.kind == "service":
        sub = "; ".join(filter(None, (change.actor.name, sub)))
    who = change.object.name if change.object.kind == "claim" and change.object.name else format_actor(change.actor)
    return TimelineEntry(change.at, _choose_icon(change), f"{who} {_describe_action(change)}", sub)


def format_actor(actor: Actor) -> str:
    if actor.kind == "service":
        return "The service"
    return f"{actor.name} for {actor.on_behalf_of.name}" if actor.on_behalf_of else actor.name


def _choose_icon(change: Change) -> str:
    if change.action == "deleted" and change.object.kind != "claim":
        return "trash"
    return OBJECT_ICONS.get(change.object.kind, "watcher") if change.action == "created" else "pen"


def _describe_action(change: Change) -> str:
    name = change.object.name or f"a {change.object.kind}"
    if (change.object.kind, change.action) == ("instrument", "created") and "active" in change.changes.get(
        "status", ()
    ):
        return "added it by hand"
    known = ACTION_PHRASES.get((change.object.kind, change.action))
    if known:
        return known.format(name=name)
    if set(change.changes) == {"tags"}:
        return _describe_tagging(*change.changes["tags"])
    if set(change.changes) == {"project_id"}:
        return "put it into a project" if change.changes["project_id"][1] else "took it out of its project"
    if set(change.changes) == {"status"}:
        return f"made {'it' if change.object.kind == 'instrument' else name} {change.changes['status'][1]}"
    if all(field.startswith(METADATA_PREFIX) for field in change.changes):
        return f"set {', '.join(field.removeprefix(METADATA_PREFIX) for field in change.changes)}"
    return f"changed {'it' if change.object.kind in ('run', 'instrument') else name}"


def _describe_tagging(before: list[str], after: list[str]) -> str:
    added, removed = sorted(set(after) - set(before)), sorted(set(before) - set(after))
    told = [f"tagged it {', '.join(added)}"] if added else []
    return " and ".join([*told, *([f"took off {', '.join(removed)}"] if removed else [])])


def _describe_differences(changes: Mapping[str, Any]) -> str:
    return "; ".join(_describe_difference(field, pair) for field, pair in changes.items())


def _describe_difference(field: str, pair: Any) -> str:
    before, after = map(_shorten_value, pair)
    name = field.removeprefix(METADATA_PREFIX)
    return f"{name}: {after}" if pair[0] is None else f"{name}: {before} → {after}"


def _shorten_value(value: Any) -> str:
    text = value if isinstance(value, str) else "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= MAX_VALUE_CHARACTERS else f"{line[: MAX_VALUE_CHARACTERS - 1]}…"
