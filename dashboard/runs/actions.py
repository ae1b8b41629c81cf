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
from runs.search import RunSearch
from runs.serializers import RunChangeSerializer
from runs.tags import TAG, TAG_RULE, change_tags
from wire.errors import Conflict, ServiceError, ValidationError
from wire.inputs import read_body


class NothingToReadAgain(Conflict):
    def __init__(self) -> None:
        super().__init__("No file of it has bytes at hand that could be read.", files_queued=0)


TAGGING = ("tag", "untag")  # what is typed beside the button may be wrong
MAX_TOLD = 5  # of those that could not be, by name
Phrase = tuple[str, str]  # what stands before how many runs, and what behind


@dataclass(frozen=True)
class Action:
    """One button of the selection bar: who may, what it does to a run, how it is asked and told, what takes it back."""

    access: Access
    apply: Callable[[str, str, Caller, datetime], object]
    asked: Phrase
    done: Phrase
    undo: str = ""
    undo_fields: Mapping[str, str] = field(default_factory=dict)


def _read_again(instrument: str, run_id: str, *, by: Caller, at: datetime) -> None:
    """Raises NothingToReadAgain where each of its files is skipped: it would else be told as if something happened."""
    if not reprocess_run(instrument=instrument, run_id=run_id, by=by, at=at).files_queued:
        raise NothingToReadAgain


ACTIONS = {
    "claim": Action(
        access.CLAIM,
        lambda i, r, by, at: claim_run(instrument=i, run_id=r, by=by, at=at),
        ("Claim ", ""),
        ("", " claimed"),
        "unclaim",
    ),
    "unclaim": Action(
        access.CLAIM,
        lambda i, r, by, at: unclaim_run(instrument=i, run_id=r, by=by),
        ("Unclaim ", ""),
        ("", " no longer claimed"),
        "claim",
    ),
    "delete": Action(
        access.DELETE,
        lambda i, r, by, at: delete_run(instrument=i, run_id=r, by=by, at=at),
        ("Delete ", ""),
        ("", " deleted"),
        "restore",
    ),
    "restore": Action(
        access.DELETE,
        lambda i, r, by, at: restore_run(instrument=i, run_id=r, by=by),
        ("Restore ", ""),
        ("", " restored"),
    ),
    "reprocess": Action(
        REPROCESS_RUN,
        lambda i, r, by, at: _read_again(i, r, by=by, at=at),
        ("Read ", " again"),
        ("", " being read again"),
    ),
}


def list_leaving_actions(search: RunSearch) -> list[str]:
    """After which a list that looks for this may have other runs: those picked are not picked any more."""
    by_filter = {
        "untag": search.tags,
        "project": search.project_id,
        "claim": search.unattributed,
        "unclaim": search.claimed_by,
        "reprocess": search.statuses,
    }
    return ["delete", "restore", *(action for action, asked in by_filter.items() if asked)]


def read_action(form: QueryDict, *, by: Caller) -> Action:
    """What a button says, with the tag or the project that stands beside it. Raises ValidationError, ProjectMissing."""
    asked = form.get("do", "")
    if asked in TAGGING:
        return _build_tagging(asked, form.get("tag", "").strip().lower())
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
            (f"Remove the tag {tag} from ", ""),
            (f"Tag {tag} removed from ", ""),
            "tag",
            {"tag": tag},
        )
    return Action(
        access.TAG,
        lambda i, r, by, at: change_tags(instrument=i, run_id=r, add=[tag], by=by),
        (f"Add the tag {tag} to ", ""),
        ("", f" tagged {tag}"),
        "untag",
        {"tag": tag},
    )


def _build_gathering(project: str, *, by: Caller) -> Action:
    change = RunChange(**read_body(RunChangeSerializer, {"project_id": project or None}))
    name = find_project(UUID(project), by=by).name if project else ""
    return Action(
        access.TAG,
        lambda i, r, by, at: change_run(instrument=i, run_id=r, change=change, by=by),
        ("Put ", f" into the project {name}") if project else ("Take ", " out of their project"),
        ("", f" put into the project {name}") if project else ("", " no longer in a project"),
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


def describe_outcome(done: int, words: Phrase, *, asked: int) -> str:
    """`Run deleted.`, `3 runs deleted.`, `Tag x removed from 3 runs.`"""
    before, behind = words
    return f"Run{behind}." if asked == 1 and not before else f"{fill_in_count(words, done)}."


def fill_in_count(words: Phrase, count: int) -> str:
    """`Delete 1 run`, `Delete 1,234 runs`."""
    before, behind = words
    return f"{before}{count:,} run{'s' if count != 1 else ''}{behind}"
