"""Metadata as people edit it: some keys, and never unseen over what somebody else wrote meanwhile."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from accounts.callers import Caller
from runs.lifecycle import RunChange, change_run, lock_active_run
from runs.models import Run
from wire.errors import Conflict

ABSENT = ""


@dataclass(frozen=True)
class MetadataEdit:
    """One key: what it said when its form was filled, and what it is to say. Both as JSON; ABSENT is no such key."""

    key: str
    was: str
    wanted: str


class MetadataOvertaken(Conflict):
    """Keys that somebody else changed meanwhile, with what they say now, as JSON."""

    def __init__(self, current: Mapping[str, str]) -> None:
        super().__init__("It was changed meanwhile.", keys=sorted(current))
        self.current = current


def write_metadata_value(metadata: Mapping[str, Any], key: str) -> str:
    """As JSON, one spelling for one value; ABSENT where there is no such key."""
    return json.dumps(metadata[key], ensure_ascii=False, sort_keys=True) if key in metadata else ABSENT


@transaction.atomic
def edit_metadata(*, instrument: str, run_id: str, edits: Sequence[MetadataEdit], by: Caller) -> Run:
    """Set and take away keys of what callers wrote; what two people do to different keys stands side by side.

    Raises MetadataOvertaken, RunIsSigned, RunIsDeleted.
    """
    run = lock_active_run(instrument=instrument, run_id=run_id, by=by)
    asked = [edit for edit in edits if edit.wanted != edit.was]
    current = {edit.key: write_metadata_value(run.caller_metadata, edit.key) for edit in asked}
    overtaken = {edit.key: now for edit in asked if (now := current[edit.key]) not in (edit.was, edit.wanted)}
    if overtaken:
        raise MetadataOvertaken(overtaken)
    patch = {edit.key: json.loads(edit.wanted) if edit.wanted else None for edit in asked}
    return change_run(instrument=instrument, run_id=run_id, change=RunChange(metadata_patch=patch), by=by)
