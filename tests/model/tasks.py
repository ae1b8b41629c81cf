"""What the service does by itself, as its queues call it; whoever dies in it is called again."""

import json
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

from accounts.tasks import seal_new_rows
from archives.building import build_next
from archives.jobs import forget_expired
from changes.webhooks.fan_out import fan_out_changes
from files.cold.bringing_back import bring_back_next
from files.integrity.scrub import scrub_due_files
from files.models import File, ObjectRemoval
from files.removing.lock import RemovalOnHold
from files.removing.removals import remove_decided
from files.storage import whole_store
from files.storage.orphans import sweep_orphans
from files.tasks import count_stored
from files.uploads.verification import share_next
from operations.reconciliation.comparison import DifferenceKind, Reconciliation
from processing.confined.output import CheckedArtefact, Reading
from processing.failures import ReadingFailed
from processing.reading_files import process_next
from processing.readings import Kind
from retention.cooling import cool_due
from retention.purging import purge_due
from tests.model.world import Laboratory
from wire.clock import now


def read_stand_in(home: Path, *, filename: str, **asked: Any) -> Reading:
    """What a reader would find, without a process of its own: one document of all that is no empty file."""
    data = (home / "input" / filename).read_bytes()
    if not data:
        raise ReadingFailed("The file is empty.")
    made = home / "made.json"
    made.write_text(json.dumps({"kind": "table", "size_bytes": len(data)}))
    artefact = CheckedArtefact(
        "made.json", Kind.TABLE, "application/json", "All", made, made.stat().st_size, is_drawn=False
    )
    return Reading({"size": len(data)}, {}, None, [artefact], [])


def sweep(lab: Laboratory, chance: Random) -> None:
    sweep_orphans(at=now())


def purge(lab: Laboratory, chance: Random) -> None:
    with suppress(RemovalOnHold):
        purge_due(clock=now, goes_on=lambda: True)


def purge_alone(lab: Laboratory, chance: Random) -> None:
    """Nobody else is at work: it frees what it says, and what somebody freed who died before a word of it."""
    unsent = set(File.objects.filter(uploaded_at=None, storage_key__isnull=False).values_list("storage_key", flat=True))
    before = {one.key: one.size_bytes for one in whole_store().list()}
    untold = sum(one.size_bytes for one in ObjectRemoval.objects.all() if one.storage_key not in before)
    said = purge_due(clock=now, goes_on=lambda: True).bytes - untold
    gone = before.keys() - {one.key for one in whole_store().list()} - unsent
    freed = sum(before[key] for key in gone)
    assert freed == said, f"a purge said that it freed {said} bytes, and freed {freed}: {gone}"


def cool(lab: Laboratory, chance: Random) -> None:
    with suppress(RemovalOnHold):
        cool_due(clock=now, goes_on=lambda: True)


def remove(lab: Laboratory, chance: Random) -> None:
    remove_decided(seconds=60)


def share(lab: Laboratory, chance: Random) -> None:
    while share_next(clock=now):
        pass


def read(lab: Laboratory, chance: Random) -> None:
    while process_next(clock=now):
        pass


def build(lab: Laboratory, chance: Random) -> None:
    while build_next(clock=now):
        pass


def recall(lab: Laboratory, chance: Random) -> None:
    while bring_back_next(clock=now):
        pass


def forget_archives(lab: Laboratory, chance: Random) -> None:
    forget_expired(at=now())


def scrub(lab: Laboratory, chance: Random) -> None:
    scrub_due_files(clock=now, read_before=now() - timedelta(days=10), sleep=lambda seconds: None)


def seal(lab: Laboratory, chance: Random) -> None:
    seal_new_rows()


def fan_out(lab: Laboratory, chance: Random) -> None:
    fan_out_changes(at=now())


def count(lab: Laboratory, chance: Random) -> None:
    count_stored()


def reconcile(lab: Laboratory, chance: Random) -> None:
    """Nothing that is there is said to be missing while others are at work."""
    found = [one for batch in Reconciliation(whole_store(), read=True, at=now()).differences() for one in batch]
    keys = {data.parent.relative_to(lab.objects).as_posix().removesuffix("@") for data in lab.damaged}
    lost = [one for one in found if one.kind != DifferenceKind.ORPHAN and one.key not in keys]
    assert not lost, f"reconcile finds {lost}"


TASKS = {
    sweep: 4, purge: 5, cool: 2, remove: 2, share: 6, read: 4, build: 3, recall: 2, forget_archives: 2, scrub: 2,
    seal: 1, fan_out: 2, count: 1, reconcile: 2,
}  # fmt: skip
IN_THE_END = (read, share, build, recall, purge_alone, cool, remove, forget_archives, scrub, seal, fan_out, count)
