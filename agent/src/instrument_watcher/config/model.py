"""What an operator decides about an agent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

MIB = 1024 * 1024

# What instrument software and operating systems leave beside real files.
TEMPORARY_FILES = (
    "*.tmp", "*.temp", "*.part", "*.partial", "*.crdownload", "*.swp", "*.lock", "*.lck",
    "~*", "*~", ".*", "Thumbs.db", "desktop.ini",
)  # fmt: skip


class UploadMode(str, Enum):
    AUTO = "auto"  # everything that is found
    MANUAL = "manual"  # what people ask for


class OnChange(str, Enum):
    """What becomes of a file that changed after its upload. Stored bytes are never replaced."""

    VERSION = "version"  # the new bytes are kept beside the old ones
    IGNORE = "ignore"  # they are told and left here


class Remote(str, Enum):
    """What the service's admins may change from afar."""

    NONE = "none"
    SETTINGS = "settings"  # all but LOCAL_KEYS
    ALL = "all"


# What decides where the agent reads, to whom it sends, what it installs and who may call it stays with the computer.
LOCAL_KEYS = (
    "server",
    "instrument_id",
    "watcher_id",
    "watch_directory",
    "metrics_listen",
    "local_page",
    "remote",
    "updates",
)


class GroupBy(str, Enum):
    """How the run of a file is told from its path."""

    PREFIX = "filename_prefix"
    TOP_FOLDER = "top_folder"
    DEEPEST_FOLDER = "deepest_folder"
    STEM = "filename_stem"
    REGEX = "regex"


@dataclass(frozen=True)
class Grouping:
    by: GroupBy = GroupBy.STEM
    separator: str = "_"  # of filename_prefix: what stands before it is the run
    pattern: str = ""  # of regex: searched in the relative path; its one group is the run


@dataclass(frozen=True)
class Uploads:
    parallel: int = 2
    bandwidth_limit_mib: float | None = None  # a second, all uploads together
    bandwidth_by_hours: Mapping[str, float | None] = field(default_factory=dict)  # "07:00-19:00": the limit then
    pause_above_disk_load: int | None = None  # percent of the time that the instrument's disk is busy


@dataclass(frozen=True)
class Updates:
    """`automatic`: take signed releases from the service, where the agent was given their key at its enrolment.

    Where it was not, `source` says where new versions come from: None (only tell), "index" (pip's own), an index URL,
    or a folder of wheels.
    """

    automatic: bool = True
    source: str | None = None


@dataclass(frozen=True)
class LocalPage:
    """The page that this computer shows of its agent, and to nobody else."""

    port: int = 27_480  # the first that is free from there on; 0: no page


@dataclass(frozen=True)
class Config:
    server: str
    instrument_id: str
    watch_directory: Path
    watcher_id: str | None = None
    file_patterns: tuple[str, ...] = ("*",)
    ignore_patterns: tuple[str, ...] = TEMPORARY_FILES
    run_grouping: Grouping = field(default_factory=Grouping)
    upload_mode: UploadMode = UploadMode.AUTO
    on_change: OnChange = OnChange.VERSION
    stability_seconds: float = 10
    rescan_seconds: float = 300
    heartbeat_seconds: float = 60
    events_kept: int = 10_000
    metrics_listen: str | None = None  # host:port of the endpoint for Prometheus
    remote: Remote = Remote.SETTINGS
    local_page: LocalPage = field(default_factory=LocalPage)
    uploads: Uploads = field(default_factory=Uploads)
    updates: Updates = field(default_factory=Updates)
