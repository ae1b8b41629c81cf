"""What a button of the selection bar does to one run, and to many: who may, how it is told, what takes it back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.http import QueryDict

from accounts.access import Access
from accounts.callers import Caller
from dashboard.runs.picked import parse_run_key
from processing.access import REPROCESS_RUN
from processing.requests import reprocess_run
from runs import access
from runs.claims import claim_run, unclaim_run
from runs.lifecycle import RunChange, change_run, delete_run, restore_run
from runs.projects.catalogue import find_project
from runs.serializers import RunChangeSerializer
from runs.tags import TAG, TAG_RULE, change_tags
from wire.errors import ServiceError, ValidationError
from wire.inputs import read_body

TAGGING = ("tag", "untag")  # what is typed beside the button may be wrong
MAX_TOLD = 5  # of those that could not be, by name


@dataclass(frozen=True)
class Action:
    """One button of the selection bar: who may, what it does to one run, how it is told, what takes it back."""

    access: Access
    apply: Callable[[str, str, Caller, datetime], object]
    done: str
    undo: str = ""
    undo_fields: Mapping[str, str] = field(default_factory=dict)


ACTIONS = {
    "claim": Action(
        access.CLAIM, lambda i, r, by, at: claim_run(instrument=i, run_id=r, by=by, at=at), "claimed", "unclaim"
    ),
    "unclaim": Action(
        access.CLAIM, lambda i, r, by, at: unclaim_run(instrument=i, run_id=r, by=by), "no longer claimed", "claim"
    ),
    "delete": Action(
        access.DELETE, lambda i, r, by, at: delete_run(instrument=i, run_id=r, by=by, at=at), "deleted", "restore"
    ),
    "restore": Action(access.DELETE, lambda i, r, by, at: restore_run(instrument=i, run_id=r, by=by), "restored"),
    "reprocess": Action(
        REPROCESS_RUN, lambda i, r, by, at: reprocess_run(instrument=i, run_id=r, by=by, at=at), "being read again"
    ),
}


def read_action(form: QueryDict, *, by: Caller) -> Action:
    """What a button says, with the tag or the project that stands beside it. Raises ValidationError, ProjectMissing."""
    asked = form.get("do", "")
    if asked in TAGGING:
        return _build_tagging(asked, form.get("tag", "").strip())
    if asked == "project":
        return _build_gathering(form.get("project_id", ""), by=by)
    if asked not in ACTIONS:
        raise ValidationError(fields={"do": ["There is no such action."]})
    return ACTIONS[asked]


def _build_tagging(asked: str, tag: str) -> Action:
    if not TAG.fullmatch(tag):
        raise ValidationError(f"A tag is {TAG_RULE}.", fields={"tag": [f"A tag is {TAG_RULE}."]})
    if asked == "untag":
        return Action(
            access.TAG,
            lambda i, r, by, at: change_tags(instrument=i, run_id=r, remove=[tag], by=by),
            f"without the tag {tag}",
            "tag",
            {"tag": tag},
        )
    return Action(
        access.TAG,
        lambda i, r, by, at: change_tags(instrument=i, run_id=r, add=[tag], by=by),
        f"tagged {tag}",
        "untag",
        {"tag": tag},
    )


def _build_gathering(project: str, *, by: Caller) -> Action:
    change = RunChange(**read_body(RunChangeSerializer, {"project_id": project or None}))
    name = find_project(UUID(project), by=by).name if project else ""
    return Action(
        access.TAG,
        lambda i, r, by, at: change_run(instrument=i, run_id=r, change=change, by=by),
        f"put into the project {name}" if project else "taken out of their project",
    )


@dataclass(frozen=True)
class Outcome:
    """Keys of runs that are now so, of those among them that were not before; why others could not be."""

    done: Sequence[str] = ()
    changed: Sequence[str] = ()
    refused: Sequence[str] = ()


def apply_action(action: Action, keys: Sequence[str], *, by: Caller, at: datetime) -> Outcome:
    """One run after the other; what is refused stops none of the others. Raises Forbidden where the caller may not."""
    action.access.check(by)
    done, changed, refused = [], [], []
    for key, (instrument, run_id) in zip(keys, [parse_run_key(key) for key in keys], strict=True):
        try:
            result = action.apply(instrument, run_id, by, at)
        except ServiceError as error:
            refused.append(f"{run_id}: {error.message}")
            continue
        done.append(key)
        if not getattr(result, "already_applied", False):
            changed.append(key)
    return Outcome(done, changed, refused)


def describe_refused(told: Sequence[str], *, count: int) -> str:
    """`Not done: a: The run is on hold. b: It is signed. And 7 more.`"""
    more = count - min(len(told), MAX_TOLD)
    return " ".join(["Not done:", *told[:MAX_TOLD], *([f"And {more:,} more."] if more else [])])


def describe_outcome(done: int, word: str, *, asked: int) -> str:
    """`Run deleted.`, `3 runs deleted.`"""
    return f"Run {word}." if asked == 1 else f"{done:,} run{'s' if done != 1 else ''} {word}."
