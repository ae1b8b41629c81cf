"""Configuration from afar: an admin says what an agent shall run, the agent takes it or refuses it, and says which."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.callers import Caller
from accounts.scopes import Scope
from watchers.access import CONFIGURE
from watchers.choices import WantedConfigState
from watchers.config import read_keys, refuse_wrong_checksum
from watchers.config_rules import find_faults, takes_nothing
from watchers.fleet import WatcherMissing, find_watcher
from watchers.models import WantedConfig, Watcher
from watchers.ownership import WatcherDeregistered, find_own_watcher
from wire.errors import Conflict, NotFound, ValidationError


class WantedConfigMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("No configuration is wanted of this watcher.")


class RemoteConfigOff(Conflict):
    def __init__(self) -> None:
        super().__init__("The computer takes no configuration from here: its own says `remote: none`.", remote="none")


@dataclass(frozen=True)
class Withdrawn:
    watcher_id: UUID
    already_applied: bool


@transaction.atomic
def want_config(watcher_id: UUID, *, config_yaml: str, checksum: str, by: Caller, at: datetime) -> WantedConfig:
    """Ask the agent to run these very bytes; of two admins the last one wins. Keys that stay with the computer may be
    left out.

    Raises WatcherMissing, WatcherDeregistered, RemoteConfigOff, and ValidationError as the agent's schema has it.
    """
    refuse_wrong_checksum(config_yaml, checksum)
    watcher = Watcher.objects.visible_to(by).select_for_update(no_key=True).filter(id=watcher_id).first()
    if watcher is None:
        raise WatcherMissing
    if watcher.deleted_at is not None:
        raise WatcherDeregistered(watcher.deleted_at)
    read_fitting(config_yaml, watcher=watcher)
    is_running = watcher.config_checksum == checksum
    state = {
        "state": WantedConfigState.TAKEN if is_running else WantedConfigState.WAITING,
        "settled_at": at if is_running else None,
        "taken_checksum": checksum if is_running else None,
        "refusal": None,
    }
    asked = {"config_yaml": config_yaml, "config_checksum": checksum, "updated_at": at}
    return WantedConfig.objects.update_or_create(watcher=watcher, defaults=asked | state)[0]


def read_fitting(config_yaml: str, *, watcher: Watcher) -> dict[Any, Any]:
    """Its keys. Raises RemoteConfigOff, or ValidationError with all that the agent's schema has against it."""
    reported = read_keys(watcher.config_yaml or "") or {}
    if takes_nothing(reported):
        raise RemoteConfigOff
    wanted = read_keys(config_yaml)
    if wanted is None:
        raise ValidationError(fields={"config_yaml": ["It must be a list of `key: value` lines."]})
    if faults := find_faults(wanted, reported=reported):
        raise ValidationError(fields={"config_yaml": faults})
    return wanted


def find_wanted_config(watcher_id: UUID, *, by: Caller) -> WantedConfig:
    """For the watcher's own token and for admins. Raises WantedConfigMissing, Forbidden, or as find_own_watcher."""
    find_watcher(watcher_id, by=by)
    if by.token is not None and not by.holds(Scope.WATCHERS_ADMIN):
        find_own_watcher(watcher_id, by=by)
    else:
        CONFIGURE.check(by)
    found = WantedConfig.objects.filter(watcher_id=watcher_id).first()
    if found is None:
        raise WantedConfigMissing
    return found


def find_last_wanted(watcher: Watcher) -> WantedConfig | None:
    """What pages show of it to everybody who sees the watcher: its state, not its text."""
    return getattr(watcher, "wanted_config", None)


@transaction.atomic
def withdraw_wanted_config(watcher_id: UUID, *, by: Caller) -> Withdrawn:
    """Want nothing any more; what the agent took already it keeps. Repeating it is safe. Raises WatcherMissing."""
    find_watcher(watcher_id, by=by)
    deleted, _ = WantedConfig.objects.filter(watcher_id=watcher_id).delete()
    return Withdrawn(watcher_id, already_applied=not deleted)
