"""A change as a sentence: who did what, and beneath it from what to what."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from overview.change_words import METADATA_PREFIX, STATUS_PHRASES, is_told, name_field, write_time, write_value
from overview.history import Actor, Change
from runs.markdown import extract_plain_text

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

CHECKSUMS, CONFIGURATION = ("sha256", "crc32"), {"config_yaml", "config_checksum"}
# What something new has anyway, or is called in its sentence: not said of it once more.
UNSAID_OF_NEW: Mapping[str, Mapping[str, Any]] = {
    "file": {"status": "completed", "category": "raw"},
    "instrument": {"status": "active", "visibility": "everyone"},
    "watcher": {"status": "watching", "channel": "stable"},
}
NAMING_FIELDS = {"file": "relative_path", "watcher": "hostname", "instrument": "display_name"}


@dataclass(frozen=True)
class TimelineEntry:
    """One line: when (None: not known), its sign and sentence, details below it, and checksums, which are folded.

    `reason`: why, as whoever did it said.
    """

    at: datetime | None
    icon: str
    text: str
    sub: str = ""
    checksums: str = ""
    is_bad: bool = False
    reason: str = ""


def describe_change(change: Change, *, briefly: bool = False, zone: tzinfo | None = None) -> TimelineEntry:
    """`briefly` leaves out what a change made of something new consists of. Times are those of the clock at `zone`."""
    if set(change.changes) == {"acquired_at"} and change.changes["acquired_at"][1]:
        return _describe_acquisition(change, zone=zone)
    told = _choose_fields(change, briefly=briefly)
    sub = _describe_differences({name: told[name] for name in told if name not in CHECKSUMS}, zone=zone)
    checksums = _describe_differences({name: told[name] for name in told if name in CHECKSUMS}, zone=zone)
    if change.action == "changed" and _is_said_by_its_sentence(change):
        sub = ""
    if change.object.kind == "comment" and "body" in told:
        sub = _quote(told["body"][1])
    who = change.object.name if change.object.kind == "claim" and change.object.name else format_actor(change.actor)
    sentence, reason = f"{who} {_describe_action(change)}", change.reason or ""
    return TimelineEntry(change.at, _choose_icon(change), sentence, sub, checksums, reason=reason)


def _choose_fields(change: Change, *, briefly: bool) -> Mapping[str, Any]:
    """Of something new, what is not said by its sentence and is not so of nearly all of its kind."""
    if change.action != "created":
        return change.changes
    usual = UNSAID_OF_NEW.get(change.object.kind, {})
    name = NAMING_FIELDS.get(change.object.kind)
    return {
        field: pair
        for field, pair in change.changes.items()
        if not briefly
        and (field not in usual or pair[1] != usual[field])
        and (field != name or pair[1] != change.object.name)
    }


def _quote(body: object) -> str:
    return f"“{write_value('body', extract_plain_text(body), zone=None)}”" if isinstance(body, str) else ""


def _describe_acquisition(change: Change, *, zone: tzinfo | None) -> TimelineEntry:
    """The service has the time from the file; whoever else sets it says so."""
    time = write_time(change.changes["acquired_at"][1], zone=zone)
    if change.actor.kind == "service":
        return TimelineEntry(change.at, "pen", f"Measured {time}, as its file says")
    return TimelineEntry(change.at, "pen", f"{format_actor(change.actor)} said that it was measured {time}")


def _is_said_by_its_sentence(change: Change) -> bool:
    fields = set(change.changes)
    return (
        fields in ({"tags"}, {"project_id"})
        or fields <= CONFIGURATION
        or (fields == {"status"} and change.object.kind == "file")
    )


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
    if set(change.changes) == {"status"} and change.object.kind == "file":
        return STATUS_PHRASES.get(change.changes["status"][1], "changed {name}").format(name=name)
    if set(change.changes) <= CONFIGURATION:
        return f"changed the configuration of {name}"
    if set(change.changes) == {"status"}:
        return f"made {'it' if change.object.kind == 'instrument' else name} {change.changes['status'][1]}"
    if all(field.startswith(METADATA_PREFIX) for field in change.changes):
        return f"set {', '.join(field.removeprefix(METADATA_PREFIX) for field in change.changes)}"
    return f"changed {'it' if change.object.kind in ('run', 'instrument') else name}"


def _describe_tagging(before: list[str], after: list[str]) -> str:
    added, removed = sorted(set(after) - set(before)), sorted(set(before) - set(after))
    told = [f"tagged it {', '.join(added)}"] if added else []
    return " and ".join([*told, *([f"took off {', '.join(removed)}"] if removed else [])])


def _describe_differences(changes: Mapping[str, Any], *, zone: tzinfo | None) -> str:
    told = (_describe_difference(field, pair, zone=zone) for field, pair in changes.items() if is_told(field))
    return "; ".join(filter(None, told))


def _describe_difference(field: str, pair: Any, *, zone: tzinfo | None) -> str:
    """Empty where nothing became of nothing."""
    before, after = (write_value(field, value, zone=zone) for value in pair)
    if pair[0] is None:
        return "" if after == "nothing" else f"{name_field(field)}: {after}"
    return f"{name_field(field)}: {before} → {after}"
