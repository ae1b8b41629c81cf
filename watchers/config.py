"""The configuration of a watcher: kept byte for byte, and looked into for the few keys that are shown."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.callers import Caller
from watchers.fleet import WatcherMissing
from watchers.models import Watcher
from watchers.ownership import find_own_watcher
from watchers.vocabulary import UploadMode
from watchers.yaml_guard import UnsafeYaml, read_yaml
from wire.errors import NotFound, ValidationError
from wire.gate import text_fault

MAX_DIRECTORY = 4_096  # characters
MAX_PATTERNS, MAX_PATTERN = 100, 255


class NoConfigYet(NotFound):
    def __init__(self) -> None:
        super().__init__("This watcher has not pushed a configuration yet.")


@dataclass(frozen=True)
class Config:
    config_yaml: str
    checksum: str
    updated_at: datetime


def push_config(watcher_id: UUID, *, config_yaml: str, checksum: str, by: Caller, at: datetime) -> Config:
    """Keep these very bytes. The checksum is the SHA-256 of their UTF-8.

    Raises ValidationError for a wrong checksum or YAML that is not safe to read, and as find_own_watcher does.
    """
    if hashlib.sha256(config_yaml.encode()).hexdigest() != checksum:
        raise ValidationError(fields={"checksum": ["This is not the SHA-256 of config_yaml as it arrived."]})
    shown = read_shown_keys(config_yaml)
    watcher = find_own_watcher(watcher_id, by=by)
    own = Watcher.objects.active().filter(pk=watcher.id, token=watcher.token_id)
    kept = {"config_yaml": config_yaml, "config_checksum": checksum, "config_updated_at": at}
    if not own.update(**kept, **shown, updated_at=at):  # it left or changed hands meanwhile: look again, and say so
        return push_config(watcher_id, config_yaml=config_yaml, checksum=checksum, by=by, at=at)
    return Config(config_yaml, checksum, at)


def find_config(watcher_id: UUID, *, by: Caller) -> Config:
    """Raises WatcherMissing, or NoConfigYet before the first push."""
    rows = Watcher.objects.visible_to(by).filter(id=watcher_id)
    found = rows.values_list("config_yaml", "config_checksum", "config_updated_at").first()
    if found is None:
        raise WatcherMissing
    config_yaml, checksum, updated_at = found
    if config_yaml is None or checksum is None or updated_at is None:
        raise NoConfigYet
    return Config(config_yaml, checksum, updated_at)


def read_shown_keys(config_yaml: str) -> dict[str, Any]:
    """The columns that follow the configuration. A value of another form than ours is the agent's own business."""
    try:
        read = read_yaml(config_yaml)
    except UnsafeYaml as error:
        raise ValidationError(fields={"config_yaml": [str(error)]}) from None
    keys = read if isinstance(read, dict) else {}
    shown: dict[str, Any] = {"file_patterns": _patterns(keys.get("file_patterns"))}
    if _is_name(keys.get("watch_directory"), most=MAX_DIRECTORY):
        shown["watch_directory"] = keys["watch_directory"]
    if keys.get("upload_mode") in UploadMode.values:
        shown["upload_mode"] = keys["upload_mode"]
    return shown


def _patterns(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else []
    return [pattern for pattern in listed if _is_name(pattern, most=MAX_PATTERN)][:MAX_PATTERNS]


def _is_name(value: Any, *, most: int) -> bool:
    return isinstance(value, str) and 0 < len(value) <= most and text_fault(value, multiline=False) is None
