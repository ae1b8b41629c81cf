"""The words of watchers; contract section 3."""

from datetime import timedelta

from django.db.models import TextChoices

OFFLINE_AFTER = timedelta(minutes=5)


class WatcherStatus(TextChoices):
    """What the agent said last; `offline` is never stored, it is decided at reading."""

    REGISTERED = "registered"
    WATCHING = "watching"
    STOPPED = "stopped"


class UploadMode(TextChoices):
    AUTO = "auto"  # the agent uploads what it finds
    MANUAL = "manual"  # the agent waits for requests


class Channel(TextChoices):
    """Which releases an agent is offered."""

    STABLE = "stable"
    BETA = "beta"


class EventType(TextChoices):
    WATCHER_STARTED = "watcher_started"
    WATCHER_STOPPED = "watcher_stopped"
    CONFIG_SYNCED = "config_synced"
    RUN_REPORTED = "run_reported"
    FILE_UPLOADED = "file_uploaded"
    UPLOAD_FAILED = "upload_failed"
    ERROR = "error"
    UPDATE_STARTED = "update_started"
    UPDATE_SUCCEEDED = "update_succeeded"
    UPDATE_FAILED = "update_failed"


ERRORS = (EventType.ERROR, EventType.UPLOAD_FAILED, EventType.UPDATE_FAILED)
