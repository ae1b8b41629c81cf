"""The configuration of a watcher: kept byte for byte, and looked into for the few keys that are shown."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.callers import Caller
from watchers.choices import UploadMode
from watchers.fleet import WatcherMissing
from watchers.models import Watcher
from watchers.ownership import find_own_watcher
from watchers.wanted_config_outcomes import note_taken
from watchers.yaml_guard import UnsafeYaml, read_yaml
from wire.errors import NotFound, ValidationError
from wire.input_gate import text_fault

MAX_DIRECTORY_CHARS = 4_096  # characters
MAX_PATTERNS_PER_WATCHER, MAX_PATTERN_CHARS = 100, 255


class ConfigMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("This watcher has not pushed a configuration yet.")


@dataclass(frozen=True)
class WatcherConfig:
    config_yaml: str
    checksum: str
    updated_at: datetime


def push_config(
    watcher_id: UUID, *, config_yaml: str, checksum: str, wanted_checksum: str | None = None, by: Caller, at: datetime
) -> WatcherConfig:
    """Keep these very bytes. The checksum is the SHA-256 of their UTF-8; `wanted_checksum` is of the wanted
    configuration that the agent made them of.

    Raises ValidationError for a wrong checksum or YAML that is not safe to read, and as find_own_watcher does.
    """
    refuse_wrong_checksum(config_yaml, checksum)
    shown = parse_displayed_keys(config_yaml)
    watcher = find_own_watcher(watcher_id, by=by)
    own = Watcher.objects.active().filter(pk=watcher.id, token=watcher.token_id)
    kept = {"config_yaml": config_yaml, "config_checksum": checksum, "config_updated_at": at}
    with transaction.atomic():
        if own.update(**kept, **shown, updated_at=at):
            note_taken(watcher.id, checksum=checksum, wanted_checksum=wanted_checksum, at=at)
            return WatcherConfig(config_yaml, checksum, at)
    return push_config(  # it left or changed hands meanwhile: look again, and say so
        watcher_id, config_yaml=config_yaml, checksum=checksum, wanted_checksum=wanted_checksum, by=by, at=at
    )


def find_config(watcher_id: UUID, *, by: Caller) -> WatcherConfig:
    """Raises WatcherMissing, or ConfigMissing before the first push."""
    rows = Watcher.objects.visible_to(by).filter(id=watcher_id)
    found = rows.values_list("config_yaml", "config_checksum", "config_updated_at").first()
    if found is None:
        raise WatcherMissing
    config_yaml, checksum, updated_at = found
    if config_yaml is None or checksum is None or updated_at is None:
        raise ConfigMissing
    return WatcherConfig(config_yaml, checksum, updated_at)


def refuse_wrong_checksum(config_yaml: str, checksum: str) -> None:
    """Raises ValidationError where the text is not the one that was summed up."""
    if hashlib.sha256(config_yaml.encode()).hexdigest() != checksum:
        raise ValidationError(fields={"checksum": ["This is not the SHA-256 of config_yaml as it arrived."]})


def read_keys(config_yaml: str) -> dict[Any, Any] | None:
    """Its keys and values; None where it is something else. Raises ValidationError where it is not safe to read."""
    try:
        read = read_yaml(config_yaml)
    except UnsafeYaml as error:
        raise ValidationError(fields={"config_yaml": [str(error)]}) from None
    return read if isinstance(read, dict) else None


def parse_displayed_keys(config_yaml: str) -> dict[str, Any]:
    """The columns that follow the configuration. A value of another form than ours is the agent's own business."""
    keys = read_keys(config_yaml) or {}
    shown: dict[str, Any] = {"file_patterns": _read_patterns(keys.get("file_patterns"))}
    if _is_short_text(keys.get("watch_directory"), most=MAX_DIRECTORY_CHARS):
        shown["watch_directory"] = keys["watch_directory"]
    if keys.get("upload_mode") in UploadMode.values:
        shown["upload_mode"] = keys["upload_mode"]
    return shown


def _read_patterns(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else []
    return [pattern for pattern in listed if _is_short_text(pattern, most=MAX_PATTERN_CHARS)][:MAX_PATTERNS_PER_WATCHER]


def _is_short_text(value: Any, *, most: int) -> bool:
    return isinstance(value, str) and 0 < len(value) <= most and text_fault(value, multiline=False) is None
