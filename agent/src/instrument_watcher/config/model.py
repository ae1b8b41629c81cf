"""What an operator decides about an agent."""

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
    pause_above_disk_load: int | None = None  # percent of the time that the instrument's disk is busy


@dataclass(frozen=True)
class Updates:
    """Where new versions come from: None (only tell), "index" (pip's own), an index URL, or a folder of wheels."""

    source: str | None = None


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
    stability_seconds: float = 10
    rescan_seconds: float = 300
    heartbeat_seconds: float = 60
    events_kept: int = 10_000
    uploads: Uploads = field(default_factory=Uploads)
    updates: Updates = field(default_factory=Updates)
