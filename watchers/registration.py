"""Watchers come and go: at most one active watcher an instrument, held by the database."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from accounts.callers import Caller
from accounts.foreign_rows import note_foreign_row
from instruments.catalogue import InstrumentMissing
from instruments.models import Instrument, InstrumentStatus
from watchers.choices import WatcherStatus
from watchers.fleet import WatcherMissing
from watchers.folders import FolderReport, to_folder_columns
from watchers.models import Watcher, WatcherQuerySet
from wire.errors import Conflict, Unauthorized


class InstrumentInactive(Conflict):
    def __init__(self, instrument: Instrument) -> None:
        super().__init__("The instrument is inactive and takes no watcher.", instrument_id=instrument.pk)


class WatcherAlreadyActive(Conflict):
    def __init__(self, existing: Watcher) -> None:
        super().__init__(
            "The instrument has an active watcher already. Deregister it first.",
            existing_watcher_id=str(existing.pk),
            hostname=existing.hostname,
        )


@dataclass(frozen=True)
class AgentDescription:
    """What an agent says of itself."""

    hostname: str | None = None
    os_info: str | None = None
    agent_version: str | None = None
    instance_id: UUID | None = None
    folder: FolderReport | None = None

    def to_columns(self, *, at: datetime) -> dict[str, Any]:
        said = {name: value for name, value in vars(self).items() if name != "folder"}
        return said | vars(to_folder_columns(self.folder, at=at))


@dataclass(frozen=True)
class Deregistered:
    watcher: Watcher
    already_applied: bool


def register_watcher(*, instrument_id: str, agent: AgentDescription, by: Caller, at: datetime) -> Watcher:
    """Attach a watcher that answers to the caller's token from now on.

    Raises InstrumentMissing, InstrumentInactive, WatcherAlreadyActive.
    """
    if by.token is None:
        raise Unauthorized("Only a token can be a watcher's.")
    with transaction.atomic():
        instrument = lock_usable_instrument(instrument_id, by=by)
        try:
            with transaction.atomic():
                return Watcher.objects.create(
                    instrument=instrument, token=by.token, **agent.to_columns(at=at), created_at=at, updated_at=at
                )
        except IntegrityError:
            existing = Watcher.objects.active().filter(instrument=instrument).first()
            if existing is None:
                raise
            raise WatcherAlreadyActive(existing) from None


@transaction.atomic
def deregister_watcher(watcher_id: UUID, *, by: Caller, at: datetime) -> Deregistered:
    """Detach a watcher; its instrument is free for another. Repeating it succeeds and says so."""
    mine = Watcher.objects.visible_to(by).filter(id=watcher_id)
    already_applied = not deregister_all(mine, at=at)
    watcher = mine.first()
    if watcher is None:
        raise WatcherMissing
    return Deregistered(watcher, already_applied)


def deregister_all(watchers: WatcherQuerySet, *, at: datetime) -> int:
    """Deregister the active ones among these; how many they were."""
    return watchers.active().update(deleted_at=at, updated_at=at, status=WatcherStatus.STOPPED)


def lock_usable_instrument(instrument_id: str, *, by: Caller) -> Instrument:
    """Locked, so that it cannot be deactivated before its new watcher is there to be deregistered with the rest."""
    rows = Instrument.objects.visible_to(by).select_for_update(no_key=True)
    instrument = rows.filter(id=instrument_id).first()
    if instrument is None:
        note_foreign_row(Instrument.objects.filter(id=instrument_id), by=by)
        raise InstrumentMissing
    refuse_inactive(instrument)
    return instrument


def refuse_inactive(instrument: Instrument) -> None:
    if instrument.status == InstrumentStatus.INACTIVE:
        raise InstrumentInactive(instrument)
