"""Tags: the short words under which people gather runs."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction

from accounts.callers import Caller
from runs.lifecycle import lock_active_run
from runs.models import MAX_TAGS, Run
from wire.errors import Conflict, ValidationError

TAG = re.compile(r"[a-z0-9-]{1,64}")
TAG_RULE = "1 to 64 of a-z, 0-9 and hyphens"


class TooManyTags(Conflict):
    def __init__(self) -> None:
        super().__init__(f"A run has at most {MAX_TAGS} tags.", max_tags=MAX_TAGS)


def read_typed_tags(text: str) -> list[str]:
    """Those that a person typed, between commas or blanks; capitals are taken, as small letters."""
    return text.lower().replace(",", " ").split()


@dataclass(frozen=True)
class Tagged:
    run: Run
    already_applied: bool


@transaction.atomic
def change_tags(
    *, instrument: str, run_id: str, add: Collection[str] = (), remove: Collection[str] = (), by: Caller
) -> Tagged:
    """Put tags on a run and take others off; both may be repeated. Raises TooManyTags, RunIsDeleted."""
    _check_tags("tag", {*add, *remove})
    run = lock_active_run(instrument=instrument, run_id=run_id, by=by)
    tags = sorted({*run.tags, *add} - set(remove))
    if len(tags) > MAX_TAGS:
        raise TooManyTags
    already_applied = tags == run.tags
    if not already_applied:
        run.tags = tags
        run.save(update_fields=["tags"])
    return Tagged(run, already_applied)


def _check_tags(name: str, tags: Collection[str]) -> None:
    if not all(TAG.fullmatch(tag) for tag in tags):
        raise ValidationError(fields={name: [f"{TAG_RULE} are needed."]})
