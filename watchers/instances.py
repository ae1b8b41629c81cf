"""The one installation that a watcher takes heartbeats from. A copied computer brings id and token of another along."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.callers import Caller
from watchers.choices import EventType
from watchers.fleet import WatcherMissing, find_watcher
from watchers.models import Watcher, WatcherEvent
from watchers.ownership import OwnWatcher, WatcherDeregistered
from watchers.signals import instance_conflict_noticed
from wire.errors import Conflict
from wire.ids import new_id


class AnotherInstance(Conflict):
    def __init__(self, watcher: OwnWatcher) -> None:
        super().__init__(
            "Another installation already reports as this watcher. An admin has to say which of the two it is.",
            existing_instance=str(watcher.instance_id),
            hostname=watcher.hostname,
        )


def refuse_another_instance(watcher: OwnWatcher, instance_id: UUID | None, *, at: datetime) -> None:
    """Raises AnotherInstance; the first time the conflict is noted and announced. An agent that names none may pass."""
    if instance_id is not None and watcher.instance_id not in (None, instance_id):
        note_conflict(watcher.id, other_id=instance_id, at=at)
        raise AnotherInstance(watcher)


@transaction.atomic
def note_conflict(watcher_id: UUID, *, other_id: UUID, at: datetime) -> None:
    """One conflict a watcher is open at a time, so that nobody is told of it with each heartbeat."""
    peaceful = Watcher.objects.filter(instance_id__isnull=False, instance_conflict_at__isnull=True)
    open_now = peaceful.filter(pk=watcher_id).exclude(instance_id=other_id)
    if not open_now.update(other_instance_id=other_id, instance_conflict_at=at):
        return
    watcher = Watcher.objects.with_details().get(pk=watcher_id)
    WatcherEvent.objects.create(
        watcher=watcher,
        event_id=new_id(),
        event_type=EventType.INSTANCE_CONFLICT,
        happened_at=at,
        received_at=at,
        message="A second installation reports as this watcher and is refused.",
        details={"existing_instance": str(watcher.instance_id), "other_instance": str(other_id)},
    )
    instance_conflict_noticed.send(Watcher, watcher=watcher, at=at)


@transaction.atomic
def settle_instance(watcher_id: UUID, *, instance_id: UUID, by: Caller, at: datetime) -> Watcher:
    """From now on the watcher is this installation. Raises WatcherMissing, WatcherDeregistered."""
    watcher = Watcher.objects.visible_to(by).select_for_update(no_key=True).filter(id=watcher_id).first()
    if watcher is None:
        raise WatcherMissing
    if watcher.deleted_at is not None:
        raise WatcherDeregistered(watcher.deleted_at)
    watcher.instance_id, watcher.updated_at = instance_id, at
    watcher.other_instance_id = watcher.instance_conflict_at = None
    watcher.save(update_fields=["instance_id", "other_instance_id", "instance_conflict_at", "updated_at"])
    return find_watcher(watcher_id, by=by)
