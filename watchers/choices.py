"""The words of watchers: docs/interface.md, Watchers."""

from datetime import timedelta

from django.db.models import TextChoices

OFFLINE_AFTER = timedelta(minutes=5)
FOLDER_AWAY_AFTER = timedelta(minutes=10)  # as long as that a share may be remounted without a word


class WatcherStatus(TextChoices):
    """What the agent said last; `offline` is never stored, it is decided at reading."""

    REGISTERED = "registered"
    WATCHING = "watching"
    STOPPED = "stopped"


class UploadMode(TextChoices):
    AUTO = "auto"  # the agent uploads what it finds
    MANUAL = "manual"  # the agent waits for requests


class FolderState(TextChoices):
    """How the agent finds the folder that it watches."""

    WATCHING = "watching", "is watched"
    AWAY = "away", "is away"
    EMPTY_MOUNT = "empty_mount", "is an empty mount point"
    DENIED = "denied", "cannot be read"


UNWATCHED_STATES = (FolderState.AWAY, FolderState.EMPTY_MOUNT, FolderState.DENIED)


class WantedConfigState(TextChoices):
    """What became of a configuration that admins want."""

    WAITING = "waiting"
    TAKEN = "taken"
    REFUSED = "refused"


class Channel(TextChoices):
    """Which releases an agent is offered."""

    STABLE = "stable"
    BETA = "beta"


class InstallerSystem(TextChoices):
    """What an installer of the agent is for."""

    WINDOWS = "windows", "Windows"
    DEB = "deb", "Debian, Ubuntu"
    TAR = "tar", "Linux"


class EventType(TextChoices):
    WATCHER_STARTED = "watcher_started"
    WATCHER_STOPPED = "watcher_stopped"
    CONFIG_SYNCED = "config_synced"
    CONFIG_REFUSED = "config_refused"  # details.checksum: of the wanted one that it does not take
    RUN_REPORTED = "run_reported"
    FILE_UPLOADED = "file_uploaded"
    UPLOAD_FAILED = "upload_failed"
    ERROR = "error"
    UPDATE_STARTED = "update_started"
    UPDATE_SUCCEEDED = "update_succeeded"
    UPDATE_FAILED = "update_failed"
    UPLOADS_PAUSED = "uploads_paused"  # by somebody at the instrument's computer, for a while
    UPLOADS_RESUMED = "uploads_resumed"
    TAKEN_OVER = "taken_over"  # told by the service: another computer enrolled
    INSTANCE_CONFLICT = "instance_conflict"  # noted by the service


SERVICE_EVENT_TYPES = (EventType.TAKEN_OVER, EventType.INSTANCE_CONFLICT)
AGENT_EVENT_TYPES = [kind for kind in EventType if kind not in SERVICE_EVENT_TYPES]

ERROR_EVENT_TYPES = (
    EventType.ERROR,
    EventType.UPLOAD_FAILED,
    EventType.UPDATE_FAILED,
    EventType.CONFIG_REFUSED,
    EventType.INSTANCE_CONFLICT,
)
