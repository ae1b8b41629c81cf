"""Whether the watched directory is really there, or only the place where it would be mounted."""

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from instrument_watcher.journal.facts import Facts
from instrument_watcher.platforms import paths

ROOT = "root"


class FolderState(str, Enum):
    """As heartbeats tell it."""

    WATCHING = "watching"
    AWAY = "away"  # it does not exist, or does not answer
    EMPTY_MOUNT = "empty_mount"  # nothing is in it, and it is not the file system on which files were seen
    DENIED = "denied"  # the agent's user may not read it


@dataclass(frozen=True)
class Presence:
    """`found` is None where the directory cannot be looked into; `why` then says so."""

    state: FolderState
    found: os.stat_result | None
    why: str = ""


def look_at_root(root: Path, facts: Facts) -> Presence:
    """Looks, and remembers the file system of a directory that holds anything."""
    try:
        found = root.stat()
        with paths.entries(root) as entries:
            is_empty = next(entries, None) is None
    except PermissionError as error:
        return Presence(FolderState.DENIED, None, error.strerror or "Permission denied")
    except OSError as error:
        return Presence(FolderState.AWAY, None, error.strerror or type(error).__name__)
    here = {"path": str(root), "device": found.st_dev, "is_mount": os.path.ismount(root)}
    known = facts.get(ROOT)
    if not is_empty:
        if known != here:
            facts.set(ROOT, here)
        return Presence(FolderState.WATCHING, found)
    return Presence(FolderState.EMPTY_MOUNT if _was_another(known, here) else FolderState.WATCHING, found)


def _was_another(known: Any, here: dict[str, Any]) -> bool:
    """Whether files were seen here on another file system. An emptied directory is the one that it was."""
    if not isinstance(known, dict) or known.get("path") != here["path"]:
        return False
    return bool(known.get("device") != here["device"] or (known.get("is_mount") and not here["is_mount"]))
